-- Deletes raw bytes whose time is over, some of them.
DELETE FROM quarantine_raw
 WHERE quarantine_id IN (SELECT quarantine_id FROM quarantine_raw WHERE keep_until <= clock_timestamp() LIMIT $1::bigint)
RETURNING quarantine_id
