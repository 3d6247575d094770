/* SPDX-License-Identifier: Apache-2.0 */
/* command_show.c - reading: the life of one request, the list of requests, deliveries, quarantine. */
#include "common/message/json.h"
#include "services/countersign/check.h"
#include "services/countersign/story.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One section of `show`: a statement over (tenant, request id) and its columns (see cli_rows). */
struct section {
	const char *title;
	enum statement statement;
	const char *const *names;
	const char *const *columns; /* what the table shows */
};

#define NAMES(...)                                                                                           \
	(const char *const[])                                                                                \
	{                                                                                                    \
		__VA_ARGS__, NULL                                                                            \
	}

static const struct section sections[] = {
    {"decisions", STATEMENT_CLI_SHOW_DECISIONS,
     NAMES("#n", "verdict", "code", "text", "remediation", "@rules", "class", "policy", "#version", "digest",
	   "engine", "at", "layers", "obligations"),
     NAMES("at", "verdict", "code", "text", "rules", "policy", "version")},
    {"approval", STATEMENT_CLI_SHOW_APPROVAL,
     NAMES("approval_id", "state", "why", "opened_at", "deadline", "closed_at", "#refused"),
     NAMES("opened_at", "state", "why", "deadline", "closed_at", "refused")},
    {"needs", STATEMENT_CLI_SHOW_NEEDS,
     NAMES("group", "profile", "#quorum", "#votes", "@members", "policy", "#stage", "of", "now", "#ahead"),
     NAMES("profile", "stage", "of", "group", "quorum", "votes", "now", "ahead", "members")},
    {"escalations", STATEMENT_CLI_SHOW_ESCALATIONS, NAMES("group", "how", "#quorum", "at", "#stage"),
     NAMES("at", "how", "group", "quorum", "stage")},
    {"hold", STATEMENT_CLI_SHOW_HOLD, NAMES("hold", "reason", "since", "until", "ended"),
     NAMES("since", "hold", "reason", "until", "ended")},
    {"responses", STATEMENT_CLI_SHOW_RESPONSES,
     NAMES("response_id", "responder", "verdict", "result", "reason", "kid", "at", "@counted_for"),
     NAMES("at", "responder", "verdict", "result", "reason")},
    {"authorizations", STATEMENT_CLI_SHOW_WORDS,
     NAMES("status", "code", "text", "at", "not_before", "expires_at", "event_id"),
     NAMES("at", "status", "code", "text", "expires_at")},
    {"outcomes", STATEMENT_CLI_SHOW_OUTCOMES,
     NAMES("outcome_id", "status", "judgement", "reported_by", "code", "detail", "digest", "at", "signed_by",
	   "signed_with"),
     NAMES("at", "status", "judgement", "reported_by", "signed_by", "code", "detail")},
    {"incidents", STATEMENT_CLI_SHOW_INCIDENTS, NAMES("kind", "severity", "text", "at", "incident_id"),
     NAMES("at", "severity", "kind", "text")},
    {"deliveries", STATEMENT_CLI_SHOW_DELIVERIES,
     NAMES("channel", "target", "kind", "state", "#attempts", "code", "delivery_id", "at"),
     NAMES("at", "channel", "target", "kind", "state", "attempts")},
    {"quarantine", STATEMENT_CLI_SHOW_QUARANTINE,
     NAMES("quarantine_id", "service", "code", "field", "text", "at"),
     NAMES("at", "service", "code", "field", "text")},
};

static void
inline_json(struct cli *cli, struct value *map, const char *name)
{
	struct error error = {0};
	const char *text = value_get_string(map, name);
	struct value *parsed =
	    text ? json_parse(cli->arena, text, strlen(text), &json_limits_event, &error) : NULL;
	for (size_t i = 0; parsed && i < map->as.map.count; i++)
		if (!strcmp(map->as.map.members[i].name.bytes, name))
			map->as.map.members[i].value = parsed;
}

static bool
waits_for_hold(const struct value *whole)
{
	const struct value *holds = value_get(whole, "hold");

	for (size_t i = 0; i < holds->as.list.count; i++)
		if (!value_get_string(holds->as.list.items[i], "ended"))
			return true;
	return false;
}

