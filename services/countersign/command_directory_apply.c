/* SPDX-License-Identifier: Apache-2.0 */
/* command_directory_apply.c - the directory of a tenant as one file: applied whole or not at all, and printed as it would be applied. */
#include "common/canonical/canonical.h"
#include "common/message/rfc3339.h"
#include "services/countersign/directory_record.h"
#include "services/countersign/directory_change.h"
#include "services/countersign/policy_file.h"

#include <string.h>

enum { DIRECTORY_BYTES_MAX = 4 * 1024 * 1024 };

static const char *const kinds[] = {"group", "agent", "key"};

/* ------------------------------------------------------------------ apply */

static int
read_file(struct cli *cli, struct document *document, struct directory_file *file)
{
	struct findings findings = findings_open(cli->arena, FINDINGS_MAX);
	const struct spotted_reader reader = {cli->arena, &findings};
	const char *path = cli->arguments[0], *name = strcmp(path, "-") != 0 ? path : "stdin";
	struct error error = {0};
	size_t length;
	char *bytes = cli_read_file(cli, path, DIRECTORY_BYTES_MAX, &length, &error);

	if (!bytes)
		return cli_fail(&error);
	if (document_read(cli->arena, name, bytes, length, document_form(name, bytes, length), document,
			  &findings)
	    && directory_read(&reader, document, file))
		return CLI_OK;
	document_place(document, &findings);
	findings_sort(&findings);
	return policy_file_print_findings(cli, document, &findings);
}

static void
print_changes(struct cli *cli, const struct directory_changes *changes)
{
	static const char *const columns[] = {"change", "what", "name", "detail", NULL};
	struct value *list = value_list(cli->arena);

	for (size_t i = 0; i < changes->count; i++) {
		const struct directory_change *one = &changes->items[i];
		const struct directory_fact *fact = one->wanted ? one->wanted : one->is;
		struct value *map = value_map(cli->arena);

		value_set_string(cli->arena, map, "change", one->what);
		value_set_string(cli->arena, map, "what", kinds[fact->kind]);
		value_set_string(cli->arena, map, "name", fact->name);
		value_set_string(cli->arena, map, "detail", one->detail);
		value_append(cli->arena, list, map);
	}
	if (cli->json || changes->count)
		cli_print_list(cli, list, columns);
}

/* The difference is what the transaction saw that makes it true. */
static int
compare(struct cli *cli, const char *tenant, const struct document *document,
	const struct directory_file *file, struct directory_changes *changes)
{
	struct findings findings = findings_open(cli->arena, FINDINGS_MAX);
	const struct spotted_reader reader = {cli->arena, &findings};
	const struct store_param params[] = {store_text(tenant)};
	struct directory_facts current;
	struct error error = {0};

	if (!cli_store(cli, &error) || !store_begin(cli->store, &error)
	    || !store_query(cli->store, cli->arena, STATEMENT_CLI_DIRECTORY_LOCK, params, 1, &error)
	    || !directory_load(cli, tenant, &current, &error))
		return cli_fail(&error);
	if (!directory_compare_all(&reader, file, &current, changes)) {
		findings_sort(&findings);
		return policy_file_print_findings(cli, document, &findings);
	}
	return CLI_OK;
}

static int
make_true(struct cli *cli, const char *tenant, const struct directory_changes *changes)
{
	struct error error = {0};
	bool unknown = false;

	if (!directory_change(cli, tenant, changes, &error) || !directory_record(cli, &error)
	    || !store_commit(cli->store, &unknown, &error))
		return cli_fail(&error);
	cli_say("%zu %s made", changes->count, changes->count == 1 ? "change" : "changes");
	return CLI_OK;
}

int
command_directory_apply(struct cli *cli)
{
	bool dry = cli_option(cli, "dry-run") != NULL;
	struct directory_changes changes = {0};
	struct directory_file file;
	struct document document;
	int result = read_file(cli, &document, &file);
	const char *tenant;

	if (result != CLI_OK)
		return result;
	tenant = file.tenant ? file.tenant : cli->config.tenant;
	result = compare(cli, tenant, &document, &file, &changes);
	if (result == CLI_OK) {
		print_changes(cli, &changes);
		if (!changes.count)
			cli_say("nothing to change");
		else if (dry)
			cli_say("%zu to change, nothing was changed", changes.count);
		else
			result = make_true(cli, tenant, &changes);
	}
	if (cli->store)
		store_rollback(cli->store); /* harmless when it is committed */
	return result;
}

