-- Adds members; those who are in already stay.
INSERT INTO group_member (tenant, group_name, person, added_at)
SELECT $1, $2, p, clock_timestamp() FROM unnest($3::text[]) AS p ON CONFLICT DO NOTHING RETURNING person
