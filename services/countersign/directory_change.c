/* SPDX-License-Identifier: Apache-2.0 */
/* directory_change.c - loading the directory, comparing it with a file, and making the difference true, statement by statement. */
#include "services/countersign/directory_change.h"

#include "common/message/rfc3339.h"

#include <string.h>

/* ------------------------------------------------------------------ what is there */

static bool
load_members(struct cli *cli, const char *tenant, struct directory_facts *facts, struct error *error)
{
	const struct store_param params[] = {store_text(tenant), store_text(NULL)};
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_GROUP_LIST, params, 2, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++)
		directory_add(facts, &(struct directory_fact){.kind = DIRECTORY_MEMBER,
							      .name = store_row_text(rows, i, 0),
							      .more = store_row_text(rows, i, 1)});
	return rows != NULL;
}

static bool
load_agents(struct cli *cli, const char *tenant, struct directory_facts *facts, struct error *error)
{
	const struct store_param params[] = {store_text(tenant)};
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_AGENT_LIST, params, 1, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++)
		directory_add(facts, &(struct directory_fact){.kind = DIRECTORY_AGENT,
							      .name = store_row_text(rows, i, 0),
							      .more = "",
							      .owner = store_row_text(rows, i, 1)});
	return rows != NULL;
}

static const char **
names_of(struct cli *cli, const struct store_rows *rows, size_t row, unsigned column, size_t *count)
{
	const char *const *list = store_row_list(rows, row, column, count);
	const char **names = arena_take_array(cli->arena, *count, sizeof *names);

	for (size_t i = 0; i < *count; i++)
		names[i] = list[i];
	*count = directory_distinct(names, *count);
	return names;
}

static bool
load_keys(struct cli *cli, const char *tenant, struct directory_facts *facts, struct error *error)
{
	const struct store_param params[] = {store_text(tenant)};
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_DIRECTORY_KEYS, params, 1, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++) {
		struct directory_key *key = arena_take(cli->arena, sizeof *key);

		key->owner = store_row_text(rows, i, 1);
		key->kind = store_row_text(rows, i, 2);
		memcpy(key->public_key, store_row_bytes(rows, i, 3).bytes, sizeof key->public_key);
		key->speaks_for = names_of(cli, rows, i, 4, &key->speaks_for_count);
		key->groups = names_of(cli, rows, i, 5, &key->group_count);
		key->agents = names_of(cli, rows, i, 6, &key->agent_count);
		key->revoked_at = store_row_null(rows, i, 7) ? 0 : store_row_time(rows, i, 7);
		key->is_over = store_row_bool(rows, i, 8);
		directory_add(facts, &(struct directory_fact){.kind = DIRECTORY_KEY,
							      .name = store_row_text(rows, i, 0),
							      .more = "",
							      .key = key});
	}
	return rows != NULL;
}

bool
directory_load(struct cli *cli, const char *tenant, struct directory_facts *facts, struct error *error)
{
	*facts = (struct directory_facts){.arena = cli->arena};
	if (!load_members(cli, tenant, facts, error) || !load_agents(cli, tenant, facts, error)
	    || !load_keys(cli, tenant, facts, error))
		return false;
	directory_sort(facts);
	return true;
}

/* ------------------------------------------------------------------ the difference */

static void
add_names(struct buffer *text, const char *label, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buffer_add_format(text, "%s%s", i ? ", " : label, names[i]);
}

static const char *
time_text(struct arena *arena, int64_t at)
{
	char *text = arena_take(arena, RFC3339_SIZE);

	rfc3339_format(at, text);
	return text;
}

/* All that is said of one thing, in words that are the same when it is the same. */
static const char *
said_of(struct arena *arena, const struct directory_fact *fact)
{
	struct buffer text = {.arena = arena};

	if (fact->kind == DIRECTORY_MEMBER)
		return fact->more;
	if (fact->kind == DIRECTORY_AGENT)
		return arena_format(arena, "owner %s", fact->owner);
	buffer_add_format(&text, "%s of %s", fact->key->kind, fact->key->owner);
	add_names(&text, ", speaks for ", fact->key->speaks_for, fact->key->speaks_for_count);
	add_names(&text, ", speaks for groups ", fact->key->groups, fact->key->group_count);
	add_names(&text, ", signs for ", fact->key->agents, fact->key->agent_count);
	if (fact->key->revoked_at)
		buffer_add_format(&text, ", revoked from %s on", time_text(arena, fact->key->revoked_at));
	return text.bytes;
}

/* A key is somebody's for ever, and its revocation only becomes earlier. */
static bool
may_become(const struct spotted_reader *reader, const struct directory_fact *is,
	   const struct directory_fact *wanted)
{
	int64_t since = is->key->revoked_at;

	if (strcmp(is->key->owner, wanted->key->owner) != 0 || strcmp(is->key->kind, wanted->key->kind) != 0)
		return spotted_refuse(reader, &wanted->place, "bad_value",
				      arena_format(reader->arena,
						   "this key is registered as that of %s %s; a key is "
						   "registered once, for ever",
						   is->key->kind, is->key->owner));
	if (since && (!wanted->key->revoked_at || wanted->key->revoked_at > since))
		return spotted_refuse(
		    reader, &wanted->place, "bad_value",
		    arena_format(reader->arena,
				 "this key is revoked from %s on; revoked_at must say so, or "
				 "be earlier",
				 time_text(reader->arena, since)));
	return true;
}

static void
note(struct directory_changes *changes, const char *what, const struct directory_fact *is,
     const struct directory_fact *wanted, const char *detail)
{
	changes->items[changes->count++] =
	    (struct directory_change){.what = what, .is = is, .wanted = wanted, .detail = detail};
}

