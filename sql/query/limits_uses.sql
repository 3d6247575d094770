-- What these requests have used of these locked counters, each if it is still there, in the order asked: how much, since when, and whether
-- it was given back.
SELECT limit_use.amount, limit_use.at, limit_use.released_at IS NOT NULL
  FROM unnest($1::bytea[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (counter, tenant, request_id, n)
  LEFT JOIN limit_use ON limit_use.counter = asked.counter AND limit_use.tenant = asked.tenant AND limit_use.request_id = asked.request_id
        AND limit_use.held_until IS NULL AND limit_use.releases
 ORDER BY asked.n
