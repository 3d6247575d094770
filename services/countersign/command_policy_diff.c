/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy_diff.c - what a new policy changes: in the document, and in decisions about requests that were made before. */
#include "common/canonical/canonical.h"
#include "common/message/json.h"
#include "common/policy/policy_input.h"
#include "services/countersign/policy_change.h"
#include "services/countersign/policy_file.h"
#include "services/countersign/policy_replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REPLAY_LAST = 1000, REPLAY_LAST_MAX = 100000 };

/* ------------------------------------------------------------------ documents */

static void
print_side(struct cli *cli, const char *sign, const struct value *value)
{
	struct buffer text = {.arena = cli->arena};
	struct error unused = {0};

	if (!value || (value->kind != VALUE_STRING && !canonical_format(&text, value, &unused)))
		return;
	fputs(sign, stdout);
	cli_print_text(value->kind == VALUE_STRING ? value->as.string.bytes : text.bytes, stdout);
	putchar('\n');
}

static void
print_change(struct cli *cli, const struct value *change)
{
	const char *name = value_get_string(change, "name"), *key = value_get_string(change, "key");

	cli_print_text(arena_format(cli->arena, "%s%s%s %s%s%s", value_get_string(change, "part"),
				    name ? " " : "", name ? name : "", value_get_string(change, "change"),
				    key ? ": " : "", key ? key : ""),
		       stdout);
	putchar('\n');
	if (strcmp(value_get_string(change, "change"), "changed") == 0) {
		print_side(cli, "  - ", value_get(change, "before"));
		print_side(cli, "  + ", value_get(change, "after"));
	}
}

static int
print_changes(struct cli *cli, const struct value *changes)
{
	if (cli->json) {
		cli_print_list(cli, changes, NULL);
		return CLI_OK;
	}
	for (size_t i = 0; i < changes->as.list.count; i++)
		print_change(cli, changes->as.list.items[i]);
	if (changes->as.list.count == 0)
		puts("nothing is changed");
	return CLI_OK;
}

/* ------------------------------------------------------------------ requests in a file */

struct replaying {
	struct cli *cli;
	struct policy_layers before, after;
	struct policy_replay *replay;
	struct arena *arena; /* of one request */
	const char *path;
	uint64_t line;
	int64_t now;
};

/* The request, or the `request` of an exported decision with the time at which it was decided. */
static bool
read_line(struct replaying *replaying, const char *bytes, size_t length, struct request *request,
	  int64_t *now, struct error *error)
{
	struct value *map = json_parse(replaying->arena, bytes, length, &json_limits_event, error);
	struct value *inner = map ? value_get(map, "request") : NULL;
	const char *at = inner ? value_get_string(map, "decided_at") : NULL;
	uint32_t nanoseconds;
	int64_t seconds;

	*now = replaying->now;
	if (!map)
		return false;
	if (at && !policy_timestamp_parse((struct text){at, strlen(at)}, &seconds, &nanoseconds))
		return error_set_field(error, ERROR_INVALID, "bad_value", "decided_at",
				       "must be a time as 2026-03-04T10:00:00Z");
	if (at)
		*now = seconds * 1000000 + nanoseconds / 1000;
	return policy_request_of(replaying->arena, inner ? inner : map, request, error);
}

static bool
replay_line(struct replaying *replaying, const char *bytes, size_t length, struct error *error)
{
	struct policy_decision decisions[2];
	struct policy_seen before, after;
	struct request request;
	int64_t now;

	arena_reset(replaying->arena);
	if (!read_line(replaying, bytes, length, &request, &now, error))
		return error_wrap(error, "%s:%" PRIu64, replaying->path, replaying->line);
	policy_request_decide(&replaying->before, &request, false, NULL, now, replaying->arena, &decisions[0]);
	policy_request_decide(&replaying->after, &request, false, NULL, now, replaying->arena, &decisions[1]);
	before = policy_seen_of(replaying->arena, &decisions[0], true);
	after = policy_seen_of(replaying->arena, &decisions[1], true);
	policy_replay_add(replaying->replay,
			  strcmp(request.request_id, "dry-run") != 0
			      ? request.request_id
			      : arena_format(replaying->arena, "line %" PRIu64, replaying->line),
			  &before, &after);
	return true;
}

