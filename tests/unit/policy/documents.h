/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - policies for tests, written as JSON with ' for ". */
#ifndef COUNTERSIGN_TESTS_DOCUMENTS_H
#define COUNTERSIGN_TESTS_DOCUMENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/message/json.h"
#include "common/policy/policy.h"
#include <string.h>

#define MINUTE (INT64_C(60) * 1000000)
#define HOUR (60 * MINUTE)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline struct value *
parse(struct arena *arena, const char *text)
{
	static const struct json_limits limits = {
	    .bytes = 64u << 20, .depth = 16, .keys = 30000, .items = 30000, .string = 8192, .key = 8192};
	char *json = arena_string(arena, text);
	struct error error = {0};

	for (char *c = json; *c; c++)
		if (*c == '\'')
			*c = '"';

	struct value *value = json_parse(arena, json, strlen(json), &limits, &error);

	if (!value)
		fail_msg("%s: %s at %s in %.400s", error.code, error.text, error.field, json);
	return value;
}

static inline struct policy *
load(struct arena *arena, const char *text)
{
	struct error error = {0};
	struct policy *policy = policy_load(arena, parse(arena, text), &error);

	if (!policy)
		fail_msg("%s at %s: %s in %.400s", error.code, error.field, error.text, text);
	return policy;
}

/* `text` with the first `find`, which must be there, replaced. */
static inline char *
edit(struct arena *arena, const char *text, const char *find, const char *replace)
{
	const char *at = strstr(text, find);

	if (!at)
		fail_msg("the test looks for %s, which is not there", find);
	return arena_format(arena, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find));
}

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

/* A test with an arena as its state. */
#define STORY(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

#endif
