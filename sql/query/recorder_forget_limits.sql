-- Deletes counters of limits of which nothing counts any more, some of them. One that somebody has locked is about to be used.
DELETE FROM limit_counter
 WHERE counter IN (SELECT counter FROM limit_counter
                    WHERE over_at <= clock_timestamp() AND held_until <= clock_timestamp()
                    LIMIT $1::bigint FOR UPDATE SKIP LOCKED)
RETURNING counter
