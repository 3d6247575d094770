-- Revokes a key once.
UPDATE signing_key SET revoked_at = clock_timestamp() WHERE tenant = $1 AND kid = $2 AND revoked_at IS NULL RETURNING kid
