-- Newest requests and where they stand; $2: null, or a status, or unfinished.
SELECT r.request_id, coalesce(w.status, 'UNKNOWN'), d.verdict, w.reason_code, r.agent_id, r.action, r.target, to_char(r.received_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), CASE WHEN a.state = 'PENDING' THEN coalesce(to_char(a.deadline, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'none') END
FROM request r
JOIN decision d ON d.tenant = r.tenant AND d.request_id = r.request_id AND d.n = 0
LEFT JOIN LATERAL (SELECT status, reason_code FROM authorization_status s WHERE s.tenant = r.tenant AND s.request_id = r.request_id ORDER BY status = 'REVOKED' DESC, final DESC LIMIT 1) w ON true
LEFT JOIN approval a ON a.tenant = r.tenant AND a.request_id = r.request_id AND a.state = 'PENDING'
WHERE r.tenant = $1 AND ($2::text IS NULL OR w.status = $2
      OR ($2 = 'UNFINISHED' AND w.status = 'GRANTED' AND NOT EXISTS (SELECT FROM outcome o WHERE o.tenant = r.tenant AND o.request_id = r.request_id AND o.status IN ('succeeded', 'failed', 'rolled_back'))))
ORDER BY r.received_at DESC LIMIT $3
