-- SPDX-License-Identifier: Apache-2.0
-- A reason more: what a tenant's policy gives for a param of the organisation's does not fit.

COMMENT ON COLUMN decision.reason_code IS 'rule, class_default, rule_error, limit_exceeded, missing_input, invalid_request, evaluation_timeout, no_policy, no_eligible_approver, too_many_rules, too_many_requirements, bad_param.';
