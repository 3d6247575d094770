/* SPDX-License-Identifier: Apache-2.0 */
/* policy_known.h - what the database knows that a policy is checked against: people, agents, the last requests. */
#ifndef COUNTERSIGN_POLICY_KNOWN_H
#define COUNTERSIGN_POLICY_KNOWN_H

#include "common/policy/policy_lint.h"
#include "services/countersign/cli.h"

#define POLICY_KNOWN_NAMES_MAX 20000 /* of a catalogue, of each kind */

/* Of the policy's tenants, the groups that it asks and the owners of all agents, as the transaction that is open sees them. Errors: those of
 * the store. */
bool policy_known_directory(struct cli *cli, const struct policy *policy, struct policy_directory *directory,
			    struct error *error) CS_MUST_CHECK;

/*
 * What its tenants asked for in the last 30 days, in a transaction of its own. Of a kind with more than POLICY_KNOWN_NAMES_MAX names
 * nothing is kept: nothing could be missed among them. Errors: those of the store.
 */
bool policy_known_catalogue(struct cli *cli, const struct policy *policy, struct policy_catalogue *catalogue,
			    struct error *error) CS_MUST_CHECK;

#endif
