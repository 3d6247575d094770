-- SPDX-License-Identifier: Apache-2.0
-- Why a decision is what it is: every rule that was about the request and what it came to, what was read for it, who is asked, and what would have
-- been allowed.

ALTER TABLE decision ADD COLUMN explanation jsonb;
COMMENT ON COLUMN decision.explanation IS 'Every rule that was about the request, what it came to and what was read for it; null where nothing was evaluated.';
COMMENT ON COLUMN decision.reason_code IS 'rule, class_default, rule_error, limit_exceeded, missing_input, invalid_request, evaluation_timeout, no_policy, no_eligible_approver, too_many_rules, too_many_requirements.';
