-- Holds and how many items each holds: those that stand, or ($1) all that ever did. The newest $2.
SELECT h.hold_id::text, CASE WHEN h.refuses THEN 'refuse' ELSE 'queue' END,
       CASE WHEN h.lifted_at IS NOT NULL THEN 'lifted' WHEN h.until <= clock_timestamp() THEN 'over' ELSE 'stands' END,
       h.class_id, h.target, h.agent, h.tenant,
       (SELECT count(*) FROM held_request r WHERE r.hold_id = h.hold_id AND r.ended_at IS NULL)
       + (SELECT count(*) FROM approval a WHERE a.held_by = h.hold_id AND a.state = 'PENDING'),
       h.reason, to_char(h.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(h.added_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), h.added_by,
       to_char(h.lifted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), h.lifted_by
FROM hold h WHERE $1 OR h.lifted_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
   OR EXISTS (SELECT FROM held_request r WHERE r.hold_id = h.hold_id AND r.ended_at IS NULL)
ORDER BY h.hold_id DESC LIMIT $2
