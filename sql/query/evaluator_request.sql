-- New requests, one row each. An id that somebody else has just stored fails: the batch is looked at again.
INSERT INTO request (tenant, request_id, chain, valid, agent_id, action, target, context, execution, deadline, on_behalf_of,
                     parent_request_id, reason, request_digest, content_hash, traceparent, origin_topic, origin_partition,
                     origin_offset, received_at, issued_at, verified_kid, verified_owner)
SELECT tenant, request_id, chain, valid = 1, agent_id, action, target,
       context, execution, timestamptz 'epoch' + nullif(deadline, 0) * interval '1 microsecond',
       on_behalf_of, parent_request_id, reason, request_digest,
       content_hash, traceparent, origin_topic, origin_partition, origin_offset,
       timestamptz 'epoch' + received_at * interval '1 microsecond',
       timestamptz 'epoch' + nullif(issued_at, 0) * interval '1 microsecond', verified_kid, verified_owner
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
              $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bytea[], $16::text[],
              $17::text[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::text[], $23::text[])
       AS row (tenant, request_id, chain, valid, agent_id, action, target, context, execution, deadline, on_behalf_of,
               parent_request_id, reason, request_digest, content_hash, traceparent, origin_topic, origin_partition,
               origin_offset, received_at, issued_at, verified_kid, verified_owner)
