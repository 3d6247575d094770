-- The documents of all active policies.
SELECT DISTINCT ON (policy_id) policy_id, document FROM policy ORDER BY policy_id, version DESC
