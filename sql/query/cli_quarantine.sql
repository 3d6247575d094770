-- Newest quarantined records.
SELECT quarantine_id::text, service, code, field, text, request_id, origin_topic || '/' || origin_partition || '/' || origin_offset, size, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM quarantine ORDER BY at DESC, quarantine_id LIMIT $1
