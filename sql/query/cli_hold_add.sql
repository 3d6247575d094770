-- A new hold; who decides is waited for.
INSERT INTO hold (class_id, target, agent, tenant, refuses, reason, until, added_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, session_user))
RETURNING hold_id::text
