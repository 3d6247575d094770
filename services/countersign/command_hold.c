/* SPDX-License-Identifier: Apache-2.0 */
/* command_hold.c - stop the line: holds are added, listed and lifted. */
#include "common/message/rfc3339.h"
#include "common/policy/policy.h"
#include "services/countersign/check.h"
#include <stdlib.h>
#include <string.h>

enum { REASON_MAX = 512 };

/* What is given is a name, or (is_pattern) a pattern. */
static bool
check_given(const struct cli *cli, const char *option, bool is_pattern, struct error *error)
{
	const char *text = cli_option(cli, option);

	return !text
	       || (check_name(option, text, error)
		   && (!is_pattern || policy_pattern_check(text, option, error)));
}

static bool
check_reason(const char *text, struct error *error)
{
	if (strlen(text) > REASON_MAX)
		return error_set_field(error, ERROR_INVALID, "bad_value", "reason", "must have 1 to 512 bytes");
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return error_set_field(error, ERROR_INVALID, "bad_value", "reason",
					       "holds a control character");
	return *text
	       || error_set_field(error, ERROR_INVALID, "bad_value", "reason", "must have 1 to 512 bytes");
}

/* *at is 0 where it is not given. */
static bool
read_until(const struct cli *cli, int64_t *at, struct error *error)
{
	const char *until = cli_option(cli, "until");

	*at = 0;
	if (!until)
		return true;
	if (!rfc3339_parse(until, strlen(until), at))
		return error_set_field(error, ERROR_INVALID, "bad_value", "until", "is no time in RFC 3339");
	return *at > cli_now()
	       || error_set_field(error, ERROR_INVALID, "bad_value", "until", "is over already");
}

static bool
check_hold(const struct cli *cli, int64_t *until, struct error *error)
{
	return check_given(cli, "class", false, error) && check_given(cli, "target", true, error)
	       && check_given(cli, "agent", true, error) && check_given(cli, "by", false, error)
	       && check_reason(cli_option(cli, "reason"), error) && read_until(cli, until, error);
}

int
command_hold_add(struct cli *cli)
{
	bool narrowed = cli_option(cli, "class") || cli_option(cli, "target") || cli_option(cli, "agent")
			|| cli->tenant_given;
	struct error error = {0};
	struct store_rows *rows = NULL;
	int64_t until;
	struct store_param params[] = {
	    store_text(cli_option(cli, "class")),
	    store_text(cli_option(cli, "target")),
	    store_text(cli_option(cli, "agent")),
	    store_text(cli->tenant_given ? cli->config.tenant : NULL),
	    store_bool(cli_option(cli, "refuse")),
	    store_text(cli_option(cli, "reason")),
	    store_null(),
	    store_text(cli_option(cli, "by")),
	};

	if (!cli_option(cli, "reason"))
		return cli_usage(cli, "--reason is required");
	if (!cli_option(cli, "refuse") == !cli_option(cli, "queue"))
		return cli_usage(cli, "either --refuse or --queue is required");
	if (narrowed == !!cli_option(cli, "everything"))
		return cli_usage(cli,
				 "--class, --target, --agent, --tenant, or else --everything is required");
	if (!check_hold(cli, &until, &error))
		return cli_fail(&error);
	params[6] = store_time_or_null(until);
	if (!cli_change(cli, STATEMENT_CLI_HOLD_ADD, params, 8, &rows, &error))
		return cli_fail(&error);
	puts(store_row_text(rows, 0, 0));
	return CLI_OK;
}

int
command_hold_list(struct cli *cli)
{
	static const char *const names[] = {"hold",	"effect",   "state",	 "class",     "target",
					    "agent",	"tenant",   "#waits",	 "reason",    "until",
					    "added_at", "added_by", "lifted_at", "lifted_by", NULL};
	static const char *const columns[] = {"hold",	"state", "effect", "class", "target",	"agent",
					      "tenant", "waits", "reason", "until", "added_by", NULL};
	struct error error = {0};
	int64_t newest = cli_limit(cli);
	struct store_param params[] = {store_bool(cli_option(cli, "all")), store_int(newest)};
	struct store_rows *rows;

	if (!newest)
		return CLI_USAGE;
	rows = cli_read(cli, STATEMENT_CLI_HOLD_LIST, params, 2, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}

/* A number of a hold; 0: it is none. */
static int64_t
number(const char *text)
{
	char *end;
	long long value = *text >= '1' && *text <= '9' && strlen(text) < 19 ? strtoll(text, &end, 10) : 0;

	return value && !*end ? value : 0;
}

int
command_hold_lift(struct cli *cli)
{
	size_t count = (size_t)cli->argument_count;
	int64_t *holds = arena_take_array(cli->arena, count, sizeof *holds);
	struct error error = {0};
	struct store_rows *rows = NULL;

	for (size_t i = 0; i < count; i++)
		if (!(holds[i] = number(cli->arguments[i])))
			return cli_usage(cli, "%s: not the number of a hold", cli->arguments[i]);

	struct store_param params[] = {store_int_list(holds, count), store_text(cli_option(cli, "by"))};

	if (!check_given(cli, "by", false, &error)
	    || !cli_change(cli, STATEMENT_CLI_HOLD_LIFT, params, 2, &rows, &error))
		return cli_fail(&error);
	for (size_t i = 0; i < store_rows_count(rows); i++)
		cli_say("hold %s is lifted", store_row_text(rows, i, 0));
	if (store_rows_count(rows) == count)
		return CLI_OK;
	cli_say("not there, or over already: %zu", count - store_rows_count(rows));
	return CLI_FAILED;
}
