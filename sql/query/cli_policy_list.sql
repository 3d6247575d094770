-- Every policy ever activated and those that are in the shadow, newest first.
SELECT policy_id, version, p.generation, digest, tenants, to_char(activated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), activated_by,
       CASE WHEN version = max(version) OVER (PARTITION BY policy_id) THEN 'active' ELSE 'superseded' END
FROM policy p
UNION ALL
SELECT policy_id, version, s.generation, digest, tenants, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), by_role, 'shadow'
FROM policy_in_shadow s
ORDER BY 3 DESC
