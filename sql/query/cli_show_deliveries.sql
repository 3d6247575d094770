-- Whom the notifier told.
SELECT d.channel, d.target, d.kind, d.state, d.attempts::int8, d.last_code, d.delivery_id::text, to_char(d.finished_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM delivery d WHERE d.tenant = $1 AND d.request_id = $2 ORDER BY d.created_at, d.delivery_id
