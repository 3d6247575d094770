-- What these tenants ("*": all) asked for in the last 30 days: actions, agents and targets, each name once, of each kind at most $2.
WITH asked AS MATERIALIZED (
    SELECT action COLLATE "C" AS action, agent_id COLLATE "C" AS agent_id, target COLLATE "C" AS target FROM request
     WHERE valid AND received_at > now() - interval '30 days' AND ('*' = ANY ($1::text[]) OR tenant = ANY ($1))
)
SELECT kind, name FROM (
    (SELECT 'action' AS kind, action AS name FROM asked GROUP BY action ORDER BY action LIMIT $2)
    UNION ALL (SELECT 'agent', agent_id FROM asked GROUP BY agent_id ORDER BY agent_id LIMIT $2)
    UNION ALL (SELECT 'target', target FROM asked GROUP BY target ORDER BY target LIMIT $2)
) AS known ORDER BY kind, name
