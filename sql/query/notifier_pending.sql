-- How many deliveries wait, and for how long the oldest of them has.
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8
  FROM delivery
 WHERE state = 'pending'
