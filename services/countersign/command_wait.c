/* SPDX-License-Identifier: Apache-2.0 */
/* command_wait.c - waiting for the final word as an agent would: on the topic, highest sequence, signature checked. */
#include "common/clock/clock.h"
#include "common/message/event.h"
#include "common/message/json.h"
#include "common/message/request.h"
#include "common/message/rfc3339.h"
#include "services/countersign/send.h"
#include <stdlib.h>
#include <string.h>

bool
jwks_read(struct cli *cli, const char *path, struct jwks *jwks, struct error *error)
{
	size_t length;
	char *bytes = cli_read_file(cli, path, 65536, &length, error);

	return (bytes && jwks_parse(cli->arena, bytes, length, jwks, error)) || error_wrap(error, "%s", path);
}

static bool
says(const struct value *word, const char *name, const char *expected)
{
	const char *said = value_get_string(word, name);
	return said && !strcmp(said, expected);
}

/* The key of a record is anybody's: it is the word itself that says what it is about. */
static bool
is_about(const struct value *word, const struct awaited *awaited)
{
	return says(word, "request_id", awaited->request_id) && says(word, "tenant", awaited->tenant);
}

/* A final word counts when its token is by a pinned key and says the same as the body. */
static bool
trusted(struct cli *cli, const struct value *word, const struct awaited *awaited)
{
	struct error error = {0};
	const char *digest = value_get_string(word, "request_digest");

	if (!is_about(word, awaited)) {
		cli_say("ignored an answer about another request");
		return false;
	}
	if (awaited->digest && (!digest || strcmp(digest, awaited->digest))) {
		cli_say("ignored an answer that is bound to another request digest");
		return false;
	}
	if (awaited->jwks && !jwks_vouch(cli->arena, awaited->jwks, word, &error)) {
		cli_say("ignored an answer: %s", error.text);
		return false;
	}
	return true;
}

static int64_t
sequence_of(const struct record *record)
{
	for (size_t i = 0; i < record->header_count; i++)
		if (!strcmp(record->headers[i].name, "countersign-sequence") && record->headers[i].length < 20
		    && record->headers[i].value) {
			char text[20] = {0};
			memcpy(text, record->headers[i].value, record->headers[i].length);
			return strtoll(text, NULL, 10);
		}
	return 0;
}

/* The word in a record, if it is one on the request that is waited for. */
static struct value *
word_of(struct cli *cli, const struct record *record, const char *key)
{
	struct error error = {0};
	if (!record->key || !record->value || record->key_length != strlen(key)
	    || memcmp(record->key, key, record->key_length))
		return NULL;
	return json_parse(cli->arena, record->value, record->value_length, &json_limits_event, &error);
}

/* A word stays on its topic for long after the authorization is worthless; one without an end is none. */
static bool
has_ended(const struct value *word)
{
	const char *text = value_get_string(word, "expires_at");
	int64_t end;

	return !text || !rfc3339_parse(text, strlen(text), &end) || cli_now() >= end;
}

static int
conclude(struct cli *cli, const struct value *word, const struct awaited *awaited)
{
	const char *status = word ? value_get_string(word, "status") : NULL;

	if (!status) {
		cli_say("no answer came in time");
		return CLI_TIMEOUT;
	}
	cli_print_map(cli, word);
	if (!strcmp(status, "PENDING"))
		return CLI_PENDING;
	if (!awaited->jwks)
		cli_say("the signature was not checked (--jwks FILE checks it)");
	if (strcmp(status, "GRANTED") != 0)
		return CLI_DENIED;
	if (has_ended(word)) {
		cli_say("the authorization has ended: it allows nothing any more");
		return CLI_DENIED;
	}
	return CLI_OK;
}

/* A grant may have been revoked since: what was on the topic already is read to its end. */
static bool
is_last(const struct bus_reader *reader, const struct value *word)
{
	return !says(word, "status", "PENDING")
	       && (!says(word, "status", "GRANTED") || bus_reader_caught_up(reader));
}

int
wait_for_word(struct cli *cli, struct bus_reader *take_reader, const struct awaited *awaited)
{
	const char *key = request_key(cli->arena, awaited->tenant, awaited->request_id);
	int64_t give_up = clock_monotonic() + awaited->timeout_us, highest = -1;
	const struct value *latest = NULL;
	bool at_end = false;

	while (!(latest && is_last(take_reader, latest)) && clock_monotonic() < give_up) {
		struct bus_poll poll = {0};
		struct value *word = NULL;
		bus_reader_next(take_reader, 200000, &poll, &at_end);
		if (poll.happening == BUS_RECORD)
			word = word_of(cli, &poll.record, key);
		if (word && sequence_of(&poll.record) > highest) {
			const char *status = value_get_string(word, "status");
			bool pending = status && !strcmp(status, "PENDING");
			if (status && (pending || trusted(cli, word, awaited))) {
				/* PENDING is not signed: whoever forges one must not outrun the final word */
				highest = pending ? highest : sequence_of(&poll.record);
				latest = word;
			}
		}
		if (poll.happening == BUS_RECORD)
			bus_release(poll.handle);
		if (poll.happening == BUS_FAULT && poll.error.kind == ERROR_BROKEN) {
			bus_reader_close(take_reader);
			return cli_fail(&poll.error);
		}
	}
	bus_reader_close(take_reader);
	return conclude(cli, latest, awaited);
}

bool
wait_options_read(struct cli *cli, struct awaited *awaited, struct jwks *jwks)
{
	struct error error = {0};
	const char *path = cli_option(cli, "jwks");

	awaited->timeout_us = cli_duration(cli, "timeout", INT64_C(300) * 1000000);
	if (path && !jwks_read(cli, path, jwks, &error)) {
		cli_fail(&error);
		return false;
	}
	awaited->jwks = path ? jwks : NULL;
	return true;
}

int
command_wait(struct cli *cli)
{
	struct error error = {0};
	struct jwks jwks;
	struct awaited awaited = {.tenant = cli->config.tenant,
				  .request_id = cli->arguments[0],
				  .digest = cli_option(cli, "digest")};
	const char *topic = cli_topic(cli, TOPIC_AUTHORIZATIONS);
	struct bus_options options = cli_bus(cli);
	struct bus_reader *reader;

	if (!request_id_valid(awaited.request_id, strlen(awaited.request_id)))
		return cli_usage(cli, "that is not a request id");
	if (!wait_options_read(cli, &awaited, &jwks))
		return CLI_FAILED;
	reader =
	    bus_options_check(&options, &error) ? bus_reader_open(&options, &topic, 1, true, &error) : NULL;
	return reader ? wait_for_word(cli, reader, &awaited) : cli_fail(&error);
}
