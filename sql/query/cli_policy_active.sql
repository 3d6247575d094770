-- The active version of every policy, except the one named.
SELECT DISTINCT ON (policy_id) policy_id, version, tenants FROM policy WHERE policy_id <> $1 ORDER BY policy_id, version DESC
