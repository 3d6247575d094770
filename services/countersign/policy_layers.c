/* SPDX-License-Identifier: Apache-2.0 */
/* policy_layers.c - documents that decide together, from files and from the database. */
#include "services/countersign/policy_layers.h"

#include <string.h>

bool
policy_layers_add(struct policy_layers *layers, const struct policy *policy, struct error *error)
{
	bool is_first = policy_is_organisation(policy);
	struct policy_layers others = {0};

	for (size_t i = 0; i < layers->count; i++)
		if (strcmp(policy_name(layers->items[i]), policy_name(policy)) != 0)
			others.items[others.count++] = layers->items[i];
	for (size_t i = 0; i < others.count; i++)
		if (policy_is_organisation(others.items[i]) == is_first)
			return error_set(error, ERROR_INVALID, "tenants_overlap",
					 "%s and %s are both of %s: they never decide together",
					 policy_name(others.items[i]), policy_name(policy),
					 is_first ? "an organisation" : "a tenant");
	*layers = (struct policy_layers){0};
	if (is_first)
		layers->items[layers->count++] = policy;
	if (others.count) /* one, of the other kind */
		layers->items[layers->count++] = others.items[0];
	if (!is_first)
		layers->items[layers->count++] = policy;
	return true;
}

int
policy_layers_read(struct cli *cli, const struct policy *policy, struct policy_layers *layers)
{
	const char *path = cli_option(cli, "with");
	struct error error = {0};
	struct policy_file other;

	*layers = (struct policy_layers){0};
	if (!policy_layers_add(layers, policy, &error))
		return cli_fail(&error);
	if (!path)
		return CLI_OK;

	int result = policy_file_read(cli, path, &other);

	if (result != CLI_OK)
		return result;
	if (strcmp(policy_name(other.policy.policy), policy_name(policy)) == 0) {
		cli_say("--with %s: is the same policy", path);
		return CLI_FAILED;
	}
	return policy_layers_add(layers, other.policy.policy, &error) ? CLI_OK : cli_fail(&error);
}

static bool
take_rows(struct cli *cli, const struct store_rows *rows, struct policy_actives *actives, struct error *error)
{
	if (!rows)
		return false;
	actives->count = store_rows_count(rows);
	actives->items = arena_take_array(cli->arena, actives->count, sizeof *actives->items);
	for (size_t row = 0; row < actives->count; row++) {
		const char *text = store_row_text(rows, row, 1);
		struct policy_document document;

		if (!policy_document_parse(cli->arena, text, strlen(text), &document, error))
			return error_wrap(error, "policy %s", store_row_text(rows, row, 0));
		actives->items[row] = document.policy;
	}
	return true;
}

bool
policy_actives_load(struct cli *cli, struct policy_actives *actives, struct error *error)
{
	return take_rows(cli, cli_read(cli, STATEMENT_CLI_POLICY_DOCUMENTS, NULL, 0, error), actives, error);
}

bool
policy_actives_query(struct cli *cli, struct policy_actives *actives, struct error *error)
{
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_DOCUMENTS, NULL, 0, error);

	return take_rows(cli, rows, actives, error);
}

static bool
is_active(const struct policy_actives *actives, const char *name)
{
	for (size_t i = 0; i < actives->count; i++)
		if (policy_is_organisation(actives->items[i])
		    && strcmp(policy_name(actives->items[i]), name) == 0)
			return true;
	return false;
}

bool
policy_actives_fit(struct cli *cli, const struct policy_actives *actives, const struct policy *policy,
		   struct error *error)
{
	const char *of;

	for (size_t i = 0; (of = policy_params_of(policy, i)) != NULL; i++)
		if (!is_active(actives, of))
			return error_set_field(error, ERROR_INVALID, "unknown_policy", "params",
					       "no organisation's policy %s is active", of);
	for (size_t i = 0; i < actives->count; i++) {
		const struct policy *other = actives->items[i];

		if (strcmp(policy_name(other), policy_name(policy)) == 0)
			continue;
		if (!policy_params_fit(policy, other, cli->arena, error))
			return false;
		if (policy_is_organisation(policy) != policy_is_organisation(other)
		    && !policy_inputs_fit(policy, other, cli->arena, error))
			return false;
		if (!policy_params_fit(other, policy, cli->arena, error))
			return error_wrap(error, "policy %s gives a value for it", policy_name(other));
	}
	return true;
}

bool
policy_actives_keep(const struct policy_actives *actives, const struct policy *policy, struct error *error)
{
	const struct policy *tenants = NULL;
	bool was_organisation = false;

	for (size_t i = 0; i < actives->count; i++) {
		if (strcmp(policy_name(actives->items[i]), policy_name(policy)) == 0)
			was_organisation = policy_is_organisation(actives->items[i]);
		else
			tenants = actives->items[i];
	}
	if (!was_organisation || policy_is_organisation(policy) || !tenants)
		return true;
	return error_set(
	    error, ERROR_INVALID, "kind_changed",
	    "policy %s is the organisation's: for some tenants alone it would no longer bind what "
	    "policy %s allows",
	    policy_name(policy), policy_name(tenants));
}

/* By one of its name, or of its kind for this tenant. */
static bool
is_replaced(const struct policy *active, const char *tenant, const struct policy *instead)
{
	return instead
	       && (strcmp(policy_name(active), policy_name(instead)) == 0
		   || (policy_covers(instead, tenant)
		       && policy_is_organisation(active) == policy_is_organisation(instead)));
}

bool
policy_actives_of(const struct policy_actives *actives, const char *tenant, const struct policy *instead,
		  struct policy_layers *layers, struct error *error)
{
	*layers = (struct policy_layers){0};
	for (size_t i = 0; i < actives->count; i++)
		if (policy_covers(actives->items[i], tenant) && !is_replaced(actives->items[i], tenant, instead)
		    && !policy_layers_add(layers, actives->items[i], error))
			return false;
	return !instead || !policy_covers(instead, tenant) || policy_layers_add(layers, instead, error);
}
