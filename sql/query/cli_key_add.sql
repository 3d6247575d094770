-- Registers a public key; a known one is an error (unique violation).
INSERT INTO signing_key (kid, tenant, owner, kind, public_key, speaks_for, speaks_for_groups, agents, registered_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
