-- Lifts holds that stand.
UPDATE hold SET lifted_by = coalesce($2, session_user) WHERE hold_id = ANY ($1::bigint[]) AND lifted_at IS NULL RETURNING hold_id::text