/* Approved is not succeeded: one line says where the request really stands. */
static const char *
standing(const struct value *whole)
{
	const struct value *words = value_get(whole, "authorizations"),
			   *outcomes = value_get(whole, "outcomes");
	const char *status = words->as.list.count
				 ? value_get_string(words->as.list.items[words->as.list.count - 1], "status")
				 : NULL;
	const char *outcome =
	    outcomes->as.list.count
		? value_get_string(outcomes->as.list.items[outcomes->as.list.count - 1], "status")
		: NULL;

	if (!status)
		return "received";
	if (!strcmp(status, "PENDING"))
		return waits_for_hold(whole) ? "held" : "waiting for approval";
	if (!strcmp(status, "REVOKED") && outcome)
		return "granted, the grant was taken back, and an outcome was reported";
	if (strcmp(status, "GRANTED") && outcome)
		return "not authorized, but somebody reported an outcome";
	if (strcmp(status, "GRANTED"))
		return !strcmp(status, "EXPIRED")     ? "expired, nobody had decided in time"
		       : !strcmp(status, "CANCELLED") ? "taken back"
		       : !strcmp(status, "REVOKED")   ? "granted, and the grant was taken back"
						      : "refused";
	return !outcome			       ? "authorized, not executed (no outcome was reported)"
	       : !strcmp(outcome, "succeeded") ? "authorized, reported as succeeded"
	       : !strcmp(outcome, "failed")    ? "authorized, reported as failed"
	       : !strcmp(outcome, "started")   ? "authorized, reported as started"
					       : "authorized, reported as rolled back";
}

static void
print_sections(const struct cli *cli, const struct value *whole)
{
	cli_print_map(cli, value_get(whole, "request"));
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		const struct value *list = value_get(whole, sections[i].title);
		if (!list->as.list.count)
			continue;
		printf("\n%s\n", sections[i].title);
		cli_print_list(cli, list, sections[i].columns);
	}
}

/* Whom a PENDING request waits for. */
static void
print_awaited(const struct value *whole)
{
	const struct value *needs = value_get(whole, "needs");
	const char *between = ": who may answer now is in ";

	for (size_t i = 0; i < needs->as.list.count; i++) {
		const struct value *need = needs->as.list.items[i];
		if (strcmp(value_get_string(need, "now"), "asked") != 0)
			continue;
		printf("%s", between);
		cli_print_text(value_get_string(need, "group"), stdout);
		between = ", ";
	}
}

static void
print_story(const struct value *whole)
{
	const char *where = value_get_string(whole, "standing");

	printf("Request %s\n\n", value_get_string(value_get(whole, "request"), "request_id"));
	story_print(value_get(whole, "story"));
	printf("\nNow: %s", where);
	if (!strcmp(where, "waiting for approval"))
		print_awaited(whole);
	puts(".");
}

static bool
read_sections(struct cli *cli, const char *id, struct value *whole, struct error *error)
{
	struct store_param params[] = {store_text(cli->config.tenant), store_text(id)};
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		struct store_rows *rows = cli_read(cli, sections[i].statement, params, 2, error);
		if (!rows)
			return false;
		value_set(cli->arena, whole, sections[i].title, cli_rows(cli, rows, sections[i].names));
	}
	return true;
}

int
command_show(struct cli *cli)
{
	static const char *const names[] = {"tenant",
					    "request_id",
					    "agent_id",
					    "owner",
					    "action",
					    "target",
					    "context",
					    "execution",
					    "reason",
					    "on_behalf_of",
					    "parent_request_id",
					    "deadline",
					    "digest",
					    "received_at",
					    "origin",
					    "#chain",
					    "signed_by",
					    "signed_with",
					    NULL};
	struct error error = {0};
	const char *id = check_request_id(cli, cli->arguments[0], &error);
	struct store_param params[] = {store_text(cli->config.tenant), store_text(id)};
	struct store_rows *rows = id ? cli_read(cli, STATEMENT_CLI_SHOW_REQUEST, params, 2, &error) : NULL;
	struct value *whole = value_map(cli->arena), *request, *story;

	if (!rows)
		return cli_fail(&error);
	request = cli_rows(cli, rows, names)->as.list.items[0];
	inline_json(cli, request, "context");
	inline_json(cli, request, "execution");
	value_set(cli->arena, whole, "request", request);
	if (!read_sections(cli, id, whole, &error))
		return cli_fail(&error);
	story = story_tell(cli, id, whole, &error);
	if (!story)
		return cli_fail(&error);
	value_set_string(cli->arena, whole, "standing", standing(whole));
	value_set(cli->arena, whole, "story", story);
	if (cli->json) {
		cli_print_map(cli, whole);
		return CLI_OK;
	}
	print_story(whole);
	if (cli_option(cli, "records")) {
		puts("");
		print_sections(cli, whole);
	}
	return CLI_OK;
}

static const char *
upper(struct cli *cli, const char *text)
{
	char *copy = arena_string(cli->arena, text);
	for (char *at = copy; at && *at; at++)
		*at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
	return copy;
}

static bool
one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(text, *words))
			return true;
	return false;
}

int
command_list(struct cli *cli)
{
	static const char *const columns[] = {"request_id",	   "status", "decision", "code",
					      "agent_id",	   "action", "target",	 "received_at",
					      "approval_deadline", NULL};
	const char *state = upper(cli, cli_option(cli, "state"));
	int64_t newest = cli_limit(cli);
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant), store_text(state), store_int(newest)};
	struct store_rows *rows;

	if (!newest)
		return CLI_USAGE;
	if (state
	    && !one_of(state,
		       NAMES("PENDING", "GRANTED", "DENIED", "EXPIRED", "CANCELLED", "REVOKED", "UNFINISHED")))
		return cli_usage(
		    cli, "--state: pending, granted, denied, expired, cancelled, revoked or unfinished");
	rows = cli_read(cli, STATEMENT_CLI_LIST, params, 3, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, columns), columns);
	return CLI_OK;
}