static void
compare_same(const struct spotted_reader *reader, const struct directory_fact *is,
	     const struct directory_fact *wanted, struct directory_changes *changes)
{
	const char *before = said_of(reader->arena, is), *after = said_of(reader->arena, wanted);

	if (strcmp(before, after) == 0 || (is->kind == DIRECTORY_KEY && !may_become(reader, is, wanted)))
		return;
	note(changes, "change", is, wanted, arena_format(reader->arena, "%s, was %s", after, before));
}

static void
leave_out(const struct spotted_reader *reader, const struct directory_fact *is,
	  struct directory_changes *changes)
{
	if (is->kind == DIRECTORY_KEY && is->key->is_over)
		return;
	note(changes, is->kind == DIRECTORY_KEY ? "revoke" : "remove", is, NULL, said_of(reader->arena, is));
}

bool
directory_compare_all(const struct spotted_reader *reader, const struct directory_file *file,
		      const struct directory_facts *current, struct directory_changes *changes)
{
	const struct directory_facts *wanted = &file->facts;
	size_t i = 0, j = 0;

	*changes = (struct directory_changes){
	    .items = arena_take_array(reader->arena, wanted->count + current->count, sizeof *changes->items)};
	while (i < wanted->count || j < current->count) {
		int order = i == wanted->count	  ? 1
			    : j == current->count ? -1
						  : directory_compare(&wanted->items[i], &current->items[j]);

		if (order < 0)
			note(changes, "add", NULL, &wanted->items[i],
			     said_of(reader->arena, &wanted->items[i]));
		else if (order == 0)
			compare_same(reader, &current->items[j], &wanted->items[i], changes);
		else if (file->holds[current->items[j].kind])
			leave_out(reader, &current->items[j], changes);
		i += order <= 0;
		j += order >= 0;
	}
	return reader->findings->count == 0;
}

/* ------------------------------------------------------------------ making it true */

static bool
run(struct cli *cli, enum statement statement, const struct store_param *params, size_t count,
    struct error *error)
{
	return store_query(cli->store, cli->arena, statement, params, count, error) != NULL;
}

static bool
change_member(struct cli *cli, const char *tenant, const struct directory_change *change, struct error *error)
{
	const struct directory_fact *fact = change->wanted ? change->wanted : change->is;
	const char *const persons[] = {fact->more};
	const struct store_param params[] = {store_text(tenant), store_text(fact->name),
					     store_text_list(persons, 1)};

	return run(cli, change->wanted ? STATEMENT_CLI_GROUP_ADD : STATEMENT_CLI_GROUP_REMOVE, params, 3,
		   error);
}

static bool
change_agent(struct cli *cli, const char *tenant, const struct directory_change *change, struct error *error)
{
	const struct directory_fact *fact = change->wanted ? change->wanted : change->is;
	const struct store_param params[] = {store_text(tenant), store_text(fact->name),
					     store_text(fact->owner)};

	return change->wanted ? run(cli, STATEMENT_CLI_AGENT_ADD, params, 3, error)
			      : run(cli, STATEMENT_CLI_AGENT_REMOVE, params, 2, error);
}

static bool
revoke_key(struct cli *cli, const char *tenant, const char *kid, int64_t at, struct error *error)
{
	const struct store_param params[] = {store_text(tenant), store_text(kid), store_time_or_null(at)};

	return run(cli, STATEMENT_CLI_KEY_REVOKE, params, 3, error);
}

static bool
put_key(struct cli *cli, const char *tenant, const struct directory_change *change, struct error *error)
{
	const struct directory_key *key = change->wanted->key;
	const struct store_param speaks_for = store_text_list(key->speaks_for, key->speaks_for_count),
				 groups = store_text_list(key->groups, key->group_count),
				 agents = store_text_list(key->agents, key->agent_count);
	const struct store_param added[] = {store_text(change->wanted->name),
					    store_text(tenant),
					    store_text(key->owner),
					    store_text(key->kind),
					    store_bytes(key->public_key, sizeof key->public_key),
					    speaks_for,
					    groups,
					    agents};
	const struct store_param changed[] = {store_text(tenant), store_text(change->wanted->name),
					      speaks_for, groups, agents};

	return change->is ? run(cli, STATEMENT_CLI_KEY_CHANGE, changed, 5, error)
			  : run(cli, STATEMENT_CLI_KEY_ADD, added, 8, error)
				|| error_wrap(error, "key %s, which may be registered for another tenant",
					      change->wanted->name);
}

static bool
change_key(struct cli *cli, const char *tenant, const struct directory_change *change, struct error *error)
{
	int64_t before = change->is ? change->is->key->revoked_at : 0, after;

	if (!change->wanted)
		return revoke_key(cli, tenant, change->is->name, 0, error);
	after = change->wanted->key->revoked_at;
	return put_key(cli, tenant, change, error)
	       && (after == before || revoke_key(cli, tenant, change->wanted->name, after, error));
}

bool
directory_change(struct cli *cli, const char *tenant, const struct directory_changes *changes,
		 struct error *error)
{
	static bool (*const makers[])(struct cli *, const char *, const struct directory_change *,
				      struct error *) = {change_member, change_agent, change_key};

	for (size_t i = 0; i < changes->count; i++) {
		const struct directory_change *one = &changes->items[i];

		if (!makers[(one->wanted ? one->wanted : one->is)->kind](cli, tenant, one, error))
			return false;
	}
	return true;
}
