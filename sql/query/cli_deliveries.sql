-- Newest deliveries; $2 null or a state.
SELECT delivery_id::text, request_id, channel, target, kind, state, attempts::int8, last_code, last_error, to_char(next_attempt_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM delivery WHERE tenant = $1 AND ($2::text IS NULL OR state = $2) ORDER BY created_at DESC, delivery_id LIMIT $3
