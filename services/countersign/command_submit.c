/* SPDX-License-Identifier: Apache-2.0 */
/* command_submit.c - asking, answering, reporting: what goes onto the input topics. Checked here as the services will. */
#include "common/canonical/canonical.h"
#include "common/id/id.h"
#include "common/jws/jws.h"
#include "common/message/json.h"
#include "common/message/outcome.h"
#include "common/message/request.h"
#include "common/message/response.h"
#include "common/message/rfc3339.h"
#include "common/message/event.h"
#include "services/countersign/check.h"
#include "services/countersign/send.h"
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------- submit */

/* Puts a member in the place of what the file said. */
static void
replace(struct cli *cli, struct value *map, const char *name, struct value *value)
{
	for (size_t i = 0; i < map->as.map.count; i++)
		if (!strcmp(map->as.map.members[i].name.bytes, name)) {
			map->as.map.members[i].value = value;
			return;
		}
	value_set(cli->arena, map, name, value);
}

static struct value *
submit_base(struct cli *cli, struct error *error)
{
	size_t length;
	char *bytes;
	struct value *map;

	if (!cli->argument_count)
		return value_map(cli->arena);
	bytes = cli_read_file(cli, cli->arguments[0], json_limits_request.bytes, &length, error);
	map = bytes ? json_parse(cli->arena, bytes, length, &json_limits_request, error) : NULL;
	if (map && map->kind != VALUE_MAP) {
		error_set(error, ERROR_INVALID, "not_an_object", "%s: a request is a JSON object",
			  cli->arguments[0]);
		return NULL;
	}
	return map;
}

static bool
submit_context(struct cli *cli, struct value *map, struct error *error)
{
	const char *text = cli_option(cli, "context");
	struct value *context =
	    text ? json_parse(cli->arena, text, strlen(text), &json_limits_request, error) : NULL;
	if (text && !context)
		return error_wrap(error, "--context");
	if (text)
		replace(cli, map, "context", context);
	return true;
}

/* The body from the file and the options, with an id in it. */
static struct value *
submit_body(struct cli *cli, struct error *error)
{
	static const char *const options[][2] = {{"id", "request_id"}, {"agent", "agent_id"},
						 {"action", "action"}, {"target", "target"},
						 {"reason", "reason"}, {"deadline", "deadline"}};
	struct value *map = submit_base(cli, error);

	for (size_t i = 0; map && i < sizeof options / sizeof *options; i++)
		if (cli_option(cli, options[i][0]))
			replace(cli, map, options[i][1],
				value_string(cli->arena, cli_option(cli, options[i][0])));
	if (!map || !submit_context(cli, map, error))
		return NULL;
	if (!value_get(map, "request_id"))
		value_set_string(cli->arena, map, "request_id", id_random().text);
	if (!value_get(map, "tenant") && (cli_option(cli, "key") || strcmp(cli->config.tenant, "default")))
		value_set_string(cli->arena, map, "tenant", cli->config.tenant);
	return map;
}

/* The signature over a body that says since when it counts; NULL in *signature without --key. */
static bool
submit_sign(struct cli *cli, struct value *map, struct buffer *body, const char **signature, struct error *error)
{
	const char *path = cli_option(cli, "key");
	struct crypto_key *key = path ? crypto_key_load(path, error) : NULL;
	char issued_at[RFC3339_SIZE];

	if (path && !key)
		return false;
	if (key) {
		rfc3339_format(cli_now(), issued_at);
		replace(cli, map, "issued_at", value_string(cli->arena, arena_string(cli->arena, issued_at)));
	}

	bool ok = canonical_format(body, map, error);

	if (ok && key)
		*signature = jws_sign_detached(cli->arena, key, REQUEST_TYP, body->bytes, body->length);
	if (key)
		crypto_key_close(key);
	return ok;
}

static void
submit_print(struct cli *cli, const struct request *request)
{
	struct value *map = value_map(cli->arena);
	value_set_string(cli->arena, map, "request_id", request->request_id);
	value_set_string(cli->arena, map, "request_digest", request->digest_text);
	cli_print_map(cli, map);
}