/* ------------------------------------------------------------------ export */

static void
set_names(struct arena *arena, struct value *map, const char *name, const char *const *names, size_t count)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < count; i++)
		value_append(arena, list, value_string(arena, names[i]));
	if (count)
		value_set(arena, map, name, list);
}

static struct value *
key_map(struct arena *arena, const struct directory_key *key)
{
	struct value *map = value_map(arena);
	char at[RFC3339_SIZE];

	value_set_string(arena, map, "owner", key->owner);
	value_set_string(arena, map, "kind", key->kind);
	value_set_string(arena, map, "public_key",
			 crypto_base64url_format(arena, key->public_key, sizeof key->public_key));
	set_names(arena, map, "speaks_for", key->speaks_for, key->speaks_for_count);
	set_names(arena, map, "groups", key->groups, key->group_count);
	set_names(arena, map, "agents", key->agents, key->agent_count);
	if (key->revoked_at) {
		rfc3339_format(key->revoked_at, at);
		value_set_string(arena, map, "revoked_at", at);
	}
	return map;
}

static struct value *
directory_map(struct arena *arena, const char *tenant, const struct directory_facts *facts)
{
	struct value *whole = value_map(arena), *groups = value_list(arena), *members = NULL;
	struct value *agents = value_list(arena), *keys = value_list(arena);

	for (size_t i = 0; i < facts->count; i++) {
		const struct directory_fact *fact = &facts->items[i];
		struct value *map;

		if (fact->kind == DIRECTORY_KEY) {
			value_append(arena, keys, key_map(arena, fact->key));
			continue;
		}
		if (fact->kind == DIRECTORY_MEMBER && i > 0 && facts->items[i - 1].kind == fact->kind
		    && strcmp(facts->items[i - 1].name, fact->name) == 0) {
			value_append(arena, members, value_string(arena, fact->more));
			continue;
		}
		map = value_map(arena);
		value_append(arena, fact->kind == DIRECTORY_MEMBER ? groups : agents, map);
		if (fact->kind == DIRECTORY_AGENT) {
			value_set_string(arena, map, "id", fact->name);
			value_set_string(arena, map, "owner", fact->owner);
			continue;
		}
		members = value_list(arena);
		value_set_string(arena, map, "name", fact->name);
		value_set(arena, map, "members", members);
		value_append(arena, members, value_string(arena, fact->more));
	}
	value_set_string(arena, whole, "countersign", "directory/v1");
	value_set_string(arena, whole, "tenant", tenant);
	value_set(arena, whole, "groups", groups);
	value_set(arena, whole, "agents", agents);
	value_set(arena, whole, "keys", keys);
	return whole;
}

static bool
print_json(struct cli *cli, const char *before, const struct value *value, struct error *error)
{
	struct buffer text = {.arena = cli->arena};
	bool good = canonical_format(&text, value, error);

	if (good)
		printf("%s%s\n", before, text.bytes);
	return good;
}

/* YAML with an item a line; each item is JSON, which YAML takes. */
static bool
print_yaml(struct cli *cli, const struct value *whole, struct error *error)
{
	for (size_t i = 0; i < whole->as.map.count; i++) {
		const struct value *part = whole->as.map.members[i].value;
		bool is_whole = part->kind != VALUE_LIST || part->as.list.count == 0;

		printf("%s:%s", whole->as.map.members[i].name.bytes, is_whole ? "" : "\n");
		if (is_whole && !print_json(cli, " ", part, error))
			return false;
		for (size_t n = 0; !is_whole && n < part->as.list.count; n++)
			if (!print_json(cli, "  - ", part->as.list.items[n], error))
				return false;
	}
	return true;
}

int
command_directory_export(struct cli *cli)
{
	struct directory_facts facts;
	struct error error = {0};
	bool good = cli_store(cli, &error) && store_begin(cli->store, &error)
		    && directory_load(cli, cli->config.tenant, &facts, &error);
	struct value *whole;

	if (cli->store)
		store_rollback(cli->store);
	if (!good)
		return cli_fail(&error);
	whole = directory_map(cli->arena, cli->config.tenant, &facts);
	if (cli->json)
		cli_print_map(cli, whole);
	else if (!print_yaml(cli, whole, &error))
		return cli_fail(&error);
	return CLI_OK;
}
