-- Targets that said they are gone: nothing is sent to them until an operator deletes the row.
INSERT INTO delivery_target (channel, target, disabled_at, reason)
SELECT DISTINCT row.channel, row.target, clock_timestamp(), 'The receiver said that it is gone for good (HTTP 410).'
  FROM unnest($1::text[], $2::text[]) AS row (channel, target)
    ON CONFLICT DO NOTHING
RETURNING channel, target