int
command_deliveries_list(struct cli *cli)
{
	static const char *const names[] = {"delivery_id", "request_id",      "channel",   "target",
					    "kind",	   "state",	      "#attempts", "code",
					    "error",	   "next_attempt_at", NULL};
	static const char *const columns[] = {"delivery_id", "request_id", "channel", "target", "kind",
					      "state",	     "attempts",   "code",    "error",	NULL};
	const char *state = cli_option(cli, "state");
	int64_t newest = cli_limit(cli);
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant), store_text(state), store_int(newest)};
	struct store_rows *rows;

	if (!newest)
		return CLI_USAGE;
	if (state && !one_of(state, NAMES("pending", "sent", "dead")))
		return cli_usage(cli, "--state: pending, sent or dead");
	rows = cli_read(cli, STATEMENT_CLI_DELIVERIES, params, 3, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}

int
command_deliveries_replay(struct cli *cli)
{
	int code = CLI_OK;
	for (int i = 0; i < cli->argument_count; i++) {
		struct error error = {0};
		struct store_param params[] = {store_text(cli->config.tenant), store_text(cli->arguments[i])};
		struct store_rows *rows = NULL;
		if (!cli_change(cli, STATEMENT_CLI_DELIVERY_REPLAY, params, 2, &rows, &error))
			return cli_fail(&error);
		if (store_rows_count(rows))
			cli_say("%s will be sent again", store_row_text(rows, 0, 0));
		else
			cli_say("%s: not exactly one dead delivery of this tenant", cli->arguments[i]);
		code = store_rows_count(rows) ? code : CLI_FAILED;
	}
	return code;
}

int
command_quarantine_list(struct cli *cli)
{
	static const char *const names[] = {"quarantine_id", "service", "code",	 "field", "text",
					    "request_id",    "origin",	"#size", "at",	  NULL};
	static const char *const columns[] = {"quarantine_id", "service", "code", "field",
					      "request_id",    "origin",  "at",	  NULL};
	int64_t newest = cli_limit(cli);
	struct error error = {0};
	struct store_param params[] = {store_int(newest)};
	struct store_rows *rows;

	if (!newest)
		return CLI_USAGE;
	rows = cli_read(cli, STATEMENT_CLI_QUARANTINE, params, 1, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}

/* Printable bytes as they are, all others as \xhh, so that nothing reaches the terminal that could hurt it. */
static char *
printable(struct cli *cli, struct store_bytes bytes)
{
	struct buffer buffer = {.arena = cli->arena};
	for (size_t i = 0; i < bytes.length; i++) {
		unsigned char byte = ((const unsigned char *)bytes.bytes)[i];
		if (byte >= 0x20 && byte < 0x7f && byte != '\\')
			buffer_add_byte(&buffer, (char)byte);
		else
			buffer_add_format(&buffer, "\\x%02x", byte);
	}
	return buffer.length ? buffer.bytes : NULL;
}

static void
add_raw(struct cli *cli, struct value *map, const char *quarantine_id)
{
	struct error error = {0};
	struct store_param param = store_uuid(quarantine_id);
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_QUARANTINE_RAW, &param, 1, &error);

	if (!rows) {
		cli_say("raw bytes: %s", error.text);
		return;
	}
	if (!store_rows_count(rows))
		return;
	value_set_string(cli->arena, map, "raw_key", printable(cli, store_row_bytes(rows, 0, 0)));
	value_set_string(cli->arena, map, "raw_value", printable(cli, store_row_bytes(rows, 0, 1)));
	value_set_string(cli->arena, map, "raw_headers", store_row_text(rows, 0, 2));
	value_set_string(cli->arena, map, "keep_until", store_row_text(rows, 0, 3));
}

int
command_quarantine_show(struct cli *cli)
{
	static const char *const names[] = {"quarantine_id", "service", "code",	  "field", "text", "tenant",
					    "request_id",    "origin",	"digest", "#size", "at",   NULL};
	struct error error = {0};
	struct store_param param = store_text(cli->arguments[0]);
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_QUARANTINE_ONE, &param, 1, &error);
	struct value *map;

	if (!rows)
		return cli_fail(&error);
	if (store_rows_count(rows) != 1) {
		cli_say("%s: %s", cli->arguments[0],
			store_rows_count(rows) ? "not unambiguous" : "no such record (8 characters at least)");
		return CLI_FAILED;
	}
	map = cli_rows(cli, rows, names)->as.list.items[0];
	add_raw(cli, map, store_row_text(rows, 0, 0));
	cli_print_map(cli, map);
	return CLI_OK;
}
