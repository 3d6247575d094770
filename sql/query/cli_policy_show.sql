-- The active document of one policy, or of the only one.
SELECT document, policy_id FROM (SELECT DISTINCT ON (policy_id) policy_id, document FROM policy
WHERE $1::text IS NULL OR policy_id = $1 ORDER BY policy_id, version DESC) AS active
