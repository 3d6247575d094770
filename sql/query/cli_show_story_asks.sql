-- What its approval asks, as the story of a request counts it.
SELECT q.n::int8, q.demand::int8, q.stage::int8, q.stage_all::int::int8, q.of_step::int::int8, q.quorum::int8, q.distinct_persons::int::int8,
       q.group_name, q.profile, to_char(q.added_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM approval a JOIN approval_requirement q USING (approval_id) WHERE a.tenant = $1 AND a.request_id = $2 ORDER BY q.n
