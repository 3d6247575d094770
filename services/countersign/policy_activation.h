/* SPDX-License-Identifier: Apache-2.0 */
/* policy_activation.h - the one door through which a policy becomes the active one, or goes into the shadow. */
#ifndef COUNTERSIGN_POLICY_ACTIVATION_H
#define COUNTERSIGN_POLICY_ACTIVATION_H

#include "services/countersign/policy_review.h"

/*
 * In one transaction that excludes whoever decides, so that once it has committed no older policy decides anything. The version must be above
 * all of its name that were active; of an organisation and of each tenant there is one; and whom it asks must be there
 * (policy_review_people). CLI_OK, or why not was said. What a policy must have shown before (policy_gate.h) is the caller's matter.
 */
int policy_activate(struct cli *cli, const struct policy_review *review, const struct policy_file *file);
/* Into the shadow, in the place of the one of its name that is there. Ended by activating it, or by its name. */
int policy_shadow(struct cli *cli, const struct policy_document *document);
int policy_shadow_end(struct cli *cli, const char *name);

#endif
