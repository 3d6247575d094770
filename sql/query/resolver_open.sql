-- How many approvals wait, since how many seconds the oldest, and how many of them wait for a hold and not for people.
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(opened_at)), 0)::float8, count(held_by)
  FROM approval WHERE state = 'PENDING'
