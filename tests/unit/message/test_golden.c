/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_golden.c - folders of records and what is to come of them: tests/golden/{request,response,outcome}/{good,bad}.
 *
 * name.json is the record's value, byte for byte (absent: no value). name.expect has a word and its text on each line:
 *   key TEXT, header NAME=VALUE (no "=": a header without value), append MICROSECONDS  - the rest of the record
 *   unsigned, signature TEXT, typ TEXT                                                  - instead of a good signature
 *   shows TEXT, digest TEXT                                                             - what a good one is read as
 *   code TEXT, field TEXT, answer TENANT ID (or none)                                   - how a bad one is refused
 */
#include "common/jws/jws.h"
#include "common/message/outcome.h"
#include "common/message/request.h"
#include "common/message/response.h"
#include "common/message/rfc3339.h"
#include "tests/unit/message/message_test.h"

#include <dirent.h>

#define GOLDEN "tests/golden"

enum { HEADERS = 16 };

struct golden {
	struct arena *arena;
	const char *name;
	struct record record;
	struct record_header headers[HEADERS];
	bool is_unsigned;
	const char *typ, *signature;
	const char *shows, *digest, *code, *field, *answer;
};

static struct crypto_key *key;

static char *
read_file(struct arena *arena, const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	struct buffer buffer = {.arena = arena};
	char block[4096];

	if (!file)
		return NULL;
	buffer_add_text(&buffer, "");
	for (size_t count; (count = fread(block, 1, sizeof block, file)) > 0;)
		buffer_add(&buffer, block, count);
	fclose(file);
	*length = buffer.length;
	return buffer.bytes;
}

static void
add_header(struct golden *golden, char *text)
{
	char *equals = strchr(text, '=');

	assert_true(golden->record.header_count < HEADERS);
	if (equals)
		*equals = '\0';
	golden->headers[golden->record.header_count++] = header(text, equals ? equals + 1 : NULL);
}

static void
read_line(struct golden *golden, char *line)
{
	char *space = strchr(line, ' '), *text = space ? space + 1 : line + strlen(line);
	const struct {
		const char *word, **place;
	} words[] = {{"typ", &golden->typ},	 {"signature", &golden->signature},
		     {"shows", &golden->shows},	 {"digest", &golden->digest},
		     {"code", &golden->code},	 {"field", &golden->field},
		     {"answer", &golden->answer}};

	if (space)
		*space = '\0';
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(line, words[i].word) == 0) {
			*words[i].place = text;
			return;
		}
	}
	if (strcmp(line, "key") == 0) {
		golden->record = keyed(golden->record, text);
	} else if (strcmp(line, "append") == 0) {
		golden->record.timestamp = atoll(text);
		golden->record.timestamp_is_append = true;
	} else if (strcmp(line, "header") == 0) {
		add_header(golden, text);
	} else if (strcmp(line, "unsigned") == 0) {
		golden->is_unsigned = true;
	} else {
		fail_msg("%s: what is \"%s\"?", golden->name, line);
	}
}

static void
read_golden(struct golden *golden, const char *folder, const char *name)
{
	size_t length = 0;
	char *expect =
	    read_file(golden->arena, arena_format(golden->arena, "%s/%s.expect", folder, name), &length);

	golden->name = arena_format(golden->arena, "%s/%s", folder, name);
	golden->record = (struct record){.topic = "golden", .timestamp = -1, .headers = golden->headers};
	golden->record.value = read_file(golden->arena, arena_format(golden->arena, "%s/%s.json", folder, name),
					 &golden->record.value_length);
	assert_non_null(expect);
	for (char *line; (line = strsep(&expect, "\n"));)
		if (*line && *line != '#')
			read_line(golden, line);
}

static void
sign(struct golden *golden, const char *typ)
{
	const struct record *record = &golden->record;

	if (golden->is_unsigned)
		return;
	if (!golden->signature)
		golden->signature = jws_sign_detached(golden->arena, key, golden->typ ? golden->typ : typ,
						      record->value ? record->value : "", record->value_length);
	assert_true(record->header_count < HEADERS);
	golden->headers[golden->record.header_count++] = header("signature", golden->signature);
}

static const char *
or_dash(const char *text)
{
	return text ? text : "-";
}

static void
expect_shown(const struct golden *golden, const char *shown)
{
	if (strcmp(shown, or_dash(golden->shows)) != 0)
		fail_msg("%s\n  expected %s\n  got      %s", golden->name, or_dash(golden->shows), shown);
}

static void
expect_result(const struct golden *golden, bool ok, const struct error *error)
{
	if (ok == !golden->code && strcmp(error->code, golden->code ? golden->code : "") == 0
	    && strcmp(error->field, golden->field ? golden->field : "") == 0)
		return;
	fail_msg("%s\n  expected %s at \"%s\"\n  got      %s at \"%s\": %s", golden->name,
		 or_dash(golden->code), or_dash(golden->field), ok ? "success" : error->code, error->field,
		 error->text);
}

static const char *
time_text(struct arena *arena, int64_t time)
{
	char *text = arena_take(arena, RFC3339_SIZE);

	if (!time)
		return "-";
	rfc3339_format(time, text);
	return text;
}