static bool
is_blank(const char *line)
{
	return line[strspn(line, " \t\r\n")] == '\0';
}

static bool
replay_file(struct replaying *replaying, struct error *error)
{
	FILE *file = strcmp(replaying->path, "-") == 0 ? stdin : fopen(replaying->path, "rb");
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	bool good = true;

	if (!file)
		return error_set(error, ERROR_INVALID, "file", "%s: %s", replaying->path, strerror(errno));
	while (good && (length = getline(&line, &room, file)) >= 0) {
		replaying->line++;
		good = is_blank(line) || replay_line(replaying, line, (size_t)length, error);
	}
	if (good && ferror(file))
		good = error_set(error, ERROR_INVALID, "file", "%s: %s", replaying->path, strerror(errno));
	free(line);
	if (file != stdin)
		fclose(file);
	return good;
}

int
command_policy_diff(struct cli *cli)
{
	struct error error = {0};
	struct policy_file before, after;
	const char *path = cli_option(cli, "replay");
	int result = policy_file_read(cli, cli->arguments[0], &before);

	if (result == CLI_OK)
		result = policy_file_read(cli, cli->arguments[1], &after);
	if (result != CLI_OK)
		return result;
	if (!path)
		return print_changes(cli,
				     policy_changes(cli->arena, before.document.value, after.document.value));

	struct replaying replaying = {.cli = cli,
				      .before = {{before.policy.policy}, 1},
				      .after = {{after.policy.policy}, 1},
				      .replay = policy_replay_open(cli->arena),
				      .arena = arena_open(),
				      .path = path,
				      .now = cli_now()};
	bool good = replay_file(&replaying, &error);

	arena_close(replaying.arena);
	if (!good)
		return cli_fail(&error);
	policy_replay_print(cli, replaying.replay);
	return CLI_OK;
}

/* ------------------------------------------------------------------ stored decisions */

enum column {
	TENANT,
	REQUEST_ID,
	AGENT_ID,
	ACTION,
	TARGET,
	CONTEXT,
	DEADLINE,
	DIGEST,
	VERDICT,
	REASON_CODE,
	RULES,
	CLASS_ID,
	EXPLANATION,
	DECIDED_AT,
	VERIFIED,
};

/* The profiles that were asked and what was obliged to, as policy_seen_of has them. */
static const char *
asked_of(struct arena *arena, const struct value *explanation)
{
	const struct value *list = value_get(explanation, "approvals"),
			   *obligations = value_get(explanation, "obligations");
	struct buffer text = {.arena = arena};
	struct error unused = {0};

	buffer_add_text(&text, "");
	for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->as.list.count; i++)
		buffer_add_format(&text, "%s ", value_get_string(list->as.list.items[i], "profile"));
	if (obligations && !canonical_format(&text, obligations, &unused))
		return ""; /* never: they were stored so */
	return text.bytes;
}

/* The limits that were exceeded. */
static const char *
exceeded_of(struct arena *arena, const struct value *explanation)
{
	const struct value *list = value_get(explanation, "limits");
	struct buffer text = {.arena = arena};

	for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->as.list.count; i++) {
		const struct value *exceeded = value_get(list->as.list.items[i], "exceeded");

		if (exceeded && exceeded->kind == VALUE_BOOL && exceeded->as.boolean)
			buffer_add_format(&text, "%s%s", text.length ? ", " : "",
					  value_get_string(list->as.list.items[i], "limit"));
	}
	return text.bytes;
}

