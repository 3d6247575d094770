-- What happens in locked approvals when nobody answers, in the order in which it does.
SELECT approval_id, n, demand, requirement, how, group_name, at, stage
  FROM approval_step
 WHERE approval_id = ANY ($1::uuid[])
 ORDER BY approval_id, at, n
