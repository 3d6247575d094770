-- The document of the active policy that is for this tenant.
SELECT document
  FROM (SELECT DISTINCT ON (policy_id) policy_id, document, tenants FROM policy ORDER BY policy_id, version DESC) AS active
 WHERE $1 = ANY (tenants) OR '*' = ANY (tenants)
