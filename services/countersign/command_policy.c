/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy.c - policies: checked, activated for all evaluators at once, shown. */
#include "services/countersign/policy_activation.h"
#include "services/countersign/policy_gate.h"

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

int
command_policy_activate(struct cli *cli)
{
	struct policy_file file;
	struct policy_review review;
	int result = policy_review_open(cli, &review);

	if (result == CLI_OK)
		result = policy_file_read_honoured(cli, cli->arguments[0], &file);
	if (result == CLI_OK)
		result = policy_review(cli, &review, &file, POLICY_LINT_DOCUMENT);
	if (result == CLI_OK)
		result = policy_gate_invariants(cli, &file, false);
	if (result == CLI_OK)
		result = policy_gate_tests(cli, &file, cli->arguments[0], review.all_tested);
	return result == CLI_OK ? policy_activate(cli, &review, &file) : result;
}

/* How often each would have decided otherwise. */
static int
print_differences(struct cli *cli)
{
	static const char *const names[] = {"policy",  "#version",   "tenant",	"decision", "shadow",
					    "differs", "#decisions", "last_at", NULL};
	static const char *const columns[] = {"policy",	 "version",   "tenant",	 "decision", "shadow",
					      "differs", "decisions", "last_at", NULL};
	struct error error = {0};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_POLICY_DIFFERENCES, NULL, 0, &error);

	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}

int
command_policy_shadow(struct cli *cli)
{
	const char *end = cli_option(cli, "end");
	struct policy_file file;
	int result;

	if (end && cli->argument_count)
		return cli_usage(cli, "--end: goes without a file");
	if (end)
		return policy_shadow_end(cli, end);
	if (!cli->argument_count)
		return print_differences(cli);
	result = policy_file_read_honoured(cli, cli->arguments[0], &file);
	return result == CLI_OK ? policy_shadow(cli, &file.policy) : result;
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

/* All that can be said before it is activated: what is wrong or doubtful, and what becomes of the invariants. */
int
command_policy_lint(struct cli *cli)
{
	struct policy_file file;
	struct policy_review review;
	int result = policy_review_open(cli, &review), invariants;

	if (result == CLI_OK)
		result = policy_file_read(cli, cli->arguments[0], &file);
	if (result != CLI_OK)
		return result;
	review.prints = true;
	result = policy_review(cli, &review, &file, POLICY_LINT_ALL);
	invariants = policy_gate_invariants(cli, &file, true);
	return result == CLI_OK ? invariants : result;
}
