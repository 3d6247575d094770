-- All keys of a tenant.
SELECT kid, owner, kind, speaks_for, speaks_for_groups, agents, to_char(registered_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(revoked_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM signing_key WHERE tenant = $1 ORDER BY owner, registered_at
