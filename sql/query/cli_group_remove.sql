-- Removes members.
DELETE FROM group_member WHERE tenant = $1 AND group_name = $2 AND person = ANY ($3::text[]) RETURNING person
