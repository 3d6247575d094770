-- All keys of a tenant with all that a directory says of them, and whether each counts for nothing by now.
SELECT kid, owner, kind, public_key, speaks_for, speaks_for_groups, agents, revoked_at,
       revoked_at IS NOT NULL AND revoked_at <= clock_timestamp()
FROM signing_key WHERE tenant = $1 ORDER BY kid COLLATE "C"
