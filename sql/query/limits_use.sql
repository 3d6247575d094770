-- What requests have used of limits, one row each.
INSERT INTO limit_use (counter, tenant, request_id, amount, at)
SELECT counter, tenant, request_id, amount, timestamptz 'epoch' + at * interval '1 microsecond'
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS row (counter, tenant, request_id, amount, at)
