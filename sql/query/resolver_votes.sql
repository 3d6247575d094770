-- The votes of locked approvals.
SELECT approval_id, responder, verdict, reason, received_at, counted_for
  FROM response
 WHERE approval_id = ANY ($1::uuid[]) AND result = 'counted'
 ORDER BY approval_id, received_at, kid, response_id
