-- Records that named it and could not be taken.
SELECT quarantine_id::text, service, code, field, text, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM quarantine WHERE tenant = $1 AND request_id = $2 ORDER BY at, quarantine_id
