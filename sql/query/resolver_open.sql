-- How many approvals wait for people, and since how many seconds the oldest.
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(opened_at)), 0)::float8
  FROM approval WHERE state = 'PENDING'
