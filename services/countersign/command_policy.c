/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy.c - policies: checked, activated for all evaluators at once, shown. */
#include "common/snapshot/snapshot.h"
#include "services/countersign/policy_gate.h"
#include <inttypes.h>
#include <string.h>

int
command_policy_check(struct cli *cli)
{
	struct policy_file file;
	size_t count;
	int result = policy_file_read_honoured(cli, cli->arguments[0], &file);

	if (result != CLI_OK)
		return result;

	const struct policy_document document = file.policy;

	struct value *map = value_map(cli->arena), *groups = value_list(cli->arena);
	value_set_string(cli->arena, map, "policy", policy_name(document.policy));
	value_set(cli->arena, map, "version", value_int(cli->arena, policy_version(document.policy)));
	value_set_string(cli->arena, map, "digest", document.digest_text);
	const char *const *names = policy_groups(document.policy, &count);
	for (size_t i = 0; i < count; i++)
		value_append(cli->arena, groups, value_string(cli->arena, names[i]));
	value_set(cli->arena, map, "groups", groups);
	cli_print_map(cli, map);
	return CLI_OK;
}

/* "*" overlaps everything. */
static bool
overlaps(const struct policy *policy, const char *const *others, size_t other_count)
{
	size_t count;
	const char *const *tenants = policy_tenants(policy, &count);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < other_count; k++)
			if (!strcmp(tenants[i], "*") || !strcmp(others[k], "*")
			    || !strcmp(tenants[i], others[k]))
				return true;
	return false;
}

static bool
check_others(struct cli *cli, const struct policy *policy, struct error *error)
{
	struct store_param name = store_text(policy_name(policy));
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_ACTIVE, &name, 1, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++) {
		size_t count;
		const char *const *tenants = store_row_list(rows, i, 2, &count);
		if (overlaps(policy, tenants, count))
			return error_set(
			    error, ERROR_INVALID, "tenants_overlap",
			    "policy %s is active for one of the same tenants: a tenant has one policy",
			    store_row_text(rows, i, 0));
	}
	return rows != NULL;
}

static bool
check_version(struct cli *cli, const struct policy *policy, struct error *error)
{
	struct store_param name = store_text(policy_name(policy));
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_LATEST, &name, 1, error);

	if (rows && store_rows_count(rows) && store_row_int(rows, 0, 0) >= policy_version(policy))
		return error_set(error, ERROR_INVALID, "version_not_higher",
				 "version %" PRId64 " is not above %" PRId64
				 ", the active one: versions only rise",
				 policy_version(policy), store_row_int(rows, 0, 0));
	return rows != NULL;
}

static bool
store_policy(struct cli *cli, const struct policy_document *document, int64_t *generation, struct error *error)
{
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_RAISE, NULL, 0, error);
	size_t count;
	const char *const *tenants = policy_tenants(document->policy, &count);

	if (!rows)
		return false;
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_BROKEN, "schema",
				 "the policy generation is missing: run countersign migrate");
	*generation = store_row_int(rows, 0, 0);
	struct store_param params[] = {
	    store_text(policy_name(document->policy)), store_int(policy_version(document->policy)),
	    store_text(document->digest_text),	       store_text(document->canonical),
	    store_text_list(tenants, count),	       store_int(*generation)};
	return store_queue(cli->store, STATEMENT_CLI_POLICY_INSERT, params, 6, 1, error);
}

/* All in one transaction that excludes whoever decides: once it has committed, no older policy decides anything. */
int
command_policy_activate(struct cli *cli)
{
	struct error error = {0};
	struct policy_file file;
	int64_t generation = 0;
	bool unknown = false;
	struct store_param lock = store_int(SNAPSHOT_LOCK);
	int result = policy_file_read_honoured(cli, cli->arguments[0], &file);

	if (result == CLI_OK)
		result = policy_gate_invariants(cli, &file, false);
	if (result == CLI_OK)
		result = policy_gate_tests(cli, &file, cli->arguments[0]);
	if (result != CLI_OK)
		return result;

	const struct policy_document document = file.policy;

	if (!cli_store(cli, &error))
		return cli_fail(&error);
	if (!store_begin(cli->store, &error)
	    || !store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_LOCK, &lock, 1, &error)
	    || !check_version(cli, document.policy, &error) || !check_others(cli, document.policy, &error)
	    || !store_policy(cli, &document, &generation, &error)
	    || !store_commit(cli->store, &unknown, &error)) {
		store_rollback(cli->store);
		if (unknown)
			cli_say("the answer to COMMIT was lost: `countersign policy list` tells whether it "
				"is active");
		return cli_fail(&error);
	}
	cli_say("policy %s version %" PRId64 " is active (generation %" PRId64 ", %s)",
		policy_name(document.policy), policy_version(document.policy), generation,
		document.digest_text);
	return CLI_OK;
}

int
command_policy_list(struct cli *cli)
{
	static const char *const names[] = {"policy",	    "#version", "#generation",
					    "digest",	    "@tenants", "activated_at",
					    "activated_by", "state",	NULL};
	static const char *const columns[] = {"policy",	      "version", "state",
					      "generation",   "tenants", "activated_at",
					      "activated_by", "digest",	 NULL};
	struct error error = {0};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_POLICY_LIST, NULL, 0, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}

int
command_policy_show(struct cli *cli)
{
	struct error error = {0};
	struct store_param params[] = {store_text(cli->argument_count ? cli->arguments[0] : NULL)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_POLICY_SHOW, params, 1, &error);

	if (!rows)
		return cli_fail(&error);
	if (store_rows_count(rows) != 1) {
		cli_say(store_rows_count(rows) ? "several policies are active: name one"
					       : "no policy is active");
		return CLI_FAILED;
	}
	puts(store_row_text(rows, 0, 0));
	return CLI_OK;
}

/* All that can be said without a server: errors, and what becomes of the invariants. */
int
command_policy_lint(struct cli *cli)
{
	struct policy_file file;
	int result = policy_file_read(cli, cli->arguments[0], &file);

	return result == CLI_OK ? policy_gate_invariants(cli, &file, true) : result;
}
