/* SPDX-License-Identifier: Apache-2.0 */
/* policy_shown.c - what people may see of a request's inputs, and reasons that name them in braces: {context.amount_minor}. */
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_read.h"
#include "common/visible/visible.h"

#include <string.h>

enum { SHOWN_CHARACTERS = 64 };

/* ------------------------------------------------------------------ one input */

static struct value *
shortened(struct arena *arena, struct text text)
{
	size_t length = 0;
	uint32_t point;

	for (size_t i = 0; i < SHOWN_CHARACTERS && length < text.length; i++) {
		size_t step = value_utf8_decode(text.bytes + length, text.length - length, &point);

		length += step ? step : 1;
	}
	if (length >= text.length)
		return value_text(arena, text.bytes, text.length);
	return value_string(arena, arena_format(arena, "%.*s…", (int)length, text.bytes));
}

static struct value *
marked(struct arena *arena, const char *mark, bool *is_mark)
{
	*is_mark = true;
	return value_string(arena, mark);
}

static struct value *
shown(struct arena *arena, const struct value *value, bool *is_mark)
{
	switch (value->kind) {
	case VALUE_STRING:
		return shortened(arena, value->as.string);
	case VALUE_LIST:
		return marked(arena, arena_format(arena, "(%zu items)", value->as.list.count), is_mark);
	case VALUE_MAP:
		return marked(arena, arena_format(arena, "(%zu members)", value->as.map.count), is_mark);
	case VALUE_BOOL:
		return value_bool(arena, value->as.boolean);
	case VALUE_INT:
		return value_int(arena, value->as.integer);
	case VALUE_REAL:
		return value_real(arena, value->as.real);
	default:
		return value_null(arena);
	}
}

static struct value *
default_of(struct arena *arena, const struct policy_datum *datum, bool *is_mark)
{
	switch (datum ? datum->kind : POLICY_T_ABSENT) {
	case POLICY_T_BOOL:
		return value_bool(arena, datum->as.boolean);
	case POLICY_T_INT:
		return value_int(arena, datum->as.integer);
	case POLICY_T_DOUBLE:
		return value_real(arena, datum->as.real);
	case POLICY_T_STRING:
		return shortened(arena, datum->as.string);
	case POLICY_T_ABSENT:
		return marked(arena, "(absent)", is_mark);
	default:
		return marked(arena, "(default)", is_mark);
	}
}

static bool
hides(const struct policy *policy, const char *path)
{
	const struct policy_type *map = &policy->inputs;

	while (map && map->fields && *path) {
		size_t length = strcspn(path, ".[");
		const struct policy_field *field = policy_field_of(map, (struct text){path, length});

		if (field && field->sensitive)
			return true;
		map = field && path[length] == '.' ? &field->type : NULL;
		path += length + (path[length] == '.');
	}
	return false;
}

bool
policy_is_hidden(const struct policy_deciding *deciding, const char *path)
{
	for (size_t i = 0; deciding->head && i < deciding->head->layer_count; i++)
		if (hides(deciding->head->layers[i].policy, path))
			return true;
	return hides(deciding->policy, path);
}

struct value *
policy_input_shown(const struct policy_deciding *deciding, const char *path, struct arena *arena, bool *is_mark)
{
	const struct policy_type *map = &deciding->policy->inputs;
	const struct value *value = deciding->request->context;
	const struct policy_field *field = NULL;

	*is_mark = false;
	if (policy_is_hidden(deciding, path))
		return marked(arena, "(hidden)", is_mark);
	for (const char *at = path; *at;) {
		size_t length = strcspn(at, ".[");
		const char *name = arena_copy(arena, at, length);

		field = map && map->fields ? policy_field_of(map, (struct text){at, length}) : NULL;
		value = value ? value_get(value, name) : NULL;
		map = field ? &field->type : NULL;
		at += length;
		if (*at == '[')
			break;
		at += *at == '.';
	}
	return value ? shown(arena, value, is_mark)
		     : default_of(arena, field ? field->fallback : NULL, is_mark);
}

/* ------------------------------------------------------------------ placeholders */

static const char start[] = "{context.";

bool
policy_placeholder_find(const char *text, struct text *path)
{
	while ((text = strstr(text, start))) {
		const char *end;

		text += strlen(start);
		end = strchr(text, '}');
		if (!end)
			return false;
		*path = (struct text){text, (size_t)(end - text)};
		if (path->length)
			return true;
	}
	return false;
}

/* A text of the request stands in quotation marks, so that it can't pass for the policy's; our own marks do not. */
static void
add_shown(struct buffer *line, const struct policy_deciding *deciding, struct text path, struct arena *arena)
{
	bool is_mark;
	const struct value *value =
	    policy_input_shown(deciding, arena_copy(arena, path.bytes, path.length), arena, &is_mark);

	if (is_mark)
		buffer_add(line, value->as.string.bytes, value->as.string.length);
	else
		visible_value(line, value);
}

const char *
policy_filled(const struct policy_deciding *deciding, const char *template, struct arena *arena)
{
	struct buffer line = {.arena = arena};
	struct text path;

	if (!template || !policy_placeholder_find(template, &path))
		return template;
	while (policy_placeholder_find(template, &path)) {
		buffer_add(&line, template, (size_t)(path.bytes - template) - strlen(start));
		add_shown(&line, deciding, path, arena);
		template = path.bytes + path.length + 1;
	}
	buffer_add_text(&line, template);
	return policy_line_cut(arena, line.bytes);
}
