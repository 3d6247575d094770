/* SPDX-License-Identifier: Apache-2.0 */
/* policy_input.c - a request's context read by what a policy declares. Everything unclear is an error: it opens nothing. */
#include "common/policy/policy_input.h"
#include "common/policy/policy_read.h"

#include <math.h>
#include <string.h>

enum { NAME_SHOWN = 64 };

/* Where in the context the reader is, as a chain on the stack. */
struct step {
	const struct step *above;
	struct text name; /* bytes NULL: an item */
	size_t index;
};

struct reading {
	struct arena *arena;
	struct error *error;
	bool is_lenient; /* at the top: what is undeclared here may be declared by another layer */
};

static bool read_datum(const struct reading *reading, const struct step *step, const struct policy_field *field,
		       const struct policy_type *type, const struct value *value, struct policy_datum *datum);

/* The names come from whoever asks: what can't be printed becomes a question mark, what is long is cut. */
static void
spell(const struct step *step, struct buffer *path)
{
	if (!step) {
		buffer_add_text(path, "context");
		return;
	}
	spell(step->above, path);
	if (!step->name.bytes) {
		buffer_add_format(path, "[%zu]", step->index);
		return;
	}
	buffer_add_byte(path, '.');
	for (size_t i = 0; i < step->name.length && i < NAME_SHOWN; i++) {
		char c = step->name.bytes[i];

		buffer_add_byte(path, c > ' ' && c <= '~' ? c : '?');
	}
}

static bool
refuse(const struct reading *reading, const struct step *step, const char *code, const char *text)
{
	struct buffer path = {.arena = reading->arena};

	spell(step, &path);
	return error_set_field(reading->error, ERROR_INVALID, code, path.bytes, "%s", text);
}

/* Values. */

static bool
read_integer(const struct reading *reading, const struct step *step, const struct value *value,
	     struct policy_datum *datum)
{
	if (value->kind == VALUE_INT) {
		datum->as.integer = value->as.integer;
		return true;
	}
	if (value->kind != VALUE_REAL || trunc(value->as.real) != value->as.real)
		return refuse(reading, step, "wrong_type", "must be an int: a whole number");
	/* -2^63 and 2^63 are doubles; the second is no int64_t */
	if (value->as.real < -0x1p63 || value->as.real >= 0x1p63)
		return refuse(reading, step, "out_of_range", "is beyond 64 bits");
	datum->as.integer = (int64_t)value->as.real;
	return true;
}

static bool
read_real(const struct reading *reading, const struct step *step, const struct value *value,
	  struct policy_datum *datum)
{
	if (value->kind != VALUE_REAL && value->kind != VALUE_INT)
		return refuse(reading, step, "wrong_type", "must be a double: a number");
	datum->as.real = value->kind == VALUE_REAL ? value->as.real : (double)value->as.integer;
	return true;
}

static bool
read_text(const struct reading *reading, const struct step *step, const struct policy_type *type,
	  const struct value *value, struct policy_datum *datum)
{
	if (value->kind != VALUE_STRING)
		return refuse(reading, step, "wrong_type",
			      type->kind == POLICY_T_STRING	 ? "must be a string"
			      : type->kind == POLICY_T_TIMESTAMP ? "must be a timestamp: a string in RFC 3339"
								 : "must be a duration: a string like 1h30m");
	datum->as.string = value->as.string;
	if (type->kind == POLICY_T_TIMESTAMP)
		return policy_timestamp_parse(value->as.string, &datum->as.integer, &datum->nanoseconds)
		       || refuse(reading, step, "bad_timestamp",
				 "must be a timestamp in RFC 3339, like 2026-03-04T10:00:00Z");
	if (type->kind == POLICY_T_DURATION)
		return policy_duration_parse(value->as.string, &datum->as.integer)
		       || refuse(reading, step, "bad_duration", "must be a duration like 90s or 1h30m");
	return true;
}

static bool
read_list(const struct reading *reading, const struct step *above, const struct policy_type *type,
	  const struct value *value, struct policy_datum *datum)
{
	if (value->kind != VALUE_LIST)
		return refuse(reading, above, "wrong_type", "must be a list");

	size_t count = value->as.list.count;
	struct policy_datum *items = arena_take_array(reading->arena, count, sizeof *items);

	for (size_t i = 0; i < count; i++) {
		struct step step = {.above = above, .index = i};

		if (!read_datum(reading, &step, NULL, type->item, value->as.list.items[i], &items[i]))
			return false;
	}
	datum->as.list.items = items;
	datum->as.list.count = count;
	return true;
}

/* What is declared and not there: its default, or nothing; unless it is required. */
static bool
fill_in(const struct reading *reading, const struct step *above, const struct policy_type *type,
	struct policy_datum *fields)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct policy_field *field = &type->fields[i];

		if (fields[i].kind != POLICY_T_ABSENT)
			continue;
		if (field->required) {
			struct step step = {.above = above, .name = {field->name, strlen(field->name)}};

			return refuse(reading, &step, "missing_field", "is required");
		}
		if (field->fallback)
			fields[i] = *field->fallback;
	}
	return true;
}

static bool
read_record(const struct reading *reading, const struct step *above, const struct policy_type *type,
	    const struct value *value, struct policy_datum *datum)
{
	struct policy_datum *fields = arena_take_array(reading->arena, type->field_count, sizeof *fields);
	struct reading below = {reading->arena, reading->error, false};

	datum->kind = POLICY_T_MAP;
	datum->as.fields = fields;
	for (size_t i = 0; i < value->as.map.count; i++) {
		const struct value_member *member = &value->as.map.members[i];
		struct step step = {.above = above, .name = member->name};
		const struct policy_field *field = policy_field_of(type, member->name);

		if (!field && reading->is_lenient)
			continue;
		if (!field)
			return refuse(reading, &step, "undeclared_field",
				      "the policy declares no input of this name");
		if (!read_datum(&below, &step, field, &field->type, member->value,
				&fields[field - type->fields]))
			return false;
	}
	return fill_in(reading, above, type, fields);
}

