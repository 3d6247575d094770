/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_outcome.c - what whoever executed may report: taken, it says the same when it is formatted and read again. */
#include "common/message/outcome.h"
#include "common/message/request.h"
#include "tests/fuzz/fuzz.h"

static void
check_again(struct arena *arena, const struct outcome *outcome)
{
	struct record record = {.topic = "t"};
	struct error error = {0};
	struct outcome again;

	record.value = outcome_format(arena, outcome, &record.value_length);
	assert(record.value);

	bool ok = outcome_parse(arena, &record, &again, &error);

	assert(ok);
	assert(strcmp(outcome->outcome_id, again.outcome_id) == 0);
	assert(strcmp(outcome->key, again.key) == 0 && strcmp(outcome->reported_by, again.reported_by) == 0);
	assert(fuzz_equal(outcome->authorization, again.authorization));
	assert(fuzz_equal(outcome->code, again.code) && fuzz_equal(outcome->detail, again.detail));
	assert(outcome->status == again.status && outcome->occurred_at == again.occurred_at);
	assert(memcmp(outcome->request_digest, again.request_digest, sizeof again.request_digest) == 0);

	const char *text = outcome_format(arena, &again, &record.value_length);

	assert(strcmp(text, record.value) == 0);
}

int
FUZZ_TARGET(outcome)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct fuzz_record *input = fuzz_record(arena, bytes, length);
	struct error error = {0};
	struct outcome outcome;

	if (outcome_parse(arena, &input->record, &outcome, &error)) {
		assert(request_id_valid(outcome.outcome_id, strlen(outcome.outcome_id)));
		assert(request_id_valid(outcome.request_id, strlen(outcome.request_id)));
		assert(request_tenant_valid(outcome.tenant, strlen(outcome.tenant)));
		assert(outcome.has_digest && outcome.occurred_at >= 0 && fuzz_one_line(outcome.reported_by));
		assert(!outcome.authorization || strlen(outcome.authorization) <= 8192);
		assert(!outcome.code || (strlen(outcome.code) <= 128 && fuzz_one_line(outcome.code)));
		assert(!outcome.detail || (strlen(outcome.detail) <= 1024 && fuzz_one_line(outcome.detail)));
		check_again(arena, &outcome);
	} else {
		fuzz_refused(&error, ERROR_INVALID);
	}
	arena_close(arena);
	return 0;
}
