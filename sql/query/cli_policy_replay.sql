-- The last first decisions about requests that could be taken, of these tenants ("*": of all), newest first.
SELECT r.tenant, r.request_id, r.agent_id, r.action, r.target, r.context, r.deadline, r.request_digest,
       d.verdict, d.reason_code, d.rules, d.class_id, d.explanation::text, d.decided_at, r.verified_kid IS NOT NULL
FROM decision d JOIN request r USING (tenant, request_id)
WHERE d.n = 0 AND r.valid AND ('*' = ANY ($1::text[]) OR d.tenant = ANY ($1))
ORDER BY d.decided_at DESC, d.tenant, d.request_id LIMIT $2
