/* SPDX-License-Identifier: Apache-2.0 */
/* command_directory.c - groups and agents: who may approve, and who answers for whom. */
#include "services/countersign/cli.h"
#include "services/countersign/check.h"
#include "services/countersign/directory_record.h"
#include <string.h>

static int
members(struct cli *cli, enum statement statement, const char *done, const char *not_done)
{
	struct error error = {0};
	char **persons = cli->arguments + 1;
	size_t count = (size_t)cli->argument_count - 1;
	struct store_param params[] = {store_text(cli->config.tenant), store_text(cli->arguments[0]),
				       store_text_list((const char *const *)persons, count)};
	struct store_rows *rows = NULL;

	if (!check_name("GROUP", cli->arguments[0], &error))
		return cli_fail(&error);
	for (size_t i = 0; i < count; i++)
		if (!check_name("PERSON", persons[i], &error))
			return cli_fail(&error);
	if (!directory_make(cli, statement, params, 3, &rows, &error))
		return cli_fail(&error);
	for (size_t i = 0; i < store_rows_count(rows); i++)
		cli_say("%s %s %s", store_row_text(rows, i, 0), done, cli->arguments[0]);
	if (store_rows_count(rows) < count)
		cli_say("%s: %zu", not_done, count - store_rows_count(rows));
	return CLI_OK;
}

int
command_groups_add(struct cli *cli)
{
	return members(cli, STATEMENT_CLI_GROUP_ADD, "is now in", "already in it");
}

int
command_groups_remove(struct cli *cli)
{
	return members(cli, STATEMENT_CLI_GROUP_REMOVE, "is no longer in", "not in it");
}

int
command_groups_list(struct cli *cli)
{
	static const char *const columns[] = {"group", "person", "since", NULL};
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant),
				       store_text(cli->argument_count ? cli->arguments[0] : NULL)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_GROUP_LIST, params, 2, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, columns), columns);
	return CLI_OK;
}

int
command_people_list(struct cli *cli)
{
	static const char *const names[] = {"person", "@groups", "#keys", "@agents", NULL};
	static const char *const columns[] = {"person", "groups", "keys", "agents", NULL};
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant),
				       store_text(cli->argument_count ? cli->arguments[0] : NULL)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_PEOPLE_LIST, params, 2, &error);

	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}

int
command_people_remove(struct cli *cli)
{
	struct error error = {0};
	const char *person = cli->arguments[0];
	struct store_param params[] = {store_text(cli->config.tenant), store_text(person)};
	struct store_rows *rows = NULL;

	if (!directory_make(cli, STATEMENT_CLI_PEOPLE_REMOVE, params, 2, &rows, &error))
		return cli_fail(&error);
	for (size_t i = 0; i < store_rows_count(rows); i++)
		cli_say("%s %s", person, store_row_text(rows, i, 0));
	if (store_rows_count(rows))
		return CLI_OK;
	cli_say("%s is in no group and has no key that counts", person);
	return CLI_FAILED;
}

int
command_agents_add(struct cli *cli)
{
	struct error error = {0};
	const char *owner = cli_option(cli, "owner");
	struct store_param params[] = {store_text(cli->config.tenant), store_text(cli->arguments[0]),
				       store_text(owner)};

	if (!owner)
		return cli_usage(cli, "--owner is required");
	if (!check_name("AGENT", cli->arguments[0], &error) || !check_name("--owner", owner, &error)
	    || !directory_make(cli, STATEMENT_CLI_AGENT_ADD, params, 3, NULL, &error))
		return cli_fail(&error);
	cli_say("%s answers for %s", owner, cli->arguments[0]);
	return CLI_OK;
}

int
command_agents_remove(struct cli *cli)
{
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant), store_text(cli->arguments[0])};
	struct store_rows *rows = NULL;

	if (!directory_make(cli, STATEMENT_CLI_AGENT_REMOVE, params, 2, &rows, &error))
		return cli_fail(&error);
	if (!store_rows_count(rows)) {
		cli_say("no such agent");
		return CLI_FAILED;
	}
	return CLI_OK;
}

int
command_agents_list(struct cli *cli)
{
	static const char *const columns[] = {"agent", "owner", "since", NULL};
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_AGENT_LIST, params, 1, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, columns), columns);
	return CLI_OK;
}
