/* SPDX-License-Identifier: Apache-2.0 */
/* message_test.h - what the tests of this room share: an arena for each, records of a line, the published key of RFC 8037 A.1. */
#ifndef COUNTERSIGN_MESSAGE_TEST_H
#define COUNTERSIGN_MESSAGE_TEST_H

#include "common/crypto/crypto.h"
#include "common/message/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static inline int
open_arena(void **state)
{
	*state = arena_open();
	return 0;
}

static inline int
close_arena(void **state)
{
	arena_close(*state);
	return 0;
}

static inline struct record
record_of(const char *value)
{
	return (struct record){.topic = "countersign.requests", .value = value, .value_length = strlen(value)};
}

static inline struct record
keyed(struct record record, const char *key)
{
	record.key = key;
	record.key_length = strlen(key);
	return record;
}

static inline struct record_header
header(const char *name, const char *value)
{
	return (struct record_header){name, value, value ? strlen(value) : 0};
}

/* Every part counts, and the message says which input it was. */
static inline void
assert_refused(const struct error *error, const char *code, const char *field, const char *input)
{
	if (error->kind != ERROR_INVALID || strcmp(error->code, code) != 0 || strcmp(error->field, field) != 0)
		fail_msg("%.200s\n  expected %s at \"%s\"\n  got %s %s at \"%s\": %s", input, code, field,
			 error_kind_name(error->kind), error->code, error->field, error->text);
}

/* The text `piece` so many times. */
static inline const char *
repeated(struct arena *arena, const char *piece, size_t times)
{
	struct buffer buffer = {.arena = arena};

	buffer_add_text(&buffer, "");
	for (size_t i = 0; i < times; i++)
		buffer_add_text(&buffer, piece);
	return buffer.bytes;
}

/* Loaded from a file of mode 600, as keys are. */
static inline struct crypto_key *
test_key(void)
{
	static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
				  "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
				  "-----END PRIVATE KEY-----\n";
	char path[] = "/tmp/countersign-test-key-XXXXXX";
	struct error error = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0 && fchmod(fd, 0600) == 0);
	assert_int_equal(write(fd, pem, sizeof pem - 1), (ssize_t)(sizeof pem - 1));
	close(fd);

	struct crypto_key *key = crypto_key_load(path, &error);

	unlink(path);
	assert_non_null(key);
	return key;
}

#endif
