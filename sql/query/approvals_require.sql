-- What approvals need: so many members of a group, one row each.
INSERT INTO approval_requirement (approval_id, n, profile, group_name, quorum, policy_id)
SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[])
