-- Takes off the shelf what has waited for too long.
WITH due AS (
    SELECT origin_topic, origin_partition, origin_offset
      FROM shelf
     WHERE service = $1 AND shelved_at <= clock_timestamp() - $3::bigint * interval '1 microsecond'
       AND NOT EXISTS (SELECT FROM request WHERE (request.tenant, request.request_id) = (shelf.tenant, shelf.request_id))
     ORDER BY origin_topic, origin_partition, origin_offset
     LIMIT $2::bigint
), taken AS (
    DELETE FROM shelf USING due
     WHERE (shelf.origin_topic, shelf.origin_partition, shelf.origin_offset)
           = (due.origin_topic, due.origin_partition, due.origin_offset)
    RETURNING shelf.*
)
SELECT origin_topic, origin_partition, origin_offset, key, value, headers, appended_at
  FROM taken ORDER BY origin_topic, origin_partition, origin_offset
