-- New approvals, one row each.
INSERT INTO approval (approval_id, tenant, request_id, state, request_digest, reason_text, valid_for_us, opened_at, deadline,
                      notices)
SELECT approval_id, tenant, request_id, state, request_digest, reason_text, valid_for_us,
       timestamptz 'epoch' + opened_at * interval '1 microsecond', timestamptz 'epoch' + deadline * interval '1 microsecond',
       notices
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
              $9::bigint[], $10::bigint[])
       AS row (approval_id, tenant, request_id, state, request_digest, reason_text, valid_for_us, opened_at, deadline, notices)
