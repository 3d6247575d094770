-- SPDX-License-Identifier: Apache-2.0
-- How many approvals were open for a group when it was asked one more: whoever asks is told, and may wait or ask for less.

ALTER TABLE approval_requirement ADD COLUMN ahead bigint CHECK (ahead >= 0);
COMMENT ON COLUMN approval_requirement.ahead IS 'So many open approvals asked the group when this one was opened; null: it is asked by a step or a later decision, or since before this was counted.';
