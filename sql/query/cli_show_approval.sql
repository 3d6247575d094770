-- Its approval.
SELECT approval_id::text, state, reason_text, to_char(opened_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(deadline, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(closed_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), refusals::int8
FROM approval WHERE tenant = $1 AND request_id = $2
