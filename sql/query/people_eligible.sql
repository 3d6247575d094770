-- For each ask, in the order asked: how many members its group has besides the agent, its owner, the one it serves and the owner of the
-- key that signed the request; and some of them, as many as are wanted.
WITH asked AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
             WITH ORDINALITY AS row (tenant, group_name, agent_id, on_behalf_of, signer, wanted, n)
), size AS MATERIALIZED (
    SELECT tenant, group_name, count(*) AS members
      FROM group_member JOIN (SELECT DISTINCT tenant, group_name FROM asked) AS named USING (tenant, group_name)
     GROUP BY tenant, group_name
)
SELECT coalesce(size.members, 0) - (
           SELECT count(*) FROM group_member AS member
            WHERE member.tenant = asked.tenant AND member.group_name = asked.group_name
              AND member.person IN (asked.agent_id, asked.on_behalf_of, asked.signer, agent.owner)),
       CASE WHEN asked.wanted > 0 THEN ARRAY(
           SELECT member.person FROM group_member AS member
            WHERE member.tenant = asked.tenant AND member.group_name = asked.group_name
              AND (member.person IN (asked.agent_id, asked.on_behalf_of, asked.signer, agent.owner)) IS NOT TRUE
            ORDER BY member.person LIMIT asked.wanted) ELSE '{}' END
  FROM asked
  LEFT JOIN size USING (tenant, group_name)
  LEFT JOIN agent ON agent.tenant = asked.tenant AND agent.agent_id = asked.agent_id
 ORDER BY asked.n
