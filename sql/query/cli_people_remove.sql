-- Takes a person out of every group and revokes his keys, at once.
WITH gone AS (
    DELETE FROM group_member WHERE tenant = $1 AND person = $2 RETURNING group_name
), over AS (
    UPDATE signing_key SET revoked_at = statement_timestamp()
     WHERE tenant = $1 AND owner = $2 AND kind = 'person' AND (revoked_at IS NULL OR revoked_at > statement_timestamp())
    RETURNING kid
)
SELECT 'is no longer in ' || group_name FROM gone
UNION ALL SELECT 'key ' || kid || ' counts for nothing' FROM over ORDER BY 1
