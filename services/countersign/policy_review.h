/* SPDX-License-Identifier: Apache-2.0 */
/* policy_review.h - the checks of policy_lint.h for the commands: what they are given, and how what they find is told. */
#ifndef COUNTERSIGN_POLICY_REVIEW_H
#define COUNTERSIGN_POLICY_REVIEW_H

#include "common/policy/policy_lint.h"
#include "services/countersign/policy_file.h"

struct policy_review {
	const char *raised[POLICY_LINT_CHECKS_MAX + 1]; /* of --error */
	bool prints; /* findings are what was asked for: with -o json they are data on stdout */
};

/* Reads the options. CLI_OK, or CLI_USAGE and it was said why. */
int policy_review_open(struct cli *cli, struct policy_review *review);

/* Makes the checks and tells what they find, at most FINDINGS_MAX findings and how many more. CLI_OK when there is no error among them. */
int policy_review(struct cli *cli, const struct policy_review *review, const struct policy_file *file);

#endif
