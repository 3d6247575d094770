-- What locked approvals need.
SELECT approval_id, n, profile, group_name, quorum, policy_id, demand, stage, stage_all, of_step, deny_quorum, distinct_persons,
       require_reason, added_at, fallback, override_group
  FROM approval_requirement
 WHERE approval_id = ANY ($1::uuid[])
 ORDER BY approval_id, n
