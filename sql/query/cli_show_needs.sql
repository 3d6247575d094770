-- What the approval needs and has.
SELECT q.group_name, q.profile, q.quorum::int8,
       (SELECT count(*) FROM response v WHERE v.approval_id = q.approval_id AND v.result = 'counted' AND v.verdict = 'approve' AND q.n = ANY (v.counted_for)),
       ARRAY(SELECT person FROM group_member m WHERE m.tenant = a.tenant AND m.group_name = q.group_name ORDER BY person LIMIT 20), q.policy_id
FROM approval a JOIN approval_requirement q USING (approval_id) WHERE a.tenant = $1 AND a.request_id = $2 ORDER BY q.n
