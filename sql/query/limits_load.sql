-- What is used and held of each of these locked counters, in the order asked: $2 is where its window begins, $3 now; uses before that
-- are taken off for ever, and places that nobody can report on any more.
WITH asked AS MATERIALIZED (
     SELECT counter, timestamptz 'epoch' + edge * interval '1 microsecond' AS edge, timestamptz 'epoch' + now * interval '1 microsecond' AS now, n
       FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS row (counter, edge, now, n)),
gone AS (
     DELETE FROM limit_use USING asked
      WHERE limit_use.counter = asked.counter AND limit_use.at < asked.edge AND coalesce(limit_use.held_until, limit_use.at) < asked.edge
     RETURNING limit_use.counter, CASE WHEN limit_use.held_until IS NULL AND limit_use.released_at IS NULL THEN limit_use.amount ELSE 0 END AS amount),
lost AS (SELECT counter, sum(amount) AS amount FROM gone GROUP BY counter)
SELECT limit_counter.used - coalesce(lost.amount, 0)::bigint,
       (SELECT min(at) FROM limit_use
         WHERE limit_use.counter = asked.counter AND limit_use.at >= asked.edge AND limit_use.held_until IS NULL
           AND limit_use.released_at IS NULL),
       window_kind = 'token_bucket', level, level_part, per_us, at, over_at, used, places.amount, places.frees_at, since
  FROM asked
  JOIN limit_counter USING (counter)
  LEFT JOIN lost USING (counter)
  LEFT JOIN LATERAL (
       SELECT least(coalesce(sum(amount), 0), 9223372036854775807)::bigint AS amount, min(limit_use.held_until) AS frees_at
         FROM limit_use
        WHERE limit_use.counter = asked.counter AND limit_use.held_until > asked.now) AS places ON true
 ORDER BY asked.n
