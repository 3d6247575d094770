-- Two files are not applied to one tenant at the same time.
SELECT pg_advisory_xact_lock(hashtextextended('countersign directory ' || $1::text, 0))
