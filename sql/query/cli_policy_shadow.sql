-- Begins a shadow, or ends the one of this name (version and the rest null).
INSERT INTO policy_shadow (generation, policy_id, version, digest, document, tenants, at)
VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
