-- Removes a registration.
DELETE FROM agent WHERE tenant = $1 AND agent_id = $2 RETURNING agent_id
