/* SPDX-License-Identifier: Apache-2.0 */
/* document_test.h - reading texts of either form, and what they mean. */
#ifndef COUNTERSIGN_TESTS_DOCUMENT_TEST_H
#define COUNTERSIGN_TESTS_DOCUMENT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/canonical/canonical.h"
#include "common/document/document.h"
#include "common/message/json.h"
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline const char *
name_of(enum document_form form)
{
	return form == DOCUMENT_JSON ? "d.json" : "d.yaml";
}

static inline struct document
read_text(struct arena *arena, enum document_form form, const char *text)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;

	if (!document_read(arena, name_of(form), text, strlen(text), form, &document, &findings))
		fail_msg("%s: %s in %u:%u of:\n%s", findings.items[0].word, findings.items[0].text,
			 findings.items[0].at.line, findings.items[0].at.column, text);
	assert_int_equal(findings.count, 0);
	return document;
}

static inline const char *
canonical(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error error = {0};

	assert_true(canonical_format(&text, value, &error));
	return text.bytes;
}

/* The first finding as "word line:column". */
static inline const char *
refusal(struct arena *arena, enum document_form form, const char *text, size_t length)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;

	if (document_read(arena, name_of(form), text, length, form, &document, &findings))
		fail_msg("was taken as %s:\n%s", canonical(arena, document.value), text);
	assert_null(document.value);
	assert_true(findings.count >= 1);
	assert_true(findings.items[0].text[0] != '\0');
	return arena_format(arena, "%s %u:%u", findings.items[0].word, findings.items[0].at.line,
			    findings.items[0].at.column);
}

static inline void
refused(struct arena *arena, enum document_form form, const char *text, const char *wanted)
{
	const char *got = refusal(arena, form, text, strlen(text));

	if (strcmp(got, wanted) != 0)
		fail_msg("%s expected, got %s for:\n%s", wanted, got, text);
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

#define STORY(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

#endif
