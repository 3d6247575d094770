/* SPDX-License-Identifier: Apache-2.0 */
/* policy_review.h - the checks of policy_lint.h for the commands: what they are given, and how what they find is told. */
#ifndef COUNTERSIGN_POLICY_REVIEW_H
#define COUNTERSIGN_POLICY_REVIEW_H

#include "common/policy/policy_lint.h"
#include "services/countersign/policy_file.h"

struct policy_review {
	const char *raised[POLICY_LINT_CHECKS_MAX + 1];	 /* of --error */
	const char *lowered[POLICY_LINT_CHECKS_MAX + 1]; /* of --warn: E03 alone */
	bool all_tested; /* W13 is among those of --error: policy_gate_tests */
	bool prints;	 /* findings are what was asked for: with -o json they are data on stdout */
};

/* Reads the options. CLI_OK, or CLI_USAGE and it was said why. */
int policy_review_open(struct cli *cli, struct policy_review *review);

/*
 * Makes the checks and tells what they find, at most FINDINGS_MAX findings and how many more. CLI_OK when there is no error among them. What is
 * in the database is read where one is configured; where it can't be, that is told. POLICY_LINT_DIRECTORY is for policy_review_people.
 */
int policy_review(struct cli *cli, const struct policy_review *review, const struct policy_file *file,
		  enum policy_lint_part part);

/* Makes the checks of the directory, as the transaction that is open sees it. Errors: those of the store; ERROR_INVALID "people" when there
 * is an error among what they find, which was told. */
bool policy_review_people(struct cli *cli, const struct policy_review *review, const struct policy_file *file,
			  struct error *error) CS_MUST_CHECK;

#endif
