-- How a response was taken.
SELECT result, reason FROM response WHERE kid = $1 AND response_id = $2
