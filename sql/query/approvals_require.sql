-- What approvals need: so many members of a group, one row each.
INSERT INTO approval_requirement (approval_id, n, profile, group_name, quorum, policy_id, demand, stage, stage_all, of_step,
                                  deny_quorum, distinct_persons, require_reason, added_at, ahead, fallback,
                                  override_group)
SELECT approval_id, n, profile, group_name, quorum, policy_id, demand, nullif(stage, -1), stage_all = 1, of_step = 1,
       deny_quorum, distinct_persons = 1, require_reason = 1,
       timestamptz 'epoch' + nullif(added_at, 0) * interval '1 microsecond', nullif(ahead, -1), fallback = 1, override_group
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[],
              $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
              $17::text[])
       AS row (approval_id, n, profile, group_name, quorum, policy_id, demand, stage, stage_all, of_step, deny_quorum,
               distinct_persons, require_reason, added_at, ahead, fallback, override_group)
