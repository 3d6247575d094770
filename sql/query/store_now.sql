-- A statement of its own: beside FOR UPDATE the clock would be read before the wait for the lock.
SELECT clock_timestamp()
