-- What is used of each of these locked counters, in the order asked: $2 is where its window begins; uses before that are taken off for ever.
WITH asked AS MATERIALIZED (
     SELECT counter, timestamptz 'epoch' + edge * interval '1 microsecond' AS edge, n
       FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS row (counter, edge, n)),
gone AS (
     DELETE FROM limit_use USING asked
      WHERE limit_use.counter = asked.counter AND limit_use.at < asked.edge
     RETURNING limit_use.counter, limit_use.amount),
lost AS (SELECT counter, sum(amount) AS amount FROM gone GROUP BY counter)
SELECT limit_counter.used - coalesce(lost.amount, 0)::bigint,
       (SELECT min(at) FROM limit_use WHERE limit_use.counter = asked.counter AND limit_use.at >= asked.edge),
       window_kind = 'token_bucket', level, level_part, per_us, at, over_at, used
  FROM asked
  JOIN limit_counter USING (counter)
  LEFT JOIN lost USING (counter)
 ORDER BY asked.n
