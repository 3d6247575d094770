-- Everybody whom the directory names: groups, keys that count, agents that he answers for. $2: only this one, or null.
WITH person AS (
    SELECT person AS name FROM group_member WHERE tenant = $1
    UNION SELECT owner FROM signing_key WHERE tenant = $1 AND kind = 'person'
    UNION SELECT owner FROM agent WHERE tenant = $1
)
SELECT name,
       ARRAY(SELECT group_name FROM group_member AS member WHERE member.tenant = $1 AND member.person = name
              ORDER BY group_name COLLATE "C"),
       (SELECT count(*) FROM signing_key AS key WHERE key.tenant = $1 AND key.owner = name AND key.kind = 'person'
           AND (key.revoked_at IS NULL OR key.revoked_at > clock_timestamp())),
       ARRAY(SELECT agent_id FROM agent WHERE agent.tenant = $1 AND agent.owner = name ORDER BY agent_id COLLATE "C")
FROM person WHERE $2::text IS NULL OR name = $2 ORDER BY name COLLATE "C"
