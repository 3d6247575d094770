-- Highest version of one policy.
SELECT version, digest FROM policy WHERE policy_id = $1 ORDER BY version DESC LIMIT 1
