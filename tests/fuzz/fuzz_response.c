/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_response.c - what a person may answer. A signature that we made verifies over exactly these bytes and over no others;
 * what is taken says the same when it is formatted, signed and read again.
 */
#include "common/message/request.h"
#include "common/message/response.h"
#include "tests/fuzz/fuzz.h"

static bool
verifies(struct arena *arena, const struct response *response, const void *value, size_t length)
{
	return jws_verify(arena, &response->signature, crypto_key_public(fuzz_key()), value, length);
}

static void
check_signature(struct arena *arena, const struct fuzz_record *input, const struct response *response)
{
	const struct record *record = &input->record;

	assert(response->value == record->value && response->value_length == record->value_length);
	assert(strcmp(response->signature.header.typ, RESPONSE_TYP) == 0);
	if (!input->sign)
		return;
	assert(verifies(arena, response, response->value, response->value_length));

	char *other = arena_copy(arena, record->value, record->value_length);

	other[record->value_length / 2] ^= 1;
	assert(!verifies(arena, response, other, record->value_length));
	assert(!verifies(arena, response, other, record->value_length - 1));
}

static void
check_again(struct arena *arena, const struct response *response)
{
	struct fuzz_record *input = fuzz_record(arena, NULL, 0);
	struct error error = {0};
	struct response again;
	size_t length = 0;
	const char *text = response_format(arena, response, &length);

	assert(text);
	input->record.value = text;
	input->record.value_length = length;
	fuzz_sign(arena, input, RESPONSE_TYP);

	bool ok = response_parse(arena, &input->record, &again, &error);

	assert(ok);
	assert(strcmp(response->response_id, again.response_id) == 0);
	assert(strcmp(response->tenant, again.tenant) == 0);
	assert(strcmp(response->responder, again.responder) == 0);
	assert(fuzz_equal(response->request_id, again.request_id));
	assert(fuzz_equal(response->approval_id, again.approval_id));
	assert(fuzz_equal(response->reason, again.reason));
	assert(response->verdict == again.verdict && response->issued_at == again.issued_at);
	assert(memcmp(response->request_digest, again.request_digest, sizeof again.request_digest) == 0);
}

int
FUZZ_TARGET(response)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct fuzz_record *input = fuzz_record(arena, bytes, length);
	struct error error = {0};
	struct response response;

	if (input->sign)
		fuzz_sign(arena, input, RESPONSE_TYP);
	if (response_parse(arena, &input->record, &response, &error)) {
		assert(!response.request_id != !response.approval_id);
		assert(request_id_valid(response.response_id, strlen(response.response_id)));
		assert(response.verdict == RESPONSE_APPROVE || response.verdict == RESPONSE_DENY);
		assert(fuzz_one_line(response.responder) && response.appended_at >= 0);
		check_signature(arena, input, &response);
		check_again(arena, &response);
	} else {
		fuzz_refused(&error, ERROR_INVALID);
	}
	arena_close(arena);
	return 0;
}
