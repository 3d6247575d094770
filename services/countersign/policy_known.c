/* SPDX-License-Identifier: Apache-2.0 */
/* policy_known.c - rows to directory and catalogue. */
#include "services/countersign/policy_known.h"

#include <string.h>

static bool
read_members(struct cli *cli, const struct policy *policy, struct policy_directory *directory,
	     struct error *error)
{
	size_t tenant_count, group_count;
	const char *const *tenants = policy_tenants(policy, &tenant_count);
	const char *const *groups = policy_groups(policy, &group_count);
	struct store_param params[] = {store_text_list(tenants, tenant_count),
				       store_text_list(groups, group_count)};
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_LINT_MEMBERS, params, 2, error);
	struct policy_directory_member *members;

	if (!rows)
		return false;
	directory->member_count = store_rows_count(rows);
	members = arena_take_array(cli->arena, directory->member_count, sizeof *members);
	for (size_t i = 0; i < directory->member_count; i++)
		members[i] = (struct policy_directory_member){
		    store_row_text(rows, i, 0), store_row_text(rows, i, 1), store_row_text(rows, i, 2)};
	directory->members = members;
	return true;
}

static bool
read_owners(struct cli *cli, const struct policy *policy, struct policy_directory *directory,
	    struct error *error)
{
	size_t count;
	const char *const *tenants = policy_tenants(policy, &count);
	struct store_param params[] = {store_text_list(tenants, count)};
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_LINT_OWNERS, params, 1, error);
	struct policy_directory_owner *owners;

	if (!rows)
		return false;
	directory->owner_count = store_rows_count(rows);
	owners = arena_take_array(cli->arena, directory->owner_count, sizeof *owners);
	for (size_t i = 0; i < directory->owner_count; i++)
		owners[i] =
		    (struct policy_directory_owner){store_row_text(rows, i, 0), store_row_text(rows, i, 1),
						    store_row_int(rows, i, 2), store_row_text(rows, i, 3)};
	directory->owners = owners;
	return true;
}

bool
policy_known_directory(struct cli *cli, const struct policy *policy, struct policy_directory *directory,
		       struct error *error)
{
	*directory = (struct policy_directory){0};
	return read_members(cli, policy, directory, error) && read_owners(cli, policy, directory, error);
}

/* The names of one kind; the rows are sorted by kind and name. */
static const char *const *
names_of(struct cli *cli, const struct store_rows *rows, const char *kind, size_t *count)
{
	const char **names = arena_take_array(cli->arena, store_rows_count(rows), sizeof *names);

	*count = 0;
	for (size_t i = 0; i < store_rows_count(rows); i++)
		if (strcmp(store_row_text(rows, i, 0), kind) == 0)
			names[(*count)++] = store_row_text(rows, i, 1);
	if (*count > POLICY_KNOWN_NAMES_MAX)
		*count = 0;
	return names;
}

bool
policy_known_catalogue(struct cli *cli, const struct policy *policy, struct policy_catalogue *catalogue,
		       struct error *error)
{
	size_t count;
	const char *const *tenants = policy_tenants(policy, &count);
	struct store_param params[] = {store_text_list(tenants, count), store_int(POLICY_KNOWN_NAMES_MAX + 1)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_LINT_ASKED, params, 2, error);

	*catalogue = (struct policy_catalogue){0};
	if (!rows)
		return false;
	catalogue->actions = names_of(cli, rows, "action", &catalogue->action_count);
	catalogue->agents = names_of(cli, rows, "agent", &catalogue->agent_count);
	catalogue->targets = names_of(cli, rows, "target", &catalogue->target_count);
	return true;
}
