/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h - for tests of the machine: an expression in, what it is in words out. */
#ifndef COUNTERSIGN_TESTS_CEL_EXPRESSION_H
#define COUNTERSIGN_TESTS_CEL_EXPRESSION_H

#include "common/cel/cel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct expression {
	struct arena *arena;
	struct cel_env *env;
	struct cel_value slots[16];
	struct cel_run run;
	struct cel_faults faults;
	bool checked;
	uint64_t cost_max; /* of the static estimate; 0: none */
	const struct cel_program *program;
};

static inline void
expression_open(struct expression *e)
{
	*e = (struct expression){.arena = arena_open()};
	e->env = cel_env_open(e->arena);
	e->run.slots = e->slots;
}

static inline void
expression_close(struct expression *e)
{
	cel_env_close(e->env);
	arena_close(e->arena);
}

static inline void
expression_declare(struct expression *e, const char *name, const char *type, struct cel_value value)
{
	struct error error = {0};
	const struct cel_type *parsed = cel_type_parse(e->arena, type, &error);
	size_t slot;

	assert_non_null(parsed);
	assert_true(cel_declare(e->env, name, parsed, &slot, &error));
	assert_true(slot < 16);
	e->slots[slot] = value;
}

static inline struct cel_value
expression_string(struct expression *e, const char *text)
{
	return cel_string(arena_string(e->arena, text), strlen(text));
}

/* NULL with faults. */
static inline const struct cel_program *
expression_compile(struct expression *e, const char *source)
{
	const struct cel_checked *checked = NULL;
	const struct cel_tree *tree;

	memset(&e->faults, 0, sizeof e->faults);
	e->program = NULL;
	tree = cel_parse(e->arena, source, strlen(source), 0, NULL, &e->faults);
	if (tree && e->checked)
		checked = cel_check(e->env, e->arena, tree, NULL, &e->faults);
	if (tree && (checked || !e->checked))
		e->program = cel_compile(e->env, tree, tree->root, checked, e->cost_max, &e->faults);
	return e->program;
}

static inline void
expression_print(struct buffer *out, struct cel_value value)
{
	const struct cel_entry *entry;
	size_t position = 0;
	const char *between = "";

	switch (value.kind) {
	case CEL_ERROR:
		buffer_add_format(out, "%s at %u", cel_code_name(value.code), value.extra);
		break;
	case CEL_NULL:
		buffer_add_text(out, "null");
		break;
	case CEL_BOOL:
		buffer_add_text(out, value.as.boolean ? "true" : "false");
		break;
	case CEL_INT:
		buffer_add_format(out, "%lld", (long long)value.as.integer);
		break;
	case CEL_UINT:
		buffer_add_format(out, "%lluu", (unsigned long long)value.as.natural);
		break;
	case CEL_DOUBLE:
		buffer_add_format(out, "%.17gd", value.as.real);
		break;
	case CEL_STRING:
	case CEL_BYTES:
		buffer_add_text(out, value.kind == CEL_BYTES ? "b'" : "'");
		buffer_add(out, value.as.bytes, value.extra);
		buffer_add_text(out, "'");
		break;
	case CEL_LIST:
		buffer_add_text(out, "[");
		for (size_t i = 0; i < value.as.list->count; i++, between = ", ") {
			buffer_add_text(out, between);
			expression_print(out, value.as.list->items[i]);
		}
		buffer_add_text(out, "]");
		break;
	case CEL_MAP:
		buffer_add_text(out, "{");
		while ((entry = cel_map_next(value.as.map, &position)) != NULL) {
			buffer_add_text(out, between);
			expression_print(out, entry->key);
			buffer_add_text(out, ": ");
			expression_print(out, entry->value);
			between = ", ";
		}
		buffer_add_text(out, "}");
		break;
	case CEL_TYPE:
		buffer_add_text(out, cel_type_name(value.as.type));
		break;
	case CEL_OPTIONAL:
		buffer_add_text(out, value.as.optional ? "some " : "none");
		if (value.as.optional)
			expression_print(out, *value.as.optional);
		break;
	default:
		buffer_add_format(out, "kind %d", value.kind);
	}
}

/* What the expression is: a value in words, "code at position", or the first fault with "fault " before it. */
static inline const char *
expression_value(struct expression *e, const char *source)
{
	struct buffer out = {.arena = e->arena};

	if (expression_compile(e, source)) {
		expression_print(&out, cel_evaluate(e->program, &e->run, e->arena));
	} else {
		assert_true(e->faults.count > 0);
		buffer_add_format(&out, "fault %s at %u", cel_code_name(e->faults.items[0].code),
				  e->faults.items[0].position);
	}
	return out.bytes;
}

struct expected {
	const char *source, *value;
};

static inline void
expression_all(struct expression *e, const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = expression_value(e, expected[i].source);

		if (strcmp(value, expected[i].value) != 0)
			fail_msg("%s: %s, expected %s", expected[i].source, value, expected[i].value);
	}
}

#define EXPRESSION_ALL(e, expected) expression_all(e, expected, sizeof expected / sizeof expected[0])

#endif
