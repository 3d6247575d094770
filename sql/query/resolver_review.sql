-- Approvals that one person overrode: somebody else has to look at them.
INSERT INTO approval_review (approval_id, tenant, request_id, overrider, reason, opened_at)
SELECT approval_id, tenant, request_id, overrider, reason, timestamptz 'epoch' + opened_at * interval '1 microsecond'
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
       AS row (approval_id, tenant, request_id, overrider, reason, opened_at)
