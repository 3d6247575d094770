/* SPDX-License-Identifier: Apache-2.0 */
/* asking.h - from what a policy demands to an approval, to its rows and to what is told of it: for whoever opens approvals or adds to them. */
#ifndef COUNTERSIGN_ASKING_H
#define COUNTERSIGN_ASKING_H

#include "common/approval/approval.h"
#include "common/message/notice.h"
#include "common/policy/policy.h"
#include "common/sheet/sheet.h"

/* The names behind the numbers of an approval. */
struct asking {
	const char *profiles[APPROVAL_DEMANDS_MAX];
	const char *overrides[APPROVAL_DEMANDS_MAX]; /* the group that may go past it; NULL: nobody */
	const char *policies[APPROVAL_DEMANDS_MAX];  /* NULL: there is one policy only */
	bool fallback[APPROVAL_DEMANDS_MAX]; /* it stands in for the profile, which nobody could answer */
	int64_t since[APPROVAL_DEMANDS_MAX]; /* from when on the times of its steps count: since it is demanded */
	const char *groups[APPROVAL_ASKS_MAX];
	int64_t ahead[APPROVAL_ASKS_MAX]; /* so many open approvals asked the group before; -1: that was not counted */
	const char *step_groups[APPROVAL_STEPS_MAX];
	unsigned step_rows[APPROVAL_STEPS_MAX]; /* the number of a step's row; steps are in the order of their times */
};

/*
 * One more demand, its asks and its steps, whose times count from `since`, behind those that the approval has. False: it does not fit, and
 * nothing has changed.
 */
bool asking_add(struct approval *approval, struct asking *asking, const struct policy_requirement *wanted,
		int64_t since) CS_MUST_CHECK;

/* Does a demand of the approval demand just this, whatever has become of it? */
bool asking_has(const struct approval *approval, const struct asking *asking,
		const struct policy_requirement *wanted);

/* Sheets of STATEMENT_APPROVALS_REQUIRE and STATEMENT_APPROVALS_STEPS. */
struct asking_sheets {
	struct sheet asks, steps;
};
struct asking_sheets asking_sheets_open(struct arena *arena);
/* The rows of the demands from `demand` on. */
void asking_rows(struct asking_sheets *sheets, const char *approval_id, const struct approval *approval,
		 const struct asking *asking, unsigned demand);
bool asking_sheets_send(const struct asking_sheets *sheets, struct store *store,
			struct error *error) CS_MUST_CHECK;

/* What is asked now and what has been, with votes. */
const struct notice_need *asking_needs(struct arena *arena, const struct approval *approval,
				       const struct asking *asking, size_t *count);

#endif
