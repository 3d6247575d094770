-- Activation excludes everybody who decides: they hold the same advisory lock shared.
SELECT pg_advisory_xact_lock($1)
