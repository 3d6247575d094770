-- Every policy ever activated, newest first.
SELECT policy_id, version, p.generation, digest, tenants, to_char(activated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), activated_by,
       CASE WHEN version = max(version) OVER (PARTITION BY policy_id) THEN 'active' ELSE 'superseded' END
FROM policy p ORDER BY p.generation DESC
