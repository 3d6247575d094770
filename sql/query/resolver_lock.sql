-- Locks approvals, always in the order of their ids.
SELECT approval_id, state, deadline, opened_at, valid_for_us, notices, refusals, reason_text, request_digest, tenant, request_id,
       hold_for_us, steps_taken, latest, remind_before_us, remind_every_us, reminded_at, asked, coalesce(held_by, 0)
  FROM approval
 WHERE approval_id = ANY ($1::uuid[])
 ORDER BY approval_id
   FOR UPDATE
