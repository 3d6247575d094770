/* SPDX-License-Identifier: Apache-2.0 */
/* policy_suite.h - the tests that lie beside a policy: what is asked, and what must come of it. */
#ifndef COUNTERSIGN_POLICY_SUITE_H
#define COUNTERSIGN_POLICY_SUITE_H

#include "common/document/document.h"
#include "common/policy/policy.h"

#define POLICY_CASES_MAX 10000

struct policy_case {
	const char *name;
	struct policy_request request; /* its usage is that of the case */
	int64_t now;		       /* microseconds since 1970 UTC */
	const struct value *usage;     /* a map, limit id to amount; or NULL */
	const struct value *expect;    /* a map that holds nothing but what is known */
	struct stretch at;	       /* where the case stands */
};

struct policy_suite {
	const char *policy;
	struct policy_case *cases;
	size_t count;
};

/*
 * Reads a suite of format "policy-test/v1" (the manual page countersign-policy-test(5)): fixtures are requests; a case takes one, changed by its
 * `patch`, a JSON merge patch (RFC 7396). Everything lives in the arena. False with findings: unknown keys, missing ones, wrong
 * types, an unknown fixture, no case at all.
 */
bool policy_suite_read(struct arena *arena, const struct document *document, struct policy_suite *suite,
		       struct findings *findings) CS_MUST_CHECK;

/* RFC 7396: `target` changed by `patch`; neither is changed itself. */
struct value *policy_suite_merge(struct arena *arena, const struct value *target, const struct value *patch);

/* Decides a case, by another document as well: of the other kind, or NULL. */
void policy_suite_decide(const struct policy *policy, const struct policy *beside,
			 const struct policy_case *one, struct arena *arena, struct policy_decision *decision);

/* What of `expect` did not come, a line each ("decision: expected BLOCK, got ALLOW"); the number of lines. */
size_t policy_suite_differences(const struct policy_case *one, const struct policy_decision *decision,
				struct arena *arena, const char **lines, size_t room);

#endif
