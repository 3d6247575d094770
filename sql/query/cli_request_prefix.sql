-- Requests whose id begins with $2, the exact one first.
SELECT request_id FROM request WHERE tenant = $1 AND (request_id = $2 OR starts_with(request_id, $2)) ORDER BY request_id <> $2, request_id LIMIT 2
