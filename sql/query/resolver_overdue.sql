-- Approvals in which time has something to do, or which a hold keeps no more, some of them, locked. Those that somebody else has locked
-- are his. The clock is read once: an index can't be searched for a time that goes on.
WITH due AS (
    SELECT approval_id
      FROM approval
     WHERE state = 'PENDING' AND next_at <= (SELECT clock_timestamp())
     ORDER BY next_at
     LIMIT $1::bigint
       FOR UPDATE SKIP LOCKED
), released AS (
    SELECT approval.approval_id
      FROM hold JOIN approval ON approval.held_by = hold.hold_id
     WHERE (hold.lifted_at IS NOT NULL OR hold.until <= (SELECT clock_timestamp())) AND approval.state = 'PENDING'
     LIMIT $1::bigint
       FOR UPDATE OF approval SKIP LOCKED
)
SELECT approval_id FROM due UNION SELECT approval_id FROM released
