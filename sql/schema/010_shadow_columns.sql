-- SPDX-License-Identifier: Apache-2.0
-- What the columns of the views about shadows are: every column says so.

COMMENT ON COLUMN policy_in_shadow.generation IS 'Policy generation that it began.';
COMMENT ON COLUMN policy_in_shadow.policy_id IS 'Name of the policy.';
COMMENT ON COLUMN policy_in_shadow.version IS 'Its version.';
COMMENT ON COLUMN policy_in_shadow.digest IS 'sha-256 of the document in RFC 8785 form.';
COMMENT ON COLUMN policy_in_shadow.document IS 'The document in RFC 8785 form.';
COMMENT ON COLUMN policy_in_shadow.tenants IS 'Tenants it is for; {*} = all.';
COMMENT ON COLUMN policy_in_shadow.at IS 'When it went into the shadow.';
COMMENT ON COLUMN policy_in_shadow.by_role IS 'Database role that did it.';
COMMENT ON COLUMN shadow_difference.policy_id IS 'Policy in the shadow.';
COMMENT ON COLUMN shadow_difference.version IS 'Its version.';
COMMENT ON COLUMN shadow_difference.tenant IS 'Tenant of the requests.';
COMMENT ON COLUMN shadow_difference.verdict IS 'What was decided.';
COMMENT ON COLUMN shadow_difference.shadow_verdict IS 'What the shadow would have decided; error: nobody knows.';
COMMENT ON COLUMN shadow_difference.differs IS 'Another verdict, or other people.';
COMMENT ON COLUMN shadow_difference.decisions IS 'How often.';
COMMENT ON COLUMN shadow_difference.first_at IS 'When first.';
COMMENT ON COLUMN shadow_difference.last_at IS 'When last.';
