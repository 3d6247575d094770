-- What requests have used of limits, or hold of them until $6, one row each; instead of the place that they held before.
INSERT INTO limit_use (counter, tenant, request_id, amount, at, held_until, releases)
SELECT counter, tenant, request_id, amount, timestamptz 'epoch' + at * interval '1 microsecond',
       timestamptz 'epoch' + nullif(until, 0) * interval '1 microsecond', releases <> 0
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
       AS row (counter, tenant, request_id, amount, at, until, releases)
    ON CONFLICT (counter, tenant, request_id) DO UPDATE
   SET amount = EXCLUDED.amount, at = EXCLUDED.at, held_until = EXCLUDED.held_until, releases = EXCLUDED.releases
 WHERE limit_use.held_until IS NOT NULL
