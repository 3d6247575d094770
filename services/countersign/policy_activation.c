/* SPDX-License-Identifier: Apache-2.0 */
/* policy_activation.c - a policy becomes the active one of its name, for all evaluators at once. */
#include "services/countersign/policy_activation.h"
#include "common/snapshot/snapshot.h"

#include <inttypes.h>
#include <string.h>

static bool
holds(const char *const *tenants, size_t count, const char *tenant)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(tenants[i], tenant) == 0)
			return true;
	return false;
}

/* Two of an organisation, or two of one tenant. */
static bool
overlaps(const struct policy *policy, const char *const *others, size_t other_count)
{
	size_t count;
	const char *const *tenants = policy_tenants(policy, &count);
	bool theirs = holds(others, other_count, "*");

	if (theirs || policy_is_organisation(policy))
		return theirs && policy_is_organisation(policy);
	for (size_t i = 0; i < count; i++)
		if (holds(others, other_count, tenants[i]))
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
			    "policy %s is active for the same: an organisation (tenants [\"*\"]) has one "
			    "policy, and so has each tenant",
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

int
policy_activate(struct cli *cli, const struct policy_review *review, const struct policy_file *file)
{
	const struct policy_document *document = &file->policy;
	struct error error = {0};
	int64_t generation = 0;
	bool unknown = false;
	struct store_param lock = store_int(SNAPSHOT_LOCK);

	if (!cli_store(cli, &error))
		return cli_fail(&error);
	if (!store_begin(cli->store, &error)
	    || !store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_LOCK, &lock, 1, &error)
	    || !check_version(cli, document->policy, &error) || !check_others(cli, document->policy, &error)
	    || !policy_review_people(cli, review, file, &error)
	    || !store_policy(cli, document, &generation, &error)
	    || !store_commit(cli->store, &unknown, &error)) {
		store_rollback(cli->store);
		if (unknown)
			cli_say("the answer to COMMIT was lost: `countersign policy list` tells whether it "
				"is active");
		return cli_fail(&error);
	}
	cli_say("policy %s version %" PRId64 " is active (generation %" PRId64 ", %s)",
		policy_name(document->policy), policy_version(document->policy), generation,
		document->digest_text);
	return CLI_OK;
}