int
command_submit(struct cli *cli)
{
	struct error error = {0};
	struct request request = {0};
	struct buffer body = {.arena = cli->arena};
	struct value *map = submit_body(cli, &error);
	struct record record = {0};
	struct jwks jwks;
	struct awaited awaited = {0};
	struct bus_options options = cli_bus(cli);
	struct bus_reader *reader = NULL;
	const char *topic = cli_topic(cli, TOPIC_AUTHORIZATIONS), *signature = NULL;

	if (!map || !submit_sign(cli, map, &body, &signature, &error))
		return cli_fail(&error);
	struct record_header header = {"signature", signature, signature ? strlen(signature) : 0};

	record.value = body.bytes;
	record.value_length = body.length;
	record.headers = &header;
	record.header_count = signature ? 1 : 0;
	if (!request_parse(cli->arena, &record, &request, &error))
		return cli_fail(&error);
	if (cli_option(cli, "wait")) {
		if (!wait_options_read(cli, &awaited, &jwks))
			return CLI_FAILED;
		awaited.tenant = request.tenant;
		awaited.request_id = request.request_id;
		awaited.digest = request.digest_text;
		reader = bus_reader_open_at_end(&options, &topic, 1, &error);
		if (!reader)
			return cli_fail(&error);
	}
	if (!send_record(cli, TOPIC_REQUESTS, request.key, body.bytes, body.length, signature, &error)) {
		if (reader)
			bus_reader_close(reader);
		return cli_fail(&error);
	}
	if (!reader || !cli->json)
		submit_print(cli, &request);
	return reader ? wait_for_word(cli, reader, &awaited) : CLI_OK;
}

/* ---------------------------------------------------------------- approve, deny */

static bool
look_up_digest(struct cli *cli, const char *request_id, uint8_t digest[CRYPTO_SHA256_SIZE], struct error *error)
{
	struct store_param params[] = {store_text(cli->config.tenant), store_text(request_id)};
	const char *given = cli_option(cli, "digest"), *text = given;

	if (!given) {
		struct store_rows *rows = cli_read(cli, STATEMENT_CLI_REQUEST_DIGEST, params, 2, error);
		if (!rows)
			return false;
		text = store_rows_count(rows) ? store_row_text(rows, 0, 0) : NULL;
	}
	if (!text || !crypto_digest_parse(text, digest))
		return error_set(error, ERROR_INVALID, "digest",
				 given ? "--digest: not sha-256: and 64 hex digits"
				       : "the request has no digest: it was not valid");
	return true;
}

/* How the resolver took it; NULL while it has not. */
static const char *
poll_result(struct cli *cli, const char *kid, const char *response_id, struct error *error)
{
	struct store_param params[] = {store_text(kid), store_text(response_id)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_RESPONSE_RESULT, params, 2, error);
	return rows && store_rows_count(rows) ? store_row_text(rows, 0, 0) : NULL;
}

static int
await_result(struct cli *cli, const struct crypto_key *key, const struct response *response)
{
	struct error error = {0};
	int64_t timeout = cli_duration(cli, "timeout", INT64_C(10) * 1000000);
	const char *result = NULL;
	int64_t begun = cli_now();

	if (!timeout || (!cli->store && cli_option(cli, "digest")))
		return CLI_OK;
	while (!result && error.kind == ERROR_NONE && cli_now() - begun < timeout) {
		result = poll_result(cli, crypto_key_thumbprint(key), response->response_id, &error);
		if (!result)
			nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	}
	if (error.kind != ERROR_NONE)
		return cli_fail(&error);
	if (!result) {
		cli_say("%s: sent, but not taken yet (an unknown or revoked key shows in `countersign "
			"quarantine list`)",
			response->request_id);
		return CLI_TIMEOUT;
	}
	cli_say("%s: %s", response->request_id, !strcmp(result, "counted") ? "counted" : result);
	return !strcmp(result, "counted") || !strcmp(result, "repeated") ? CLI_OK : CLI_DENIED;
}

/* What the resolver would say of its form, said before it is sent. */
static bool
answer_valid(struct cli *cli, const char *value, size_t length, const char *signature, struct error *error)
{
	struct record_header header = {"signature", signature, strlen(signature)};
	struct record record = {.value = value, .value_length = length, .headers = &header, .header_count = 1};
	struct response checked;
	return response_parse(cli->arena, &record, &checked, error);
}

static int
answer_one(struct cli *cli, const struct crypto_key *key, const char *responder, const char *argument,
	   enum response_verdict verdict, int64_t deadline)
{
	struct error error = {0};
	const char *given = cli_option(cli, "response-id");
	struct response response = {
	    .tenant = cli->config.tenant,
	    .responder = responder,
	    .verdict = verdict,
	    .issued_at = cli_now(),
	    .reason = cli_option(cli, "reason"),
	    .deadline = deadline,
	    .response_id = given ? given : arena_string(cli->arena, id_random().text),
	    .request_id = cli_option(cli, "digest") ? argument : check_request_id(cli, argument, &error)};
	size_t length;
	char *value, *signature;

	if (!response.request_id || !look_up_digest(cli, response.request_id, response.request_digest, &error))
		return cli_fail(&error);
	value = response_format(cli->arena, &response, &length);
	if (!value)
		return cli_usage(cli, "--reason, --as and --response-id must be UTF-8");
	signature = jws_sign_detached(cli->arena, key, RESPONSE_TYP, value, length);
	if (!answer_valid(cli, value, length, signature, &error)
	    || !send_record(cli, TOPIC_RESPONSES, request_key(cli->arena, response.tenant, response.request_id),
			    value, length, signature, &error))
		return cli_fail(&error);
	return await_result(cli, key, &response);
}

