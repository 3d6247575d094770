-- Approvals whose time is over, some of them, locked. Those that somebody else has locked are his.
SELECT approval_id
  FROM approval
 WHERE state = 'PENDING' AND deadline <= clock_timestamp()
 ORDER BY deadline
 LIMIT $1::bigint
   FOR UPDATE SKIP LOCKED
