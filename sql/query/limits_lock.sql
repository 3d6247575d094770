-- The counters of a transaction, made where there are none, locked in their order. Nothing is changed. A statement of its own: the clock
-- and what is used must be read after the wait.
INSERT INTO limit_counter (counter, policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us, at, over_at, since)
SELECT counter, policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us, clock_timestamp(), clock_timestamp(), clock_timestamp()
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[])
       AS row (counter, policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us)
 ORDER BY counter
    ON CONFLICT (counter) DO UPDATE SET used = limit_counter.used WHERE false
RETURNING counter
