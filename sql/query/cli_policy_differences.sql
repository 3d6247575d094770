-- What the shadows of now would have decided, beside what was decided.
SELECT policy_id, version, tenant, verdict, shadow_verdict, CASE differs WHEN true THEN 'yes' WHEN false THEN 'no' END, decisions, to_char(last_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM shadow_difference JOIN policy_in_shadow USING (policy_id, version)
ORDER BY policy_id, version, tenant, differs DESC, verdict, shadow_verdict
