-- What the approval needs and has.
SELECT q.group_name, q.profile, q.quorum::int8,
       (SELECT count(*) FROM response v WHERE v.approval_id = q.approval_id AND v.result = 'counted' AND v.verdict = 'approve' AND q.n = ANY (v.counted_for)),
       ARRAY(SELECT person FROM group_member m WHERE m.tenant = a.tenant AND m.group_name = q.group_name ORDER BY person LIMIT 20), q.policy_id,
       coalesce(s.stage, q.stage) - (SELECT min(f.stage) FROM approval_requirement f WHERE f.approval_id = q.approval_id AND f.demand = q.demand) + 1::int8,
       CASE WHEN q.fallback THEN 'fallback' WHEN q.of_step THEN s.how WHEN q.stage_all THEN 'all' ELSE 'any' END,
       CASE WHEN s.stage IS NULL AND q.of_step THEN 'from ' || to_char(s.at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' on'
            WHEN s.stage = 32 THEN 'not needed'
            WHEN EXISTS (SELECT FROM approval_step r WHERE r.approval_id = q.approval_id AND r.how = 'replace' AND r.stage = coalesce(s.stage, q.stage)
                          AND r.requirement <> q.n AND (s.at IS NULL OR (s.at, s.n) < (r.at, r.n))) THEN 'replaced'
            WHEN a.asked >> q.n & 1 = 1 THEN 'asked' ELSE 'later' END,
       q.ahead
FROM approval a JOIN approval_requirement q USING (approval_id) LEFT JOIN approval_step s ON s.approval_id = q.approval_id AND s.requirement = q.n
WHERE a.tenant = $1 AND a.request_id = $2 ORDER BY q.demand, coalesce(q.stage, s.stage, 32), q.n
