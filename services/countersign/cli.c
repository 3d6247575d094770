/* SPDX-License-Identifier: Apache-2.0 */
/* cli.c - the shared hands of the commands: options, database, files, errors. */
#include "services/countersign/cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The statements of the command line: sql/query/cli_*.sql, in the order of their names. */
#define FIRST_STATEMENT STATEMENT_CLI_AGENT_ADD
#define LAST_STATEMENT STATEMENT_CLI_SHOW_WORDS

const char *
cli_option(const struct cli *cli, const char *name)
{
	for (size_t i = cli->given_count; i-- > 0;)
		if (!strcmp(cli->given[i].name, name))
			return cli->given[i].value;
	return NULL;
}

int64_t
cli_duration(const struct cli *cli, const char *name, int64_t fallback)
{
	const char *text = cli_option(cli, name);
	int64_t microseconds;
	if (!text)
		return fallback;
	if (!config_duration_parse(text, &microseconds))
		exit(cli_usage(cli, "--%s: not a duration like 30s or 5m", name));
	return microseconds;
}

void
cli_say(const char *format, ...)
{
	char text[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	fputs("countersign: ", stderr);
	cli_print_text(text, stderr);
	fputc('\n', stderr);
}

int
cli_fail(const struct error *error)
{
	/* what is said about a key of the configuration names it, with its place */
	if (strchr(error->field, '.') && strstr(error->text, error->field))
		cli_say("%s (%s)", error->text, error->code);
	else if (*error->field)
		cli_say("%s: %s (%s)", error->field, error->text, error->code);
	else
		cli_say("%s", error->text);
	return CLI_FAILED;
}

int
cli_usage(const struct cli *cli, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	cli_say("%s", text);
	fprintf(stderr, "usage: countersign %s [OPTIONS]%s%s\n", cli->command->name,
		*cli->command->arguments ? " " : "", cli->command->arguments);
	return CLI_USAGE;
}

bool
cli_store(struct cli *cli, struct error *error)
{
	if (!cli->store) {
		struct store_options options = {
		    .uri = cli->config.database_uri,
		    .application_name = "countersign",
		    .statement_timeout_us = INT64_C(60) * 1000000,
		    .lock_timeout_us = INT64_C(10) * 1000000,
		    .log = &cli->log,
		};
		enum statement own[LAST_STATEMENT - FIRST_STATEMENT + 1];
		for (int i = FIRST_STATEMENT; i <= LAST_STATEMENT; i++)
			own[i - FIRST_STATEMENT] = (enum statement)i;
		cli->store = store_open(&options, own, sizeof own / sizeof *own, error);
		if (!cli->store && !*cli->config.database_uri)
			cli_say("database.uri is not set: --config FILE or COUNTERSIGN_CONFIG give a file "
				"that does");
	}
	return cli->store != NULL;
}

struct store_rows *
cli_read(struct cli *cli, enum statement statement, const struct store_param *params, size_t count,
	 struct error *error)
{
	struct store_rows *rows = NULL;
	if (cli_store(cli, error) && store_begin(cli->store, error)) {
		rows = store_query(cli->store, cli->arena, statement, params, count, error);
		store_rollback(cli->store);
	}
	return rows;
}

bool
cli_change(struct cli *cli, enum statement statement, const struct store_param *params, size_t count,
	   struct store_rows **rows, struct error *error)
{
	struct store_rows *result = NULL;
	bool unknown = false;
	bool ok = cli_store(cli, error) && store_begin(cli->store, error)
		  && (result = store_query(cli->store, cli->arena, statement, params, count, error)) != NULL
		  && store_commit(cli->store, &unknown, error);
	if (rows)
		*rows = result;
	if (!ok && cli->store)
		store_rollback(cli->store);
	return ok;
}

struct bus_options
cli_bus(const struct cli *cli)
{
	return (struct bus_options){.through = &cli->config.kafka, .client_id = "countersign", .log = &cli->log};
}

const char *
cli_topic(const struct cli *cli, const char *logical)
{
	return arena_format(cli->arena, "%s%s", cli->config.topics_prefix, logical);
}

char *
cli_read_file(struct cli *cli, const char *path, size_t limit, size_t *length, struct error *error)
{
	bool from_stdin = !strcmp(path, "-");
	FILE *file = from_stdin ? stdin : fopen(path, "rb");
	char *bytes;

	if (!file) {
		error_set(error, ERROR_INVALID, "file", "%s: %s", path, strerror(errno));
		return NULL;
	}
	bytes = arena_take(cli->arena, limit + 2);
	*length = fread(bytes, 1, limit + 1, file);
	if (ferror(file))
		error_set(error, ERROR_INVALID, "file", "%s: %s", path, strerror(errno));
	else if (*length > limit)
		error_set(error, ERROR_INVALID, "too_large", "%s: larger than %zu bytes", path, limit);
	if (!from_stdin)
		fclose(file);
	return error->kind == ERROR_NONE ? bytes : NULL;
}

struct value *
cli_rows(struct cli *cli, const struct store_rows *rows, const char *const *names)
{
	struct value *list = value_list(cli->arena);
	for (size_t r = 0; r < store_rows_count(rows); r++) {
		struct value *map = value_map(cli->arena);
		for (unsigned c = 0; names[c]; c++) {
			const char *name = names[c] + (*names[c] == '#' || *names[c] == '@');
			struct value *item = value_null(cli->arena);
			if (*names[c] == '@') {
				size_t count;
				const char *const *items = store_row_list(rows, r, c, &count);
				item = value_list(cli->arena);
				for (size_t i = 0; i < count; i++)
					value_append(cli->arena, item, value_string(cli->arena, items[i]));
			} else if (!store_row_null(rows, r, c)) {
				item = *names[c] == '#' ? value_int(cli->arena, store_row_int(rows, r, c))
							: value_string(cli->arena, store_row_text(rows, r, c));
			}
			value_set(cli->arena, map, name, item);
		}
		value_append(cli->arena, list, map);
	}
	return list;
}

int64_t
cli_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
cli_limit(const struct cli *cli)
{
	const char *text = cli_option(cli, "limit");
	char *end;
	long number = text ? strtol(text, &end, 10) : 50;
	if (text && (*end || end == text || number < 1 || number > 10000)) {
		cli_usage(cli, "--limit: a number from 1 to 10000");
		return 0;
	}
	return number;
}
