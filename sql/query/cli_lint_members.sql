-- The members of these groups in these tenants ("*": in all).
SELECT tenant, group_name, person FROM group_member
WHERE ('*' = ANY ($1::text[]) OR tenant = ANY ($1)) AND group_name = ANY ($2::text[])
ORDER BY tenant COLLATE "C", group_name COLLATE "C", person COLLATE "C"
