-- Locks approvals, always in the order of their ids.
SELECT approval_id, state, deadline, opened_at, valid_for_us, notices, refusals, reason_text, request_digest, tenant, request_id
  FROM approval
 WHERE approval_id = ANY ($1::uuid[])
 ORDER BY approval_id
   FOR UPDATE
