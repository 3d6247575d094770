/* SPDX-License-Identifier: Apache-2.0 */
/* policy_gate.h - what a policy must have shown before it may decide: its invariants hold, its tests pass. */
#ifndef COUNTERSIGN_POLICY_GATE_H
#define COUNTERSIGN_POLICY_GATE_H

#include "services/countersign/policy_file.h"

/*
 * Tries every invariant and says which does not hold, with a request that shows it (E07). With `report` each that holds is told too, and
 * in how many requests. CLI_OK when all hold.
 */
int policy_gate_invariants(struct cli *cli, const struct policy_file *file, bool report);

/*
 * Runs the tests beside the policy and says which fail (E08), and which rules are decisive in none of them (W13); that there are no tests is
 * said too, and is W13 as well. CLI_OK when none fails and, with `all_tested`, nothing is untested.
 */
int policy_gate_tests(struct cli *cli, const struct policy_file *file, const char *path, bool all_tested);

#endif
