-- What the clock shows, and the latest time that it showed when a position was moved.
SELECT clock_timestamp(), (SELECT max(updated_at) FROM consumer_position)
