-- Its responses, counted or not.
SELECT response_id, responder, verdict, result, reason, kid, to_char(received_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), counted_for::text[]
FROM response WHERE tenant = $1 AND request_id = $2 ORDER BY received_at, response_id
