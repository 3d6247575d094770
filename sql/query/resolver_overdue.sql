-- Approvals in which time has something to do, some of them, locked. Those that somebody else has locked are his. The clock is read
-- once: an index can't be searched for a time that goes on.
SELECT approval_id
  FROM approval
 WHERE state = 'PENDING' AND next_at <= (SELECT clock_timestamp())
 ORDER BY next_at
 LIMIT $1::bigint
   FOR UPDATE SKIP LOCKED
