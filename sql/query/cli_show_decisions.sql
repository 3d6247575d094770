-- Its decisions.
SELECT n::int8, verdict, reason_code, reason_text, remediation, rules, class_id, policy_id, policy_version, policy_digest, engine_version, to_char(decided_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), layers::text, obligations::text
FROM decision WHERE tenant = $1 AND request_id = $2 ORDER BY n
