-- SPDX-License-Identifier: Apache-2.0
-- Several policies decide together: which they were, and of which each requirement is.

ALTER TABLE decision ADD COLUMN layers jsonb;
COMMENT ON COLUMN decision.layers IS 'Where several policies decided together: id, version and digest of each, the organisation''s first; null where one did.';
COMMENT ON COLUMN decision.policy_id IS 'Policy that decided, of several the tenant''s own; null when there was none.';

ALTER TABLE approval_requirement ADD COLUMN policy_id text;
COMMENT ON COLUMN approval_requirement.policy_id IS 'Policy whose profile it is, where several decided together; else null.';
