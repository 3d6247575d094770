-- Stores an activated policy.
INSERT INTO policy (policy_id, version, digest, document, tenants, generation, activated_at)
VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
