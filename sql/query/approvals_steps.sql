-- What is to happen in approvals when nobody answers, one row each.
INSERT INTO approval_step (approval_id, n, demand, requirement, how, group_name, at)
SELECT approval_id, n, demand, nullif(requirement, -1), how, group_name, timestamptz 'epoch' + at * interval '1 microsecond'
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[])
       AS row (approval_id, n, demand, requirement, how, group_name, at)
