-- The same for one request id, as when requests come one at a time: by its key the plan is made once, by a list for every call.
SELECT tenant, request_id, content_hash FROM request WHERE tenant = $1 AND request_id = $2
