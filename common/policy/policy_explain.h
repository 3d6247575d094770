/* SPDX-License-Identifier: Apache-2.0 */
/* policy_explain.h - why a decision is what it is, for people and for the record. Pure. */
#ifndef COUNTERSIGN_POLICY_EXPLAIN_H
#define COUNTERSIGN_POLICY_EXPLAIN_H

#include "common/policy/policy.h"

/*
 * The explanation of a decision that policy_decide has made, its request and policy still there: a map in the arena, deterministic.
 * Members: decision, reason_code, reason, remediation, obligations, policy {id, version}, class {id, default, default_used}, because [{rule, decision, reason,
 * read}], considered [{rule, decision, result: "no"|"error", false|error, position, raised, read, mode}], index {rules, action,
 * agent_target}, limits, approvals, missing, ignored_fields, nearest_allow, cost {units}; those that say nothing are left out, but
 * for because, considered and errors. Values of inputs that were read are shown, cut at 64 characters; sensitive ones are
 * "(hidden)", absent ones "(absent)". Of a limit whose key holds a sensitive input the key is "(hidden)"; of one that sums a sensitive
 * input, what is used and the amount. Finding nearest_allow has units of its own and no clock; where they do not reach, or
 * those of the decision did not, it is left out. Of a decision by several documents policy and class are lists, and whatever is of one of
 * them has a member `policy`, its name.
 */
struct value *policy_explain(const struct policy_decision *decision, struct arena *arena);

#endif
