-- The shadows of now.
SELECT policy_id, version, tenants FROM policy_in_shadow ORDER BY policy_id
