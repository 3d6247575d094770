/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_envelope.c - CloudEvents in both modes, and plain JSON. What one mode takes the others take as the same body, and no
 * control header that repeats is ever taken.
 */
#include "common/message/envelope.h"
#include "tests/fuzz/fuzz.h"

static size_t
times(const struct record *record, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < record->header_count; i++)
		count += strcmp(record->headers[i].name, name) == 0;
	return count;
}

/* What may be put on the shelf has a form there: the names of the headers that matter are text. */
static void
check_names(const struct record *record)
{
	uint32_t point;

	for (size_t i = 0; i < record->header_count; i++) {
		const char *name = record->headers[i].name;

		for (size_t step; strncmp(record->headers[i].name, "ce_", 3) == 0 && *name; name += step) {
			step = value_utf8_decode(name, strlen(name), &point);
			assert(step);
		}
	}
}

static void
check_taken(const struct fuzz_record *input, const struct envelope *envelope)
{
	static const char *const once[] = {"ce_id",	"ce_specversion", "ce_type",
					   "ce_source", "content-type",	  "traceparent",
					   "signature", "ce_data",	  "ce_traceparent"};

	assert(envelope->body && envelope->body->kind == VALUE_MAP);
	assert(envelope->signed_bytes == input->record.value);
	assert(!envelope->ce_id_unclear);
	check_names(&input->record);
	for (size_t i = 0; i < COUNT_OF(once); i++)
		assert(times(&input->record, once[i]) <= 1);
	if (envelope->traceparent)
		assert(strlen(envelope->traceparent) == 55
		       && envelope->traceparent[strspn(envelope->traceparent, "0123456789abcdef-")] == '\0');
	assert(input->record.header_count <= 64);
}

static struct record_header
header(const char *name, const char *value)
{
	return (struct record_header){name, value, strlen(value)};
}

/* The body that was found, wrapped in each mode, is found again. */
static void
check_modes(struct arena *arena, struct value *body)
{
	const struct record_header binary[] = {header("ce_id", "i"), header("ce_source", "s"),
					       header("ce_type", "t"), header("ce_specversion", "1.0")};
	const struct record_header structured[] = {
	    header("content-type", "application/cloudevents+json; charset=utf-8")};
	struct text plain = fuzz_canonical(arena, body);
	struct value *event = value_map(arena);

	value_set_string(arena, event, "specversion", "1.0");
	value_set_string(arena, event, "id", "i");
	value_set_string(arena, event, "source", "s");
	value_set_string(arena, event, "type", "t");
	value_set(arena, event, "data", body);

	struct text whole = fuzz_canonical(arena, event);
	const struct record records[] = {
	    {.topic = "t", .value = plain.bytes, .value_length = plain.length},
	    {.topic = "t",
	     .value = plain.bytes,
	     .value_length = plain.length,
	     .headers = binary,
	     .header_count = COUNT_OF(binary)},
	    {.topic = "t",
	     .value = whole.bytes,
	     .value_length = whole.length,
	     .headers = structured,
	     .header_count = COUNT_OF(structured)},
	};

	for (size_t i = 0; i < COUNT_OF(records); i++) {
		struct envelope envelope;
		struct error error = {0};
		bool ok = envelope_open(arena, &records[i], &envelope, &error);

		if (!ok && strcmp(error.code, "too_large") == 0)
			continue;
		assert(ok && value_equal(envelope.body, body));
		assert(fuzz_equal(envelope.ce_id, i ? "i" : NULL));
	}
}

int
FUZZ_TARGET(envelope)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct fuzz_record *input = fuzz_record(arena, bytes, length);
	struct envelope envelope;
	struct error error = {0};

	if (envelope_open(arena, &input->record, &envelope, &error)) {
		check_taken(input, &envelope);
		check_modes(arena, envelope.body);
	} else {
		fuzz_refused(&error, ERROR_INVALID);
	}
	arena_close(arena);
	return 0;
}
