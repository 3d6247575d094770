/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mutated.c - tens of thousands of records made out of tests/golden by cutting, flipping and inserting, always the same
 * ones. Nobody knows what is to come of each; what must hold for all of them is tested, under the sanitizers too.
 */
#include "common/canonical/canonical.h"
#include "common/message/outcome.h"
#include "common/message/report.h"
#include "common/message/request.h"
#include "common/message/response.h"
#include "tests/unit/message/message_test.h"

#include <dirent.h>

enum { SEEDS_MAX = 512, SEED_BYTES_MAX = 8192, ROOM = 256, ROUNDS = 40000 };

struct seeds {
	size_t count;
	struct text texts[SEEDS_MAX];
};

static uint64_t random_state = UINT64_C(88172645463325252);

/* xorshift64: the same numbers on every machine. */
static size_t
below(size_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)(random_state % limit);
}

static int
is_record(const struct dirent *entry)
{
	return strstr(entry->d_name, ".json") != NULL;
}

static void
load_seeds(struct arena *arena, struct seeds *seeds, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_record, alphasort);

	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		FILE *file = fopen(arena_format(arena, "%s/%s", folder, entries[i]->d_name), "rb");
		char *bytes = arena_take(arena, SEED_BYTES_MAX);

		assert_non_null(file);
		assert_true(seeds->count < SEEDS_MAX);
		seeds->texts[seeds->count++] = (struct text){bytes, fread(bytes, 1, SEED_BYTES_MAX, file)};
		fclose(file);
		free(entries[i]);
	}
	free(entries);
}

static void
insert(char *bytes, size_t *length, size_t at)
{
	static const char *const pieces[] = {
	    "\"",
	    "\\",
	    "{",
	    "}",
	    "[",
	    "]",
	    ",",
	    ":",
	    "1e400",
	    "-0",
	    "1e20",
	    "1e21",
	    "1e-400",
	    "9007199254740993",
	    "0.1",
	    "-2.5e-7",
	    "\\u0000",
	    "\\ud800",
	    "\xff",
	    "\xef\xbb\xbf",
	    "null",
	    "\"a\":1",
	    "\"request_id\":\"z\"",
	    "\"tenant\":\"acme\"",
	    "\"data\":{",
	    "\\u0072",
	    "\n",
	    "\xf0\x9f\x98\x80",
	};
	const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
	size_t size = strlen(piece);

	memmove(bytes + at + size, bytes + at, *length - at);
	memcpy(bytes + at, piece, size);
	*length += size;
}

static void
mutate(char *bytes, size_t *length)
{
	for (size_t changes = below(4); changes > 0 && *length > 0; changes--) {
		size_t at = below(*length), cut = below(8);

		switch (below(8)) {
		case 0:
			*length = at;
			break;
		case 1:
		case 2:
			bytes[at] = (char)below(256);
			break;
		case 3:
		case 4:
			cut = cut < *length - at ? cut : *length - at;
			memmove(bytes + at, bytes + at + cut, *length - at - cut);
			*length -= cut;
			break;
		default:
			insert(bytes, length, at);
			break;
		}
	}
}

/* Plain, binary, structured, or with a header that can't be right. */
static void
dress(struct record *record, struct record_header headers[4])
{
	record->headers = headers;
	switch (below(5)) {
	case 0:
		headers[0] = header("content-type", "application/cloudevents+json");
		record->header_count = 1;
		break;
	case 1:
		headers[0] = header("ce_specversion", "1.0");
		headers[1] = header("ce_id", "ce-7");
		headers[2] = header("ce_source", "s");
		headers[3] = header("ce_type", "t");
		record->header_count = 4;
		break;
	case 2:
		headers[0] = header("ce_id", "\xff");
		record->header_count = 1;
		break;
	default:
		break;
	}
}

/* Sent again in the form in which we store it, it is the same request. */
static void
check_taken(struct arena *arena, const struct request *request)
{
	struct value *body = value_map(arena);
	struct buffer text = {.arena = arena};
	struct request again;
	struct error error = {0};

	value_set_string(arena, body, "request_id", request->request_id);
	value_set_string(arena, body, "tenant", request->tenant);
	value_set_string(arena, body, "agent_id", request->agent_id);
	value_set_string(arena, body, "action", request->action);
	value_set_string(arena, body, "target", request->target);
	value_set(arena, body, "context", (struct value *)request->context);
	if (request->execution)
		value_set(arena, body, "execution", (struct value *)request->execution);
	assert_true(canonical_format(&text, body, &error));

	struct record record = record_of(text.bytes);

	if (!request_parse(arena, &record, &again, &error))
		fail_msg("%s at \"%s\": %s", error.code, error.field, text.bytes);
	assert_string_equal(request->digest_text, again.digest_text);
	assert_string_equal(request->context_json, again.context_json);
}

static void
check_refused(struct arena *arena, const struct record *record, const struct request *request,
	      const struct error *reason)
{
	struct quarantine quarantine = {.record = record,
					.reason = reason,
					.tenant = request->tenant,
					.request_id = request->request_id,
					.at = 1,
					.source = "/countersign/test"};
	struct event event;
	struct error error = {0};

	assert_int_equal(reason->kind, ERROR_INVALID);
	assert_true(reason->code[0] && reason->text[0]);
	for (const char *at = reason->field; *at; at++)
		assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
	quarantine_digest(record, quarantine.digest);
	if (!quarantine_event(arena, &quarantine, &event, &error))
		fail_msg("%s: %s", error.code, error.text);
}

static bool
check(struct arena *arena, const struct record *record)
{
	struct request request;
	struct response response;
	struct outcome outcome;
	struct error error = {0};
	bool taken = request_parse(arena, record, &request, &error);

	assert_true(!request.request_id == !request.tenant && !request.request_id == !request.key);
	if (taken)
		check_taken(arena, &request);
	else
		check_refused(arena, record, &request, &error);
	error_clear(&error);
	assert_false(response_parse(arena, record, &response, &error)); /* there is no signature */
	error_clear(&error);
	if (outcome_parse(arena, record, &outcome, &error))
		assert_true(outcome.outcome_id && outcome.key && outcome.has_digest);
	return taken;
}

static void
whatever_comes_is_taken_whole_or_refused_with_a_reason(void **state)
{
	static const char *const folders[] = {"tests/golden/request/good", "tests/golden/request/good",
					      "tests/golden/request/bad", "tests/golden/response/good",
					      "tests/golden/outcome/good"};
	struct seeds *seeds = arena_take(*state, sizeof *seeds);
	struct arena *arena = arena_open();
	unsigned taken = 0;

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		load_seeds(*state, seeds, folders[i]);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct text seed = seeds->texts[below(seeds->count)];
		struct record_header headers[4];
		struct record record = keyed((struct record){.topic = "t"}, "k");
		char *room = memory_take(seed.length + ROOM);

		memcpy(room, seed.bytes, seed.length);
		mutate(room, &seed.length);

		char *exact = memory_take(seed.length); /* a byte behind it is a fault */

		memcpy(exact, room, seed.length);
		record.value = exact;
		record.value_length = seed.length;
		dress(&record, headers);
		taken += check(arena, &record);
		free(exact);
		free(room);
		arena_reset(arena);
	}
	arena_close(arena);
	print_message("%u of %d were taken\n", taken, ROUNDS);
	assert_in_range(taken, ROUNDS / 100, ROUNDS / 2); /* neither side is empty */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whatever_comes_is_taken_whole_or_refused_with_a_reason),
	};

	return cmocka_run_group_tests_name("mutated", tests, open_arena, close_arena);
}