static bool
read_kind(const struct reading *reading, const struct step *step, const struct policy_type *type,
	  const struct value *value, struct policy_datum *datum)
{
	*datum = (struct policy_datum){.kind = type->kind};
	switch (type->kind) {
	case POLICY_T_BOOL:
		datum->as.boolean = value->kind == VALUE_BOOL && value->as.boolean;
		return value->kind == VALUE_BOOL
		       || refuse(reading, step, "wrong_type", "must be a bool: true or false");
	case POLICY_T_INT:
		return read_integer(reading, step, value, datum);
	case POLICY_T_DOUBLE:
		return read_real(reading, step, value, datum);
	case POLICY_T_STRING:
	case POLICY_T_TIMESTAMP:
	case POLICY_T_DURATION:
		return read_text(reading, step, type, value, datum);
	case POLICY_T_LIST:
		return read_list(reading, step, type, value, datum);
	case POLICY_T_MAP:
		if (value->kind != VALUE_MAP)
			return refuse(reading, step, "wrong_type", "must be a map");
		if (type->fields)
			return read_record(reading, step, type, value, datum);
		datum->as.open = value;
		return true;
	case POLICY_T_ABSENT:
		break;
	}
	return refuse(reading, step, "wrong_type", "is of no type");
}

static bool
fits(const struct reading *reading, const struct step *step, const struct policy_field *field,
     const struct policy_datum *datum)
{
	struct error why; /* large: most values need none */

	if (!field->min && !field->max && !field->word_count)
		return true;
	error_clear(&why);
	return policy_datum_fits(field, datum, "", &why) || refuse(reading, step, why.code, why.text);
}

static bool
read_datum(const struct reading *reading, const struct step *step, const struct policy_field *field,
	   const struct policy_type *type, const struct value *value, struct policy_datum *datum)
{
	return read_kind(reading, step, type, value, datum) && (!field || fits(reading, step, field, datum));
}

bool
policy_read_value(const struct policy_field *field, const char *path, const struct value *value,
		  struct arena *arena, struct policy_datum *datum, struct error *error)
{
	struct error why = {0};
	const struct reading reading = {arena, &why, false};

	return read_datum(&reading, NULL, field, &field->type, value, datum)
	       || error_set_field(error, ERROR_INVALID, why.code, path, "%s", why.text);
}

/* Layers. */

/* Every member is declared by one of the layers that declare any. */
static bool
check_declared(const struct policy *const *layers, size_t count, const struct value *context,
	       const struct reading *reading)
{
	for (size_t i = 0; i < context->as.map.count; i++) {
		struct text name = context->as.map.members[i].name;
		struct step step = {.name = name};
		bool is_declared = false;

		for (size_t j = 0; j < count && !is_declared; j++)
			is_declared = layers[j]->has_inputs && policy_field_of(&layers[j]->inputs, name);
		if (!is_declared)
			return refuse(reading, &step, "undeclared_field",
				      "the policy declares no input of this name");
	}
	return true;
}

bool
policy_read_context(const struct policy *const *layers, size_t count, const struct value *context,
		    struct arena *arena, struct policy_datum *contexts, struct error *error)
{
	static const struct value nothing = {.kind = VALUE_MAP};
	struct reading reading = {arena, error, true};

	bool is_open = true;

	for (size_t i = 0; i < count; i++)
		is_open = is_open && !layers[i]->has_inputs;
	if (!context)
		context = &nothing;
	if (!is_open && context->kind != VALUE_MAP)
		return refuse(&reading, NULL, "wrong_type", "must be a map");
	if (!is_open && !check_declared(layers, count, context, &reading))
		return false;
	for (size_t i = 0; i < count; i++) {
		contexts[i] = (struct policy_datum){.kind = POLICY_T_ABSENT};
		if (layers[i]->has_inputs
		    && !read_record(&reading, NULL, &layers[i]->inputs, context, &contexts[i]))
			return false;
	}
	return true;
}

const struct policy_type *
policy_inputs(const struct policy *policy)
{
	return policy->has_inputs ? &policy->inputs : NULL;
}

bool
policy_value_has(const struct value *here, const char *path)
{
	while (here && here->kind == VALUE_MAP) {
		size_t length = strcspn(path, ".");
		const struct value *next = NULL;

		for (size_t i = 0; i < here->as.map.count && !next; i++) {
			const struct value_member *member = &here->as.map.members[i];

			if (member->name.length == length && memcmp(member->name.bytes, path, length) == 0)
				next = member->value;
		}
		if (path[length] == '\0')
			return next && next->kind != VALUE_NULL;
		path += length + 1;
		here = next;
	}
	return false;
}

bool
policy_context_has(const struct policy_type *inputs, const struct policy_datum *context, const char *path)
{
	for (;;) {
		size_t length = strcspn(path, ".");
		const struct policy_field *field = policy_field_of(inputs, (struct text){path, length});
		const struct policy_datum *datum = field ? &context->as.fields[field - inputs->fields] : NULL;

		if (!datum || datum->kind == POLICY_T_ABSENT)
			return false;
		if (path[length] == '\0')
			return true;
		if (datum->kind != POLICY_T_MAP)
			return false;
		path += length + 1;
		if (!field->type.fields)
			return policy_value_has(datum->as.open, path);
		inputs = &field->type;
		context = datum;
	}
}
