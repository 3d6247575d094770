-- One version of a policy, and the highest there is.
SELECT p.document, (SELECT max(version) FROM policy WHERE policy_id = $1) FROM policy p WHERE p.policy_id = $1 AND p.version = $2
