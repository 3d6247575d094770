-- What was to happen in its approval when nobody answered, and whether it did: the number of the stage it was for, null while its time
-- has not come, 0 when nothing was open any more.
SELECT s.group_name, s.how, q.quorum::int8, to_char(s.at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       CASE WHEN s.stage = 32 THEN 0
            ELSE s.stage - (SELECT min(f.stage) FROM approval_requirement f WHERE f.approval_id = s.approval_id AND f.demand = s.demand) + 1 END::int8
FROM approval a JOIN approval_step s USING (approval_id) LEFT JOIN approval_requirement q ON q.approval_id = s.approval_id AND q.n = s.requirement
WHERE a.tenant = $1 AND a.request_id = $2 ORDER BY s.at, s.n
