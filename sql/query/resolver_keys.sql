-- The keys of these kids, if they belong to that tenant, in the order asked.
SELECT key.kid, key.tenant, key.owner, key.kind, key.public_key, key.speaks_for, key.revoked_at IS NOT NULL
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (kid, tenant, n)
  LEFT JOIN signing_key AS key USING (kid, tenant)
 ORDER BY asked.n
