/* SPDX-License-Identifier: Apache-2.0 */
/* policy_field.c - finding a declared input, and what its min, max and enum say of a value. */
#include "common/policy/policy_read.h"

#include <string.h>

const struct policy_field *
policy_field_of(const struct policy_type *map, struct text name)
{
	size_t low = 0, high = map->field_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct policy_field *field = &map->fields[middle];
		int order = strncmp(name.bytes, field->name, name.length);

		if (order == 0 && field->name[name.length] == '\0')
			return field;
		if (order <= 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct policy_field *
policy_find_field(const struct policy_type *map, const char *path, size_t length)
{
	for (;;) {
		const char *dot = memchr(path, '.', length);
		size_t step = dot ? (size_t)(dot - path) : length;
		const struct policy_field *field = policy_field_of(map, (struct text){path, step});

		if (!field || !dot)
			return field;
		if (field->type.kind != POLICY_T_MAP)
			return NULL;
		if (!field->type.fields)
			return field; /* an open map: anything may be in it */
		map = &field->type;
		path = dot + 1;
		length -= step + 1;
	}
}

static size_t
characters_of(struct text text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
	return count;
}

/* What min and max are compared with. */
static struct policy_datum
measure(const struct policy_datum *datum)
{
	struct policy_datum size = {.kind = POLICY_T_INT};

	if (datum->kind == POLICY_T_STRING)
		size.as.integer = (int64_t)characters_of(datum->as.string);
	else if (datum->kind == POLICY_T_LIST)
		size.as.integer = (int64_t)datum->as.list.count;
	else if (datum->kind == POLICY_T_MAP)
		size.as.integer = (int64_t)datum->as.open->as.map.count;
	else
		return *datum;
	return size;
}

static bool
is_below(const struct policy_datum *left, const struct policy_datum *right)
{
	if (left->kind == POLICY_T_DOUBLE)
		return left->as.real < right->as.real;
	if (left->as.integer != right->as.integer)
		return left->as.integer < right->as.integer;
	return left->nanoseconds < right->nanoseconds;
}

static bool
is_word(const struct policy_field *field, const struct policy_datum *datum)
{
	for (size_t i = 0; i < field->word_count; i++) {
		const struct policy_datum *word = &field->words[i];

		if (datum->kind == POLICY_T_INT
			? word->as.integer == datum->as.integer
			: word->as.string.length == datum->as.string.length
			      && memcmp(word->as.string.bytes, datum->as.string.bytes, datum->as.string.length)
				     == 0)
			return true;
	}
	return false;
}

static bool
words_fit(const struct policy_field *field, const struct policy_datum *datum)
{
	if (datum->kind != POLICY_T_LIST)
		return is_word(field, datum);
	for (size_t i = 0; i < datum->as.list.count; i++)
		if (!words_fit(field, &datum->as.list.items[i]))
			return false;
	return true;
}

/* It has no more characters than bytes, so that those of a short text need not be counted. */
static bool
is_short(const struct policy_field *field, const struct policy_datum *datum)
{
	return datum->kind == POLICY_T_STRING && !field->min
	       && (int64_t)datum->as.string.length <= field->max->as.integer;
}

bool
policy_datum_fits(const struct policy_field *field, const struct policy_datum *datum, const char *path,
		  struct error *error)
{
	static const char *const what[] = {
	    [POLICY_T_STRING] = "characters", [POLICY_T_LIST] = "items", [POLICY_T_MAP] = "members"};
	const char *of = what[datum->kind];

	if ((field->min || field->max) && !is_short(field, datum)) {
		struct policy_datum size = measure(datum);

		if (field->min && is_below(&size, field->min))
			return error_set_field(error, ERROR_INVALID, "out_of_range", path, "%s%s",
					       of ? "has fewer than the declared min of "
						  : "is below the declared min",
					       of ? of : "");
		if (field->max && is_below(field->max, &size))
			return error_set_field(error, ERROR_INVALID, "out_of_range", path, "%s%s",
					       of ? "has more than the declared max of "
						  : "is above the declared max",
					       of ? of : "");
	}
	if (field->word_count && !words_fit(field, datum))
		return error_set_field(error, ERROR_INVALID, "not_in_enum", path,
				       "is none of the values that the policy declares");
	return true;
}
