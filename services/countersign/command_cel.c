/* SPDX-License-Identifier: Apache-2.0 */
/* command_cel.c - expressions of the policy language, tried: one for a person, or many for a program. */
#include "common/message/json.h"
#include "services/countersign/cel_batch.h"
#include "services/countersign/cel_codec.h"
#include "services/countersign/cli.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MAX 1000000000

/* The number behind an option, 0 when it is not given. */
static bool
read_limit(const struct cli *cli, const char *name, uint64_t *number)
{
	const char *text = cli_option(cli, name);
	char *end;

	*number = 0;
	if (!text)
		return true;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number >= 1 && *number <= LIMIT_MAX)
		return true;
	cli_usage(cli, "--%s: not a number from 1 to %d", name, LIMIT_MAX);
	return false;
}

static bool
read_limits(const struct cli *cli, struct cel_trial *trial)
{
	uint64_t source, nodes, depth, items, loops, memory;

	if (!read_limit(cli, "source-max", &source) || !read_limit(cli, "node-max", &nodes)
	    || !read_limit(cli, "depth-max", &depth) || !read_limit(cli, "item-max", &items)
	    || !read_limit(cli, "loop-max", &loops) || !read_limit(cli, "cost-max", &trial->cost_max)
	    || !read_limit(cli, "memory-max", &memory))
		return false;
	trial->memory_max = memory;
	trial->limits = (struct cel_limits){.source = (uint32_t)source,
					    .nodes = (uint32_t)nodes,
					    .depth = (uint32_t)depth,
					    .literal_items = (uint32_t)items,
					    .comprehensions = (uint32_t)loops};
	return true;
}

/* Every member of the file's object is a variable. */
static bool
bind_file(struct cli *cli, struct cel_trial *trial, struct error *error)
{
	const char *path = cli_option(cli, "bind");
	size_t length;
	char *bytes;
	const struct value *json;

	if (!path)
		return true;
	bytes = cli_read_file(cli, path, json_limits_event.bytes, &length, error);
	json = bytes ? json_parse(cli->arena, bytes, length, &json_limits_event, error) : NULL;
	if (!json)
		return error_wrap(error, "%s", path);
	if (json->kind != VALUE_MAP)
		return error_set(error, ERROR_INVALID, "bad_value", "%s: no object of names and values", path);
	trial->variable_count = json->as.map.count;
	trial->variables = arena_take_array(cli->arena, trial->variable_count + 1, sizeof *trial->variables);
	for (size_t i = 0; i < trial->variable_count; i++) {
		trial->variables[i].name = json->as.map.members[i].name.bytes;
		trial->variables[i].value = cel_codec_plain(cli->arena, json->as.map.members[i].value);
	}
	return true;
}

/* The line of the source, and under it a caret where the column is. */
static void
show_place(struct cli *cli, const struct cel_trial *trial, const struct cel_fault *fault)
{
	const char *line = trial->source, *end = trial->source + trial->length;
	uint32_t column = 1;

	for (uint32_t i = 1; i < fault->line && line < end;) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));

		if (!feed)
			break;
		line = feed + 1;
		i++;
	}

	const char *feed = memchr(line, '\n', (size_t)(end - line));
	char *text = arena_copy(cli->arena, line, (size_t)((feed ? feed : end) - line));

	for (char *at = text; *at; at++)
		*at = *at == '\t' ? ' ' : *at;
	fputs("  ", stderr);
	cli_print_text(text, stderr);
	fputs("\n  ", stderr);
	for (; column < fault->column; column++)
		fputc(' ', stderr);
	fputs("^\n", stderr);
}

static int
show_faults(struct cli *cli, const struct cel_trial *trial)
{
	struct cel_fault one;
	const struct cel_fault *faults = trial->faults.items;
	size_t count = trial->faults.count;

	if (!count) {
		one = cel_trial_fault(trial);
		faults = &one;
		count = 1;
	}
	for (size_t i = 0; i < count; i++) {
		cli_say("%" PRIu32 ":%" PRIu32 ": %s (%s)", faults[i].line, faults[i].column, faults[i].text,
			cel_code_name(faults[i].code));
		show_place(cli, trial, &faults[i]);
	}
	return CLI_FAILED;
}

static int
show_value(struct cli *cli, const struct cel_trial *trial)
{
	struct buffer text = {.arena = cli->arena};
	const struct cel_type *type =
	    trial->type && trial->type->kind != CEL_T_DYN ? trial->type : cel_type_of_value(trial->value);

	cel_codec_text(&text, trial->value);
	cli_print_text(text.bytes, stdout);
	printf("\n%s\n", cel_type_text(cli->arena, type));
	return CLI_OK;
}

static int
try_one(struct cli *cli, struct cel_trial *trial)
{
	struct error error = {0};
	struct buffer answer = {.arena = cli->arena};

	trial->source = cli->arguments[0];
	trial->length = strlen(trial->source);
	trial->last = CEL_STAGE_VALUE;
	if (!bind_file(cli, trial, &error) || !cel_try(cli->arena, trial, &error))
		return cli_fail(&error);
	if (cli->json) {
		cel_batch_answer(&answer, trial, false);
		puts(answer.bytes);
		return trial->stage == CEL_STAGE_VALUE ? CLI_OK : CLI_FAILED;
	}
	return trial->stage == CEL_STAGE_VALUE ? show_value(cli, trial) : show_faults(cli, trial);
}

int
command_cel(struct cli *cli)
{
	bool batch = cli_option(cli, "batch") != NULL;
	struct cel_trial *trial = arena_take(cli->arena, sizeof *trial);

	if (batch ? cli->argument_count > 0 || cli_option(cli, "bind") : cli->argument_count != 1)
		return cli_usage(cli, "either an expression, with --bind or without, or --batch");
	if (!read_limits(cli, trial))
		return CLI_USAGE;
	if (!batch)
		return try_one(cli, trial);
	return cel_batch_run(stdin, stdout, trial) ? CLI_OK : CLI_FAILED;
}
