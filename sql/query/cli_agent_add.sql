-- Registers an agent, or gives it another owner.
INSERT INTO agent (tenant, agent_id, owner, registered_at) VALUES ($1, $2, $3, clock_timestamp())
ON CONFLICT (tenant, agent_id) DO UPDATE SET owner = excluded.owner, registered_at = excluded.registered_at
