-- Every active policy: the highest version of each.
SELECT DISTINCT ON (policy_id) policy_id, version, digest, document, tenants
  FROM policy
 ORDER BY policy_id, version DESC
