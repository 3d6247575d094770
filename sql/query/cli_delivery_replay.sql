-- A dead delivery becomes due again; $2 is its id or the beginning of it, at least 8 characters.
UPDATE delivery SET state = 'pending', attempts = 0, next_attempt_at = clock_timestamp(), lease_until = NULL, lease_epoch = lease_epoch + 1, finished_at = NULL
WHERE tenant = $1 AND state = 'dead' AND length($2) >= 8 AND starts_with(delivery_id::text, $2)
  AND (SELECT count(*) FROM delivery d WHERE d.tenant = $1 AND starts_with(d.delivery_id::text, $2)) = 1 RETURNING delivery_id::text
