-- All agents of a tenant.
SELECT agent_id, owner, to_char(registered_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM agent WHERE tenant = $1 ORDER BY agent_id
