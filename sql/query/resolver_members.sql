-- Is he a member of that group now? In the order asked.
SELECT member.person IS NOT NULL
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (tenant, group_name, person, n)
  LEFT JOIN group_member AS member USING (tenant, group_name, person)
 ORDER BY asked.n
