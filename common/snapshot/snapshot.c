/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c - loading the active policies and choosing among them. What is unclear covers nobody, which is BLOCK. */
#include "common/snapshot/snapshot.h"

#include "common/message/policy_document.h"
#include "common/snapshot/snapshot_private.h"

#include <stdlib.h>
#include <string.h>

#define NO_GENERATION (-1)

struct snapshot *
snapshot_open(const struct log *log, struct monitor *monitor)
{
	struct snapshot *snapshot = memory_take(sizeof *snapshot);

	snapshot->log = log;
	snapshot->monitor = monitor;
	snapshot->arena = arena_open();
	snapshot->generation = NO_GENERATION;
	monitor_gauge(monitor, "policy_generation", "Generation of the policies that decide.", "");
	monitor_gauge(monitor, "policies_unusable", "Active policies that do not load or overlap another.", "");
	return snapshot;
}

void
snapshot_close(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	arena_close(snapshot->arena);
	free(snapshot);
}

int64_t
snapshot_generation(const struct snapshot *snapshot)
{
	return snapshot->generation == NO_GENERATION ? 0 : snapshot->generation;
}

bool
snapshot_has_limits(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++)
		if (snapshot->policies[i].policy && policy_has_limits(snapshot->policies[i].policy))
			return true;
	return false;
}

static bool
names_tenant(const struct snapshot_policy *policy, const char *tenant)
{
	for (size_t i = 0; i < policy->tenant_count; i++)
		if (strcmp(policy->tenants[i], "*") == 0 || strcmp(policy->tenants[i], tenant) == 0)
			return true;
	return false;
}

/* By the row's tenants and by the document's: a document that says more than its row is no reason to cover more. */
static bool
covers(const struct snapshot_policy *policy, const char *tenant)
{
	return names_tenant(policy, tenant) && (!policy->policy || policy_covers(policy->policy, tenant));
}

static bool
is_organisation(const struct snapshot_policy *policy)
{
	return names_tenant(policy, "*");
}

enum { ORGANISATION, TENANT, KINDS };

static void
add_layer(struct snapshot_layers *layers, const struct snapshot_policy *policy)
{
	if (!policy)
		return;
	layers->policies[layers->count] = policy->policy;
	layers->items[layers->count++] = policy;
}

struct snapshot_layers
snapshot_find(const struct snapshot *snapshot, const char *tenant)
{
	const struct snapshot_policy *found[KINDS] = {NULL, NULL};
	struct snapshot_layers layers = {0};

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct snapshot_policy *policy = &snapshot->policies[i];
		size_t kind = is_organisation(policy) ? ORGANISATION : TENANT;

		if (!covers(policy, tenant))
			continue;
		if (found[kind] || !policy->policy)
			return (struct snapshot_layers){0};
		found[kind] = policy;
	}
	add_layer(&layers, found[ORGANISATION]);
	add_layer(&layers, found[TENANT]);
	return layers;
}

/* It takes the place of the one of its name or kind. */
static struct snapshot_layers
layers_with(const struct snapshot_policy *shadow, const struct snapshot_layers *active)
{
	const struct snapshot_policy *other = NULL;
	struct snapshot_layers layers = {0};

	for (size_t i = 0; i < active->count; i++)
		if (is_organisation(active->items[i]) != is_organisation(shadow)
		    && strcmp(active->items[i]->policy_id, shadow->policy_id) != 0)
			other = active->items[i];
	add_layer(&layers, is_organisation(shadow) ? shadow : other);
	add_layer(&layers, is_organisation(shadow) ? other : shadow);
	return layers;
}

size_t
snapshot_find_shadows(const struct snapshot *snapshot, const char *tenant,
		      struct snapshot_shadow shadows[SNAPSHOT_SHADOWS_MAX])
{
	struct snapshot_layers active;
	size_t count = 0;

	if (snapshot->shadow_count == 0)
		return 0;
	active = snapshot_find(snapshot, tenant);
	for (size_t i = 0; i < snapshot->shadow_count && count < SNAPSHOT_SHADOWS_MAX; i++) {
		const struct snapshot_policy *shadow = &snapshot->shadows[i];

		if (covers(shadow, tenant))
			shadows[count++] = (struct snapshot_shadow){shadow, layers_with(shadow, &active)};
	}
	return count;
}

static bool
overlaps(const struct snapshot_policy *left, const struct snapshot_policy *right)
{
	if (is_organisation(left) || is_organisation(right))
		return is_organisation(left) && is_organisation(right);
	for (size_t i = 0; i < left->tenant_count; i++)
		if (names_tenant(right, left->tenants[i]))
			return true;
	return false;
}

static bool
overlaps_another(const struct snapshot *snapshot, size_t n)
{
	for (size_t i = 0; i < snapshot->count; i++)
		if (i != n && overlaps(&snapshot->policies[n], &snapshot->policies[i]))
			return true;
	return false;
}

