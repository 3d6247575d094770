-- How many requests are held.
SELECT count(*) FROM held_request WHERE ended_at IS NULL