static int
answer(struct cli *cli, enum response_verdict verdict, int64_t deadline)
{
	struct error error = {0};
	const char *path = cli_option(cli, "key") ? cli_option(cli, "key") : cli->config.key_file;
	const char *responder = cli_option(cli, "as") ? cli_option(cli, "as") : cli->config.responder;
	struct crypto_key *key;
	int code = CLI_OK;

	if (!*path || !*responder)
		return cli_usage(cli,
				 "--key and --as are required (or responder.key_file and responder.name)");
	if (cli_option(cli, "response-id") && cli->argument_count > 1)
		return cli_usage(cli, "--response-id goes with one request only");
	key = check_name("--as", responder, &error) ? crypto_key_load(path, &error) : NULL;
	if (!key)
		return cli_fail(&error);
	for (int i = 0; i < cli->argument_count; i++) {
		int one = answer_one(cli, key, responder, cli->arguments[i], verdict, deadline);
		code = one != CLI_OK ? one : code;
	}
	crypto_key_close(key);
	return code;
}

int
command_approve(struct cli *cli)
{
	return answer(cli, RESPONSE_APPROVE, 0);
}

int
command_deny(struct cli *cli)
{
	return answer(cli, RESPONSE_DENY, 0);
}

/* ---------------------------------------------------------------- outcome */

static bool
parse_status(const char *text, enum outcome_status *status)
{
	for (enum outcome_status s = OUTCOME_STARTED; s <= OUTCOME_ROLLED_BACK; s++)
		if (text && !strcmp(text, outcome_status_name(s))) {
			*status = s;
			return true;
		}
	return false;
}

int
command_outcome(struct cli *cli)
{
	struct error error = {0};
	const char *id = cli_option(cli, "id");
	struct outcome outcome = {.tenant = cli->config.tenant,
				  .has_digest = true,
				  .occurred_at = cli_now(),
				  .outcome_id = id ? id : arena_string(cli->arena, id_random().text),
				  .reported_by = cli_option(cli, "reported-by"),
				  .authorization = cli_option(cli, "authorization"),
				  .code = cli_option(cli, "code"),
				  .detail = cli_option(cli, "detail")};
	struct record record = {0};
	struct outcome checked = {0};
	size_t length;
	char *value;

	if (!parse_status(cli_option(cli, "status"), &outcome.status))
		return cli_usage(cli, "--status: started, succeeded, failed or rolled_back");
	if (!outcome.reported_by)
		return cli_usage(cli, "--reported-by is required");
	outcome.request_id =
	    cli_option(cli, "digest") ? cli->arguments[0] : check_request_id(cli, cli->arguments[0], &error);
	if (!outcome.request_id || !look_up_digest(cli, outcome.request_id, outcome.request_digest, &error))
		return cli_fail(&error);
	value = outcome_format(cli->arena, &outcome, &length);
	if (!value)
		return cli_usage(cli, "what is given must be UTF-8");
	record.value = value;
	record.value_length = length;
	if (!outcome_parse(cli->arena, &record, &checked, &error)
	    || !send_record(cli, TOPIC_OUTCOMES, checked.key, value, length, NULL, &error))
		return cli_fail(&error);
	cli_say("outcome %s sent", outcome.outcome_id);
	return CLI_OK;
}

int
command_recuse(struct cli *cli)
{
	return answer(cli, RESPONSE_RECUSE, 0);
}

static int
answer_why(struct cli *cli, enum response_verdict verdict)
{
	if (!cli_option(cli, "reason"))
		return cli_usage(cli, "--reason is required: it is what others are shown");
	return answer(cli, verdict, 0);
}

int
command_comment(struct cli *cli)
{
	return answer_why(cli, RESPONSE_COMMENT);
}

int
command_override(struct cli *cli)
{
	return answer_why(cli, RESPONSE_OVERRIDE);
}

int
command_review(struct cli *cli)
{
	return answer_why(cli, RESPONSE_REVIEW);
}

/* Only the agent itself can: --as names it, --key is one that speaks for it. */
int
command_withdraw(struct cli *cli)
{
	return answer(cli, RESPONSE_WITHDRAW, 0);
}

int
command_revoke(struct cli *cli)
{
	return answer(cli, RESPONSE_REVOKE, 0);
}

int
command_extend(struct cli *cli)
{
	const char *until = cli_option(cli, "until");
	int64_t deadline;

	if (!until || !rfc3339_parse(until, strlen(until), &deadline))
		return cli_usage(cli, "--until is required: the new deadline, as 2026-11-30T18:00:00Z");
	return answer(cli, RESPONSE_EXTEND, deadline);
}
