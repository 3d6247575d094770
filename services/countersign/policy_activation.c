/* SPDX-License-Identifier: Apache-2.0 */
/* policy_activation.c - a policy becomes the active one of its name, for all evaluators at once. */
#include "services/countersign/policy_activation.h"
#include "common/snapshot/snapshot.h"
#include "services/countersign/policy_layers.h"

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

/* What is to be done behind the lock. */
struct change {
	const struct policy_document *document; /* NULL: the shadow of this name ends */
	const char *name;
	bool is_shadow;
	int64_t generation; /* that it begins */
	/* of an activation */
	const struct policy_review *review;
	const struct policy_file *file;
};

static bool
raise_generation(struct cli *cli, struct change *change, struct error *error)
{
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_RAISE, NULL, 0, error);

	if (!rows)
		return false;
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_BROKEN, "schema",
				 "the policy generation is missing: run countersign migrate");
	change->generation = store_row_int(rows, 0, 0);
	return true;
}

static bool
store_policy(struct cli *cli, const struct change *change, struct error *error)
{
	const struct policy_document *document = change->document;
	struct store_param shadow[] = {store_int(change->generation),
				       store_text(change->name),
				       store_text(NULL),
				       store_text(NULL),
				       store_text(NULL),
				       store_text(NULL)};
	size_t count;

	if (!document)
		return store_queue(cli->store, STATEMENT_CLI_POLICY_SHADOW, shadow, 6, 1, error);

	const char *const *tenants = policy_tenants(document->policy, &count);
	struct store_param params[] = {
	    store_text(change->name),	       store_int(policy_version(document->policy)),
	    store_text(document->digest_text), store_text(document->canonical),
	    store_text_list(tenants, count),   store_int(change->generation)};

	for (size_t i = 1; i < 5; i++)
		shadow[i + 1] = params[i];
	return change->is_shadow ? store_queue(cli->store, STATEMENT_CLI_POLICY_SHADOW, shadow, 6, 1, error)
				 : store_queue(cli->store, STATEMENT_CLI_POLICY_INSERT, params, 6, 1, error);
}

static bool
check_beside(struct cli *cli, const struct policy *policy, struct error *error)
{
	struct policy_actives actives;

	return policy_actives_query(cli, &actives, error) && policy_actives_keep(&actives, policy, error)
	       && policy_actives_fit(cli, &actives, policy, error);
}

/* As many as are looked at with each decision; and the one to be ended is there. */
static bool
check_shadows(struct cli *cli, const struct change *change, struct error *error)
{
	struct store_rows *rows;
	size_t others = 0;
	bool found = false;

	rows = store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_SHADOWS, NULL, 0, error);
	for (size_t i = 0; rows && i < store_rows_count(rows); i++) {
		bool it = strcmp(store_row_text(rows, i, 0), change->name) == 0;

		found = found || it;
		others += !it;
	}
	if (rows && !change->document && !found)
		return error_set(error, ERROR_INVALID, "unknown_policy", "no policy %s is in the shadow",
				 change->name);
	if (rows && change->document && others >= SNAPSHOT_SHADOWS_MAX)
		return error_set(error, ERROR_INVALID, "too_many_shadows",
				 "%d policies are in the shadow already: end one", SNAPSHOT_SHADOWS_MAX);
	return rows != NULL;
}

static bool
check(struct cli *cli, const struct change *change, struct error *error)
{
	const struct policy *policy = change->document ? change->document->policy : NULL;

	if (change->is_shadow)
		return (!policy || (check_version(cli, policy, error) && check_beside(cli, policy, error)))
		       && check_shadows(cli, change, error);
	return check_version(cli, policy, error) && check_others(cli, policy, error)
	       && check_beside(cli, policy, error)
	       && policy_review_people(cli, change->review, change->file, error);
}

/* In one transaction that excludes whoever decides. */
static bool
commit(struct cli *cli, struct change *change, struct error *error)
{
	struct store_param lock = store_int(SNAPSHOT_LOCK);
	bool unknown = false;

	if (!cli_store(cli, error))
		return false;
	if (store_begin(cli->store, error)
	    && store_query(cli->store, cli->arena, STATEMENT_CLI_POLICY_LOCK, &lock, 1, error)
	    && check(cli, change, error) && raise_generation(cli, change, error)
	    && store_policy(cli, change, error) && store_commit(cli->store, &unknown, error))
		return true;
	store_rollback(cli->store);
	if (unknown)
		cli_say("the answer to COMMIT was lost: `countersign policy list` tells what became of it");
	return false;
}

static int
make(struct cli *cli, struct change change, const char *what)
{
	const struct policy_document *document = change.document;
	struct error error = {0};

	if (!commit(cli, &change, &error))
		return cli_fail(&error);
	if (document)
		cli_say("policy %s version %" PRId64 " is %s (generation %" PRId64 ", %s)", change.name,
			policy_version(document->policy), what, change.generation, document->digest_text);
	else
		cli_say("policy %s is %s (generation %" PRId64 ")", change.name, what, change.generation);
	return CLI_OK;
}

int
policy_activate(struct cli *cli, const struct policy_review *review, const struct policy_file *file)
{
	const struct policy_document *document = &file->policy;

	return make(
	    cli,
	    (struct change){
		.document = document, .name = policy_name(document->policy), .review = review, .file = file},
	    "active");
}

int
policy_shadow(struct cli *cli, const struct policy_document *document)
{
	return make(
	    cli,
	    (struct change){.document = document, .name = policy_name(document->policy), .is_shadow = true},
	    "in the shadow");
}

int
policy_shadow_end(struct cli *cli, const char *name)
{
	return make(cli, (struct change){.name = name, .is_shadow = true}, "in the shadow no more");
}
