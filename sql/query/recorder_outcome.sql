-- Outcomes and how they were judged, one row each.
INSERT INTO outcome (tenant, outcome_id, request_id, status, request_digest, reported_by, occurred_at, authorization_ref, code,
                     detail, joined_with, judgement, content_hash, received_at, origin_topic, origin_partition, origin_offset, issued_at,
                     verified_kid, verified_owner)
SELECT tenant, outcome_id, request_id, status, request_digest, reported_by,
       timestamptz 'epoch' + occurred_at * interval '1 microsecond', authorization_ref, code, detail, joined_with, judgement,
       content_hash, timestamptz 'epoch' + received_at * interval '1 microsecond', origin_topic, origin_partition, origin_offset,
       timestamptz 'epoch' + nullif(issued_at, 0) * interval '1 microsecond', verified_kid, verified_owner
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[],
              $10::text[], $11::uuid[], $12::text[], $13::bytea[], $14::bigint[], $15::text[], $16::bigint[], $17::bigint[],
              $18::bigint[], $19::text[], $20::text[])
       AS row (tenant, outcome_id, request_id, status, request_digest, reported_by, occurred_at, authorization_ref, code,
               detail, joined_with, judgement, content_hash, received_at, origin_topic, origin_partition, origin_offset, issued_at, verified_kid,
               verified_owner)
