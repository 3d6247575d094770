-- What executors reported.
SELECT outcome_id, status, judgement, reported_by, code, detail, request_digest, to_char(received_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), verified_owner, verified_kid
FROM outcome WHERE tenant = $1 AND request_id = $2 ORDER BY received_at, outcome_id
