-- What time did to it, in the order in which it did.
SELECT s.n::int8, s.demand::int8, s.requirement::int8, s.how, s.group_name, s.stage::int8, to_char(s.at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM approval a JOIN approval_step s USING (approval_id) WHERE a.tenant = $1 AND a.request_id = $2 AND s.stage IS NOT NULL ORDER BY s.at, s.n
