-- One quarantined record by its id or the beginning of it.
SELECT quarantine_id::text, service, code, field, text, tenant, request_id, origin_topic || '/' || origin_partition || '/' || origin_offset, digest, size, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM quarantine WHERE length($1) >= 8 AND starts_with(quarantine_id::text, $1) LIMIT 2
