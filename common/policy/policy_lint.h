/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint.h - what is doubtful about a policy that loads: contradictions, rules that never speak, doors that are open by accident. Pure. */
#ifndef COUNTERSIGN_POLICY_LINT_H
#define COUNTERSIGN_POLICY_LINT_H

#include "common/policy/policy.h"

/* A check that policy_lint makes: the manual page countersign-policy(5) has one line for each. */
struct policy_lint_check {
	const char *code; /* "E06" refuses the policy, "W01" warns */
	const char *text;
};
extern const struct policy_lint_check policy_lint_checks[]; /* in the order of their codes, ended by code NULL */

#define POLICY_LINT_CHECKS_MAX 32
#define POLICY_LINT_NOTES_MAX 16

/* Who may approve, and who answers for how many agents. Borrowed; sorted by tenant and group, by tenant. */
struct policy_directory_member {
	const char *tenant, *group, *person;
};
struct policy_directory_owner {
	const char *tenant, *owner;
	int64_t agents;
	const char *example; /* one of them */
};
struct policy_directory {
	const struct policy_directory_member *members; /* of the groups that the policy names at least */
	size_t member_count;
	const struct policy_directory_owner *owners;
	size_t owner_count;
};

/* What was asked for lately, each name once, sorted. Borrowed. */
struct policy_catalogue {
	const char *const *actions, *const *agents, *const *targets;
	size_t action_count, agent_count, target_count;
};

/* Which checks: all; all but those of the directory, which are made later, and W03 only with a catalogue; or those of the directory alone. */
enum policy_lint_part { POLICY_LINT_ALL, POLICY_LINT_DOCUMENT, POLICY_LINT_DIRECTORY };

/* All borrowed. */
struct policy_lint_ask {
	enum policy_lint_part part;
	const struct policy *policy; /* of this document */
	const struct value *document;
	const struct spot *spot; /* of the document, as it was given when the policy was loaded; NULL: findings have no places */
	int64_t now;			    /* microseconds since 1970 UTC */
	const struct policy *const *others; /* active ones that may decide with it; none: E11 is not made */
	size_t other_count;
	const struct policy_directory *directory; /* NULL: E03 and W11 are not made, and a note says so */
	const struct policy_catalogue *catalogue; /* NULL, or without an action: W03 is not made, and a note says so */
	const char *const *raised; /* codes of warnings that are errors here, ended by NULL; NULL: none */
	const char *const *lowered; /* codes of errors that are warnings here, likewise; only E03, which is about the directory */
};

struct policy_lint {
	/* At most FINDINGS_MAX of each, in the order of the document; of more W05, W09 and W14 give way first. */
	struct findings errors, warnings;
	size_t error_count, warning_count;     /* of all */
	size_t counts[POLICY_LINT_CHECKS_MAX]; /* of all, by check */
	/* What was not checked, or not to the end, in one line each: "W03: …". */
	const char *notes[POLICY_LINT_NOTES_MAX];
	size_t note_count;
};

/*
 * Makes every check of policy_lint_checks. Says nothing that is not so: what can't be told within its limits (comparisons between rules,
 * requests tried, all of them fixed numbers) is a note. The time is bounded: seconds for the largest document. Everything lives in the arena.
 */
struct policy_lint policy_lint(const struct policy_lint_ask *ask, struct arena *arena);

/* The check of this code, or NULL. */
const struct policy_lint_check *policy_lint_find_check(const char *code);

#endif
