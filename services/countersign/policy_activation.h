/* SPDX-License-Identifier: Apache-2.0 */
/* policy_activation.h - the one door through which a policy becomes the active one. */
#ifndef COUNTERSIGN_POLICY_ACTIVATION_H
#define COUNTERSIGN_POLICY_ACTIVATION_H

#include "services/countersign/policy_review.h"

/*
 * In one transaction that excludes whoever decides, so that once it has committed no older policy decides anything. The version must be above
 * all of its name that were active, the tenants those of no other active policy, and whom it asks must be there (policy_review_people). CLI_OK, or why not was said. What a policy must have
 * shown before (policy_gate.h) is the caller's matter.
 */
int policy_activate(struct cli *cli, const struct policy_review *review, const struct policy_file *file);

#endif
