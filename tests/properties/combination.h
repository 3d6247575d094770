/* SPDX-License-Identifier: Apache-2.0 */
/*
 * combination.h - a copy of what policy_rules.c makes of the candidates' outcomes (rules 8 and 10 of policy_decide.c), which can be
 * broken on purpose. It shows that the properties would be found violated.
 */
#ifndef COUNTERSIGN_TESTS_COMBINATION_H
#define COUNTERSIGN_TESTS_COMBINATION_H

#include "common/policy/policy_deciding.h"

enum flaw {
	FLAW_NONE,
	FLAW_NOTHING_RAISES,	 /* step 2 of the combination is switched off: what errs is skipped */
	FLAW_ERRORS_MATCH,	 /* no step 2: a rule that restricts counts when it errs */
	FLAW_ALLOW_ERRORS_COUNT, /* a rule that allows counts when it errs */
	FLAW_ASKS_WHO_COUNTS,	 /* of those who raise nobody is asked */
	FLAW_FIRST_WINS,	 /* the first rule of the document decides */
	FLAW_COUNT
};

/* As policy_decide, which it asks for the candidates and what each came to; the limits are the product's. */
void combination_decide(const struct policy *policy, const struct policy_request *request, int64_t now,
			enum flaw flaw, struct arena *arena, struct policy_decision *decision);

/* Without flaw and limits, and with units and time without end for every condition of a rule, from a decision that was asked. */
enum policy_verdict combination_unhurried(const struct policy_decision *decision, int64_t now,
					  struct arena *arena);

/* What a decision that was asked is when everything after the index is done for all rules that plain matching finds. Without deadline. */
struct policy_decision combination_without_index(const struct policy_decision *indexed, int64_t now,
						 struct arena *arena);

/* Did any rule come to be asked? */
bool combination_was_asked(const struct policy_decision *decision);

/* Rule 10 for a decision whose verdict and profiles are known. */
/* A ttl to be compared: none is later than any. */
int64_t combination_end(int64_t ttl);
void combination_set_terms(struct policy_deciding *deciding);

/* Does it oblige to all that the other does? */
bool combination_keeps(struct arena *arena, const struct policy_decision *after,
		       const struct policy_decision *before);

/* All but the class that lends its name and the words of the reason. */
bool combination_is_same(const struct policy_decision *left, const struct policy_decision *right);
/* That in one line, so that a difference can be read. */
const char *combination_line(struct arena *arena, const struct policy_decision *decision);

#endif
