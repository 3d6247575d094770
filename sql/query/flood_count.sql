-- How many approvals are open, in the order asked: of an agent (1), in a class (2), or that ask a group (3). No more are counted than matter.
SELECT CASE asked.kind
       WHEN 1 THEN (SELECT count(*) FROM (SELECT FROM open_approval AS o WHERE o.tenant = asked.tenant AND o.agent_id = asked.name LIMIT asked.most) AS one)
       WHEN 2 THEN (SELECT count(*) FROM (SELECT FROM open_approval AS o WHERE o.tenant = asked.tenant AND o.class_id = asked.name LIMIT asked.most) AS one)
       ELSE (SELECT count(*) FROM (SELECT FROM open_ask AS o WHERE o.tenant = asked.tenant AND o.group_name = asked.name LIMIT asked.most) AS one)
       END
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked (kind, tenant, name, most, n)
 ORDER BY asked.n
