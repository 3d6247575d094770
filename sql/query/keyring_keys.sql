-- The keys of these kids as they are now, if they belong to that tenant, in the order asked; and may each answer for this person?
SELECT key.kid, key.owner, key.kind, key.public_key, key.agents,
       key.revoked_at IS NOT NULL AND key.revoked_at <= clock_timestamp(),
       CASE key.kind
            WHEN 'person' THEN key.owner = asked.person
            WHEN 'bot' THEN '*' = ANY (key.speaks_for) OR asked.person = ANY (key.speaks_for)
                 OR EXISTS (SELECT FROM group_member AS member
                             WHERE member.tenant = key.tenant AND member.group_name = ANY (key.speaks_for_groups)
                               AND member.person = asked.person)
            ELSE false
       END
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (kid, tenant, person, n)
  LEFT JOIN signing_key AS key USING (kid, tenant)
 ORDER BY asked.n
