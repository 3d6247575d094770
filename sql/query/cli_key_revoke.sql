-- Revokes a key from $3 on, or from now; one that was revoked may only be so from an earlier moment.
UPDATE signing_key AS key SET revoked_at = asked.at
  FROM (SELECT coalesce($3::timestamptz, clock_timestamp()) AS at) AS asked
 WHERE key.tenant = $1 AND key.kid = $2 AND (key.revoked_at IS NULL OR key.revoked_at > asked.at)
RETURNING key.kid, to_char(key.revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