/* What decided. */
static const char *
cause_of(struct arena *arena, const struct store_rows *rows, size_t row, const struct value *explanation)
{
	const char *code = store_row_text(rows, row, REASON_CODE);
	const char *limits = strcmp(code, "limit_exceeded") == 0 ? exceeded_of(arena, explanation) : NULL;
	size_t count;
	const char *const *rules = store_row_list(rows, row, RULES, &count);
	struct buffer by = {.arena = arena};

	for (size_t i = 0; i < count; i++)
		buffer_add_format(&by, "%s%s", i ? ", " : "", rules[i]);
	if (count)
		return by.bytes;
	if (limits)
		return limits;
	return strcmp(code, "class_default") == 0
		   ? arena_format(arena, "the default of %s", store_row_text(rows, row, CLASS_ID))
		   : code;
}

/* A document in the place of the active one of its name, beside the others that are active. */
struct replacing {
	struct policy_actives actives;
	const struct policy *policy;
};

static bool
replay_row(const struct replacing *replacing, struct policy_replay *replay, const struct store_rows *rows,
	   size_t row, struct arena *arena, struct error *error)
{
	const char *context = store_row_text(rows, row, CONTEXT);
	struct request request = {
	    .tenant = store_row_text(rows, row, TENANT),
	    .request_id = store_row_text(rows, row, REQUEST_ID),
	    .agent_id = store_row_text(rows, row, AGENT_ID),
	    .action = store_row_text(rows, row, ACTION),
	    .target = store_row_text(rows, row, TARGET),
	    .context = json_parse(arena, context, strlen(context), &json_limits_request, error),
	    .deadline = store_row_null(rows, row, DEADLINE) ? 0 : store_row_time(rows, row, DEADLINE),
	};
	const char *text = store_row_text(rows, row, EXPLANATION);
	const struct value *explanation =
	    text ? json_parse(arena, text, strlen(text), &json_limits_event, error) : NULL;
	struct policy_decision decision;
	struct policy_seen before, after;
	struct policy_layers layers;

	if (!request.context || (text && !explanation)
	    || !policy_actives_of(&replacing->actives, request.tenant, replacing->policy, &layers, error))
		return error_wrap(error, "request %s", request.request_id);
	before = (struct policy_seen){.verdict = store_row_text(rows, row, VERDICT),
				      .by = cause_of(arena, rows, row, explanation),
				      .asks = asked_of(arena, explanation)};
	memcpy(request.digest_text, store_row_text(rows, row, DIGEST), sizeof request.digest_text);
	policy_request_decide(&layers, &request, store_row_bool(rows, row, VERIFIED),
			      value_get(explanation, "limits"), store_row_time(rows, row, DECIDED_AT), arena,
			      &decision);
	after = policy_seen_of(arena, &decision, false);
	policy_replay_add(replay, request.request_id, &before, &after);
	return true;
}

static bool
replay_rows(const struct replacing *replacing, struct policy_replay *replay, const struct store_rows *rows,
	    struct error *error)
{
	struct arena *arena = arena_open();
	bool good = true;

	for (size_t row = 0; good && row < store_rows_count(rows); row++) {
		arena_reset(arena);
		good = replay_row(replacing, replay, rows, row, arena, error);
	}
	arena_close(arena);
	return good;
}

int
command_policy_replay(struct cli *cli)
{
	struct error error = {0};
	struct policy_file file;
	struct policy_replay *replay = policy_replay_open(cli->arena);
	const char *last = cli_option(cli, "last");
	char *end = NULL;
	long number = last ? strtol(last, &end, 10) : REPLAY_LAST;
	size_t count;
	int result;

	if (last && (end == last || *end || number < 1 || number > REPLAY_LAST_MAX))
		return cli_usage(cli, "--last: a number from 1 to %d", REPLAY_LAST_MAX);
	result = policy_file_read(cli, cli->arguments[0], &file);
	if (result != CLI_OK)
		return result;

	const char *const *tenants = policy_tenants(file.policy.policy, &count);
	struct store_param params[] = {store_text_list(tenants, count), store_int(number)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_POLICY_REPLAY, params, 2, &error);

	struct replacing replacing = {.policy = file.policy.policy};

	if (!rows || !policy_actives_load(cli, &replacing.actives, &error)
	    || !replay_rows(&replacing, replay, rows, &error))
		return cli_fail(&error);
	policy_replay_print(cli, replay);
	return CLI_OK;
}
