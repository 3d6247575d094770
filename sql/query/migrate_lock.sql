-- One migration at a time in a database; nobody else takes this pair of numbers.
SELECT pg_catalog.pg_advisory_lock(7246, 724362)
