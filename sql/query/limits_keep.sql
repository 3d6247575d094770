-- What is used of locked counters now, one row each, when what requests use and hold of them is written.
UPDATE limit_counter
   SET window_kind = row.window_kind, max_amount = row.max_amount, per_us = row.per_us, used = row.used, level = row.level,
       level_part = row.level_part, at = timestamptz 'epoch' + row.at * interval '1 microsecond',
       over_at = timestamptz 'epoch' + row.over_at * interval '1 microsecond',
       since = CASE WHEN (limit_counter.window_kind, limit_counter.max_amount, limit_counter.per_us) = (row.window_kind, row.max_amount, row.per_us)
                    THEN since ELSE timestamptz 'epoch' + row.at * interval '1 microsecond' END,
       held_until = coalesce((SELECT max(limit_use.held_until) FROM limit_use
                               WHERE limit_use.counter = row.counter AND limit_use.held_until IS NOT NULL), 'epoch')
  FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
       AS row (counter, window_kind, max_amount, per_us, used, level, level_part, at, over_at)
 WHERE limit_counter.counter = row.counter
