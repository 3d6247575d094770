-- Members of one group, or of all when $2 is null.
SELECT group_name, person, to_char(added_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM group_member
WHERE tenant = $1 AND ($2::text IS NULL OR group_name = $2) ORDER BY group_name, person
