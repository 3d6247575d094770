-- What holds the request, or held it.
SELECT h.hold_id::text, h.reason, to_char(r.held_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(r.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(r.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM held_request r JOIN hold h USING (hold_id) WHERE r.tenant = $1 AND r.request_id = $2
UNION ALL
SELECT h.hold_id::text, h.reason, NULL, to_char(a.deadline AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), NULL
FROM approval a JOIN hold h ON h.hold_id = a.held_by WHERE a.tenant = $1 AND a.request_id = $2 AND a.state = 'PENDING'
