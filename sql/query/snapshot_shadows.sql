-- Every policy in the shadow.
SELECT policy_id, version, digest, document, tenants FROM policy_in_shadow ORDER BY policy_id
