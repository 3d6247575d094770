-- What requests hold of counters, and what they have used of them and may get back.
SELECT tenant, request_id, amount, limit_use.held_until, counter, policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us,
       limit_use.releases
  FROM unnest($1::text[], $2::text[]) AS asked (tenant, request_id)
  JOIN limit_use USING (tenant, request_id)
  JOIN limit_counter USING (counter)
 WHERE limit_use.held_until IS NOT NULL OR limit_use.releases
