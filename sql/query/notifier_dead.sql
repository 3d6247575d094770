-- How many deliveries were given up.
SELECT count(*) FROM delivery WHERE state = 'dead'
