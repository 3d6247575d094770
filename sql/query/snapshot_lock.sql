-- Whoever decides shares this lock; activation takes it alone. A statement of its own: what follows must be read after the wait.
SELECT pg_advisory_xact_lock_shared($1::bigint)
