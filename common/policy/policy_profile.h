/* SPDX-License-Identifier: Apache-2.0 */
/* policy_profile.h - what one approval profile demands, for those who ask people (countersign-policy(5), APPROVALS). */
#ifndef COUNTERSIGN_POLICY_PROFILE_H
#define COUNTERSIGN_POLICY_PROFILE_H

#include "common/value/value.h"

#define POLICY_STAGES_MAX 8 /* of one profile */
#define POLICY_ASKS_MAX 32  /* of one profile, those of its steps included */
#define POLICY_STEPS_MAX 16 /* of one profile */
#define POLICY_WAYS_MAX                                                                                      \
	4096 /* of one that is distinct: the product over its stages of their alternatives, those of steps included */

struct policy_expression;

/* One question to people. */
struct policy_ask {
	const char *group;
	int64_t quorum;
	const struct policy_expression *filter; /* or NULL */
};

struct policy_stage {
	struct policy_ask *asks; /* at least one */
	size_t ask_count;
	bool all; /* all of them must be met, not any */
};

enum policy_escalation { POLICY_ESCALATE_ADD, POLICY_ESCALATE_NOTIFY, POLICY_ESCALATE_REPLACE };

struct policy_step {
	int64_t after; /* microseconds since the opening */
	struct policy_ask to;
	enum policy_escalation how;
};

enum policy_excluded { /* bits */
		       POLICY_EXCLUDE_REQUESTER = 1,
		       POLICY_EXCLUDE_AGENT_OWNER = 2,
		       POLICY_EXCLUDE_LAST_APPROVER = 4,
		       POLICY_EXCLUDE_ON_BEHALF_OF = 8
};

struct policy_profile {
	const char *name;
	struct policy_stage *stages; /* in order, at least one */
	size_t stage_count;
	bool distinct; /* one person counts for one ask */
	bool require_reason;
	const char *override; /* the group whose members may let a request through alone; or NULL */
	unsigned exclude; /* enum policy_excluded, as written: these never answer, whether it is written or not */
	int64_t deny_quorum;
	int64_t ttl; /* microseconds as all of these; 0: none */
	int64_t hold_for, valid_for, uses;
	int64_t extend_to;		     /* since the opening; 0: its deadline is never extended */
	int64_t remind_before, remind_every; /* 0: no reminder of that kind */
	struct policy_step *steps;	     /* by time */
	size_t step_count;
};

/* Do both demand the same of the same people? Their names and times do not matter, but those of steps. */
bool policy_profile_equal(const struct policy_profile *left, const struct policy_profile *right);

#endif
