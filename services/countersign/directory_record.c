/* SPDX-License-Identifier: Apache-2.0 */
/* directory_record.c - every change of the directory is an event of the ledger, in the transaction that makes it. */
#include "services/countersign/directory_record.h"

#include "common/message/json.h"
#include "common/message/report.h"
#include "common/store/store_ledger.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

/* Who is at the terminal, as the system has it: a name, else a number. */
static const char *
user_name(struct arena *arena)
{
	const struct passwd *entry = getpwuid(getuid());

	return entry ? arena_string(arena, entry->pw_name) : arena_format(arena, "%u", (unsigned)getuid());
}

/* NULL for SQL NULL; what the database wrote is JSON. */
static bool
read_row(struct arena *arena, const char *text, struct value **row, struct error *error)
{
	*row = text ? json_parse(arena, text, strlen(text), &json_limits_event, error) : NULL;
	return !text || *row;
}

static bool
event_of(struct cli *cli, const struct store_rows *rows, size_t row, const char *user, struct event *event,
	 struct error *error)
{
	struct directory_event change = {
	    .number = store_row_int(rows, row, 0),
	    .tenant = store_row_text(rows, row, 1),
	    .role = store_row_text(rows, row, 2),
	    .user = user,
	    .relation = store_row_text(rows, row, 3),
	    .operation = store_row_text(rows, row, 4),
	    .at = store_row_time(rows, row, 7),
	    .source = "/countersign/command",
	};

	return read_row(cli->arena, store_row_text(rows, row, 5), &change.old_row, error)
	       && read_row(cli->arena, store_row_text(rows, row, 6), &change.new_row, error)
	       && directory_event(cli->arena, &change, event, error);
}

bool
directory_record(struct cli *cli, struct error *error)
{
	struct store_rows *rows =
	    store_query(cli->store, cli->arena, STATEMENT_CLI_DIRECTORY_CHANGED, NULL, 0, error);
	size_t count = rows ? store_rows_count(rows) : 0;
	struct event *events = arena_take_array(cli->arena, count, sizeof *events);
	const char *user = user_name(cli->arena);

	for (size_t i = 0; i < count; i++)
		if (!event_of(cli, rows, i, user, &events[i], error))
			return false;
	return rows && store_ledger_append(cli->store, cli->arena, events, count, error);
}

bool
directory_make(struct cli *cli, enum statement statement, const struct store_param *params, size_t count,
	       struct store_rows **rows, struct error *error)
{
	struct store_rows *result = NULL;
	bool unknown = false;
	bool ok = cli_store(cli, error) && store_begin(cli->store, error)
		  && (result = store_query(cli->store, cli->arena, statement, params, count, error)) != NULL
		  && directory_record(cli, error) && store_commit(cli->store, &unknown, error);

	if (rows)
		*rows = result;
	if (!ok && cli->store)
		store_rollback(cli->store);
	return ok;
}
