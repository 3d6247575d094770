-- Who answers for how many agents in these tenants ("*": in all), and one of them.
SELECT tenant, owner, count(*), min(agent_id COLLATE "C") FROM agent
WHERE '*' = ANY ($1::text[]) OR tenant = ANY ($1)
GROUP BY tenant, owner ORDER BY tenant COLLATE "C", owner COLLATE "C"
