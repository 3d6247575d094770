-- What must not have happened.
SELECT kind, severity, text, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), incident_id::text
FROM incident WHERE tenant = $1 AND request_id = $2 ORDER BY at, incident_id
