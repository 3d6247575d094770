-- Its raw bytes.
SELECT key, value, headers, to_char(keep_until, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM quarantine_raw WHERE quarantine_id = $1
