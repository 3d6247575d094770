/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_test.h - compares an event with tests/golden/event/NAME.{payload,headers}.json, byte for byte. With
 * COUNTERSIGN_WRITE_GOLDEN set the files are written instead: look at the difference before it is committed.
 */
#ifndef COUNTERSIGN_EVENT_TEST_H
#define COUNTERSIGN_EVENT_TEST_H

#include "common/jws/jws.h"
#include "common/message/event.h"
#include "tests/unit/message/message_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define TEST_TIME INT64_C(1796029200123456) /* 2026-11-30T09:00:00.123456Z */
#define TEST_TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
#define TEST_DIGEST "sha-256:64a1d0b76f544bb24f8579fbd6928aa7194d963d341a7f3b2f8c4ce1f5432816"

static struct crypto_key *key;

static inline int
open_all(void **state)
{
	key = test_key();
	return open_arena(state);
}

static inline int
close_all(void **state)
{
	crypto_key_close(key);
	return close_arena(state);
}

static inline void
compare_with_file(struct arena *arena, const char *path, const char *text)
{
	FILE *file = fopen(path, getenv("COUNTERSIGN_WRITE_GOLDEN") ? "w+" : "r");
	struct buffer buffer = {.arena = arena};
	int byte;

	if (!file)
		fail_msg("no %s; it would hold:\n%s", path, text);
	if (getenv("COUNTERSIGN_WRITE_GOLDEN")) {
		fprintf(file, "%s\n", text);
		rewind(file);
	}
	buffer_add_text(&buffer, "");
	while ((byte = fgetc(file)) != EOF)
		buffer_add_byte(&buffer, (char)byte);
	fclose(file);
	assert_string_equal(buffer.bytes, arena_format(arena, "%s\n", text));
}

static inline void
assert_golden(struct arena *arena, const struct event *event, const char *name)
{
	assert_int_equal(strlen(event->payload), event->payload_length);
	compare_with_file(arena, arena_format(arena, "tests/golden/event/%s.payload.json", name),
			  event->payload);
	compare_with_file(arena, arena_format(arena, "tests/golden/event/%s.headers.json", name),
			  event->headers);
}

/* The claims of a token that this key signed with this typ. */
static inline const char *
claims_of(struct arena *arena, const char *token, const char *typ)
{
	struct jws jws;
	struct error error = {0};

	assert_non_null(token);
	assert_true(jws_parse(arena, token, strlen(token), typ, false, &jws, &error));
	assert_true(jws_verify(arena, &jws, crypto_key_public(key), NULL, 0));
	return arena_copy(arena, jws.payload, jws.payload_length);
}

/* Whatever an assertion of ours guards must really end the process. */
static inline void
assert_aborts(void (*call)(void *context), void *context)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit no_core = {0, 0};

		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		call(context);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#endif
