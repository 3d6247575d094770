-- Places that are given up, one row each.
DELETE FROM limit_use USING unnest($1::bytea[], $2::text[], $3::text[]) AS row (counter, tenant, request_id)
 WHERE limit_use.counter = row.counter AND limit_use.tenant = row.tenant AND limit_use.request_id = row.request_id
   AND limit_use.held_until IS NOT NULL