static void
check_request(struct golden *golden)
{
	struct request request;
	struct error error = {0};
	bool ok = request_parse(golden->arena, &golden->record, &request, &error);
	const char *answer =
	    request.key ? arena_format(golden->arena, "%s %s", request.tenant, request.request_id) : "none";

	expect_result(golden, ok, &error);
	if (strcmp(answer, golden->answer) != 0)
		fail_msg("%s: answered to %s, not %s", golden->name, answer, golden->answer);
	if (!ok)
		return;
	expect_shown(golden,
		     arena_format(golden->arena,
				  "%s %s on %s until %s for %s after %s because %s with %s and %s",
				  request.agent_id, request.action, request.target,
				  time_text(golden->arena, request.deadline), or_dash(request.on_behalf_of),
				  or_dash(request.parent_request_id), or_dash(request.reason),
				  request.context_json, or_dash(request.execution_json)));
	assert_string_equal(request.digest_text, golden->digest);
}

static void
check_response(struct golden *golden)
{
	struct response response;
	struct error error = {0};
	size_t length = 0;

	sign(golden, RESPONSE_TYP);

	bool ok = response_parse(golden->arena, &golden->record, &response, &error);

	expect_result(golden, ok, &error);
	if (!ok)
		return;
	assert_true(response.value == golden->record.value
		    && response.value_length == golden->record.value_length);
	assert_true(jws_verify(golden->arena, &response.signature, crypto_key_public(key), response.value,
			       response.value_length));
	expect_shown(golden,
		     arena_format(golden->arena, "%s: %s by %s in %s on %s/%s at %s appended %s because %s",
				  response.response_id,
				  response.deadline ? arena_format(golden->arena, "%s to %s",
								   response_verdict_name(response.verdict),
								   time_text(golden->arena, response.deadline))
						    : response_verdict_name(response.verdict),
				  response.responder, response.tenant, or_dash(response.request_id),
				  or_dash(response.approval_id), time_text(golden->arena, response.issued_at),
				  time_text(golden->arena, response.appended_at), or_dash(response.reason)));

	/* what we write of it is read as the same */
	struct record again = golden->record;
	struct response copy;

	again.value = response_format(golden->arena, &response, &length);
	again.value_length = length;
	assert_true(response_parse(golden->arena, &again, &copy, &error));
	assert_true(copy.verdict == response.verdict && copy.issued_at == response.issued_at
		    && copy.deadline == response.deadline);
	assert_string_equal(response_format(golden->arena, &copy, &length), (const char *)again.value);
}

static void
check_outcome(struct golden *golden)
{
	struct outcome outcome;
	struct error error = {0};
	size_t length = 0;
	bool ok = outcome_parse(golden->arena, &golden->record, &outcome, &error);

	expect_result(golden, ok, &error);
	if (!ok)
		return;
	assert_true(outcome.has_digest);
	expect_shown(golden, arena_format(golden->arena, "%s: %s %s by %s at %s under %s because %s: %s",
					  outcome.outcome_id, outcome.key, outcome_status_name(outcome.status),
					  outcome.reported_by, time_text(golden->arena, outcome.occurred_at),
					  or_dash(outcome.authorization), or_dash(outcome.code),
					  or_dash(outcome.detail)));

	struct record again = golden->record;
	struct outcome copy;

	again.value = outcome_format(golden->arena, &outcome, &length);
	again.value_length = length;
	assert_true(outcome_parse(golden->arena, &again, &copy, &error));
	assert_string_equal(outcome_format(golden->arena, &copy, &length), (const char *)again.value);
}

static int
by_expect(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 7 && strcmp(entry->d_name + length - 7, ".expect") == 0;
}

static void
check_folder(const char *folder, void (*check)(struct golden *golden))
{
	struct dirent **entries;
	int count = scandir(folder, &entries, by_expect, alphasort);

	if (count <= 0)
		fail_msg("nothing in %s", folder);
	for (int i = 0; i < count; i++) {
		struct golden golden = {.arena = arena_open()};

		read_golden(&golden, folder,
			    arena_copy(golden.arena, entries[i]->d_name,
				       strlen(entries[i]->d_name) - strlen(".expect")));
		check(&golden);
		arena_close(golden.arena);
		free(entries[i]);
	}
	free(entries);
	print_message("%d cases in %s\n", count, folder);
}

static void
good_requests_are_read_as_meant(void **state)
{
	(void)state;
	check_folder(GOLDEN "/request/good", check_request);
}

static void
bad_requests_are_refused_by_code_and_field_and_answered_where_that_is_safe(void **state)
{
	(void)state;
	check_folder(GOLDEN "/request/bad", check_request);
}

static void
good_responses_are_read_as_meant(void **state)
{
	(void)state;
	check_folder(GOLDEN "/response/good", check_response);
}

static void
bad_responses_are_refused_by_code_and_field(void **state)
{
	(void)state;
	check_folder(GOLDEN "/response/bad", check_response);
}

static void
good_outcomes_are_read_as_meant(void **state)
{
	(void)state;
	check_folder(GOLDEN "/outcome/good", check_outcome);
}

static void
bad_outcomes_are_refused_by_code_and_field(void **state)
{
	(void)state;
	check_folder(GOLDEN "/outcome/bad", check_outcome);
}

static int
open_key(void **state)
{
	(void)state;
	key = test_key();
	return 0;
}

static int
close_key(void **state)
{
	(void)state;
	crypto_key_close(key);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_requests_are_read_as_meant),
	    cmocka_unit_test(bad_requests_are_refused_by_code_and_field_and_answered_where_that_is_safe),
	    cmocka_unit_test(good_responses_are_read_as_meant),
	    cmocka_unit_test(bad_responses_are_refused_by_code_and_field),
	    cmocka_unit_test(good_outcomes_are_read_as_meant),
	    cmocka_unit_test(bad_outcomes_are_refused_by_code_and_field),
	};

	return cmocka_run_group_tests_name("golden", tests, open_key, close_key);
}
