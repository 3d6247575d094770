-- Every word on it.
SELECT status, reason_code, reason_text, to_char(decided_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(not_before, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), event_id::text
FROM authorization_status WHERE tenant = $1 AND request_id = $2 ORDER BY array_position('{PENDING,GRANTED,DENIED,EXPIRED,CANCELLED,REVOKED}', status), decided_at