/* The document must be the one whose digest was activated, and say the name and version that it is stored under. */
static bool
load(struct arena *arena, const char *text, struct snapshot_policy *into, struct error *error)
{
	struct policy_document document;

	if (!policy_document_parse(arena, text, strlen(text), &document, error))
		return false;
	if (strcmp(document.digest_text, into->digest) != 0)
		return error_set(error, ERROR_INVALID, "policy_altered",
				 "the stored document has another digest");
	if (strcmp(policy_name(document.policy), into->policy_id) != 0
	    || policy_version(document.policy) != into->version)
		return error_set(error, ERROR_INVALID, "policy_altered",
				 "stored under another name or version");
	into->policy = document.policy;
	return true;
}

static void
copy_tenants(struct arena *arena, const struct store_rows *rows, size_t row, struct snapshot_policy *into)
{
	size_t count = 0;
	const char *const *tenants = store_row_list(rows, row, 4, &count);
	const char **copy = arena_take_array(arena, count, sizeof *copy);

	for (size_t i = 0; i < count; i++)
		copy[i] = arena_string(arena, tenants[i]);
	into->tenants = copy;
	into->tenant_count = count;
}

static void
load_row(struct snapshot *snapshot, const struct store_rows *rows, size_t row, struct snapshot_policy *into)
{
	struct error error = {0};

	into->policy_id = arena_string(snapshot->arena, store_row_text(rows, row, 0));
	into->version = store_row_int(rows, row, 1);
	into->digest = arena_string(snapshot->arena, store_row_text(rows, row, 2));
	copy_tenants(snapshot->arena, rows, row, into);
	if (load(snapshot->arena, store_row_text(rows, row, 3), into, &error))
		log_info(snapshot->log, "policy_loaded", log_text("policy", into->policy_id),
			 log_number("version", into->version), log_text("digest", into->digest));
	else
		log_error(snapshot->log, "policy_unusable", log_text("policy", into->policy_id),
			  log_number("version", into->version), log_text("code", error.code),
			  log_text("field", error.field), log_text("text", error.text));
}

static void
report(const struct snapshot *snapshot)
{
	double unusable = 0;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct snapshot_policy *policy = &snapshot->policies[i];
		bool overlapping = overlaps_another(snapshot, i);

		if (overlapping)
			log_error(snapshot->log, "policy_overlaps", log_text("policy", policy->policy_id),
				  log_number("version", policy->version),
				  log_text("text", "two active policies of one tenant, or of the "
						   "organisation: all that both are for is blocked"));
		if (overlapping || !policy->policy)
			unusable++;
	}
	monitor_set(snapshot->monitor, "policies_unusable", "", unusable);
	monitor_set(snapshot->monitor, "policy_generation", "", (double)snapshot->generation);
}

static void
replace(struct snapshot *snapshot, const struct store_rows *rows, const struct store_rows *shadows,
	int64_t generation)
{
	arena_reset(snapshot->arena);
	snapshot->count = store_rows_count(rows);
	snapshot->policies = arena_take_array(snapshot->arena, snapshot->count, sizeof *snapshot->policies);
	snapshot->generation = generation;
	for (size_t i = 0; i < snapshot->count; i++)
		load_row(snapshot, rows, i, &snapshot->policies[i]);
	snapshot->shadow_count = store_rows_count(shadows);
	snapshot->shadows =
	    arena_take_array(snapshot->arena, snapshot->shadow_count, sizeof *snapshot->shadows);
	for (size_t i = 0; i < snapshot->shadow_count; i++)
		load_row(snapshot, shadows, i, &snapshot->shadows[i]);
	report(snapshot);
}

bool
snapshot_ask(struct snapshot *snapshot, struct work *work, struct error *error)
{
	struct store_param lock = store_int(SNAPSHOT_LOCK);

	snapshot->holds = NULL;
	snapshot->hold_count = 0;
	return store_queue(work->store, STATEMENT_SNAPSHOT_LOCK, &lock, 1, -1, error)
	       && store_ask(work->store, work->arena, STATEMENT_SNAPSHOT_GENERATION, NULL, 0,
			    &snapshot->asked, error)
	       && store_ask(work->store, work->arena, STATEMENT_SNAPSHOT_HOLDS, NULL, 0,
			    &snapshot->asked_holds, error);
}

bool
snapshot_take(struct snapshot *snapshot, struct work *work, bool *changed, struct error *error)
{
	struct store_rows *rows = snapshot->asked;
	int64_t generation;

	snapshot->asked = NULL;
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_BROKEN, "policy_generation", "the table must hold one row");
	snapshot_read_holds(snapshot, work->arena);
	generation = store_row_int(rows, 0, 0);
	*changed = generation != snapshot->generation;
	if (!*changed)
		return true;
	rows = store_query(work->store, work->arena, STATEMENT_SNAPSHOT_POLICIES, NULL, 0, error);

	struct store_rows *shadows =
	    rows ? store_query(work->store, work->arena, STATEMENT_SNAPSHOT_SHADOWS, NULL, 0, error) : NULL;

	if (shadows)
		replace(snapshot, rows, shadows, generation);
	return shadows != NULL;
}

bool
snapshot_refresh(struct snapshot *snapshot, struct work *work, struct error *error)
{
	bool changed;

	return snapshot_ask(snapshot, work, error) && store_settle(work->store, error)
	       && snapshot_take(snapshot, work, &changed, error);
}
