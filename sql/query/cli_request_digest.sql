-- What people must have been shown.
SELECT request_digest FROM request WHERE tenant = $1 AND request_id = $2
