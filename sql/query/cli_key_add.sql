-- Registers a public key; a known one is an error (unique violation).
INSERT INTO signing_key (kid, tenant, owner, kind, public_key, speaks_for, registered_at)
VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
