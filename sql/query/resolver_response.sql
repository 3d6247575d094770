-- Verified responses and what became of them, one row each.
INSERT INTO response (kid, response_id, tenant, request_id, approval_id, responder, verdict, result, counted_for, reason,
                      request_digest, issued_at, received_at, value, signature, origin_topic, origin_partition, origin_offset)
SELECT kid, response_id, tenant, request_id, approval_id, responder, verdict, result,
       string_to_array(counted_for, E'\n')::integer[], reason, request_digest,
       timestamptz 'epoch' + issued_at * interval '1 microsecond', timestamptz 'epoch' + received_at * interval '1 microsecond',
       value, signature, origin_topic, origin_partition, origin_offset
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::bytea[], $15::text[], $16::text[],
              $17::bigint[], $18::bigint[])
       AS row (kid, response_id, tenant, request_id, approval_id, responder, verdict, result, counted_for, reason,
               request_digest, issued_at, received_at, value, signature, origin_topic, origin_partition, origin_offset)
