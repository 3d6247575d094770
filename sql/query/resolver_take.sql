-- Steps that have been taken, and for which stage, one row each.
UPDATE approval_step
   SET stage = row.stage
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS row (approval_id, n, stage)
 WHERE approval_step.approval_id = row.approval_id AND approval_step.n = row.n AND approval_step.stage IS NULL
