-- What locked approvals need.
SELECT approval_id, n, profile, group_name, quorum, policy_id
  FROM approval_requirement
 WHERE approval_id = ANY ($1::uuid[])
 ORDER BY approval_id, n
