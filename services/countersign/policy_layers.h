/* SPDX-License-Identifier: Apache-2.0 */
/* policy_layers.h - which documents decide together, for the commands that decide as the evaluator would. */
#ifndef COUNTERSIGN_POLICY_LAYERS_H
#define COUNTERSIGN_POLICY_LAYERS_H

#include "services/countersign/policy_file.h"

/* The organisation's before the tenant's. */
struct policy_layers {
	const struct policy *items[POLICY_LAYERS_MAX];
	size_t count;
};

/* Adds one at its place, instead of one of the same name. ERROR_INVALID "tenants_overlap" where there is another of its kind. */
bool policy_layers_add(struct policy_layers *layers, const struct policy *policy,
		       struct error *error) CS_MUST_CHECK;

/* The document and those of --with, which need not be given. CLI_OK, or what is wrong was said. */
int policy_layers_read(struct cli *cli, const struct policy *policy, struct policy_layers *layers);

/* All that are active, loaded once. */
struct policy_actives {
	const struct policy **items;
	size_t count;
};
bool policy_actives_load(struct cli *cli, struct policy_actives *actives, struct error *error) CS_MUST_CHECK;
/* As policy_actives_load, in the transaction that is open. */
bool policy_actives_query(struct cli *cli, struct policy_actives *actives, struct error *error) CS_MUST_CHECK;
/* Do the values that it gives for params of others, and those that others give for its own, fit, and the inputs that both declare?
 * ERROR_INVALID names the param or the input. */
bool policy_actives_fit(struct cli *cli, const struct policy_actives *actives, const struct policy *policy,
			struct error *error) CS_MUST_CHECK;
/* Would it take away what an organisation's policy of its name decides for tenants that have one of their own? ERROR_INVALID "kind_changed". */
bool policy_actives_keep(const struct policy_actives *actives, const struct policy *policy,
			 struct error *error) CS_MUST_CHECK;
/* Those that decide for a tenant; with `instead` (NULL: none) in the place of the one of its name, or of its kind. */
bool policy_actives_of(const struct policy_actives *actives, const char *tenant, const struct policy *instead,
		       struct policy_layers *layers, struct error *error) CS_MUST_CHECK;

#endif
