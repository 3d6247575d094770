-- SPDX-License-Identifier: Apache-2.0
-- What the agent could do instead, in the policy's words: of decisions that do not simply allow.

ALTER TABLE decision ADD COLUMN remediation text;
COMMENT ON COLUMN decision.remediation IS 'What the agent could do instead, one line; null where the deciding rules say nothing of it.';
