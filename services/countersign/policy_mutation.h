/* SPDX-License-Identifier: Apache-2.0 */
/* policy_mutation.h - which small mistakes in a policy its tests do not see. */
#ifndef COUNTERSIGN_POLICY_MUTATION_H
#define COUNTERSIGN_POLICY_MUTATION_H

#include "services/countersign/policy_file.h"

/*
 * Runs all tests, which must pass, against every mutant of the policy, and prints as TAP comments how many mutants some test sees, and each that
 * none does: its rule and change, and either a request that is decided otherwise, so that a test of it would see the mutant, or why it
 * does no harm (policy_difference.h). A mutant that is no good policy is counted apart.
 */
void policy_mutation_report(struct cli *cli, const struct policy_file *file, const struct policy_suite *suite);

#endif
