-- Takes off the shelf what need not wait any longer: its request is there.
WITH due AS (
    SELECT shelf.origin_topic, shelf.origin_partition, shelf.origin_offset
      FROM shelf JOIN request USING (tenant, request_id)
     WHERE shelf.service = $1
     ORDER BY shelf.origin_topic, shelf.origin_partition, shelf.origin_offset
     LIMIT $2::bigint
), taken AS (
    DELETE FROM shelf USING due
     WHERE (shelf.origin_topic, shelf.origin_partition, shelf.origin_offset)
           = (due.origin_topic, due.origin_partition, due.origin_offset)
    RETURNING shelf.*
)
SELECT origin_topic, origin_partition, origin_offset, key, value, headers, appended_at
  FROM taken ORDER BY origin_topic, origin_partition, origin_offset
