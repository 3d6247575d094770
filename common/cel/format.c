/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - format() of the strings extension, by cel-spec's doc/extensions/strings.md: %s %d %f %e %b %o %x %X and %%, with a
 * precision for %f and %e. No locale: numbers are written as in the source of an expression.
 */
#include "common/cel/format.h"
#include "common/cel/time.h"
#include "common/value/value.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 64,	     /* of lists and maps within each other */
	PRECISION_MAX = 100, /* as cel-go has it */
};

bool
format_refuse(struct formatter *formatter, enum cel_code code, const char *text)
{
	formatter->code = code;
	formatter->text = text;
	return false;
}

bool
format_put(struct formatter *formatter, const char *text)
{
	cel_write_text(&formatter->out, text);
	return true;
}

/* --- %s --- */

/* As text; what is no UTF-8 becomes one replacement character for as long as it lasts. */
static bool
put_bytes(struct formatter *formatter, struct cel_value value)
{
	bool replaced = false;
	uint32_t point;

	for (size_t at = 0, step; at < value.extra && !formatter->out.failed; at += step ? step : 1) {
		step = value_utf8_decode(value.as.bytes + at, value.extra - at, &point);
		if (step > 0)
			cel_write(&formatter->out, value.as.bytes + at, step);
		else if (!replaced)
			format_put(formatter, "\xEF\xBF\xBD");
		replaced = step == 0;
	}
	return true;
}

static bool
put_timestamp(struct formatter *formatter, struct cel_value value)
{
	char text[CEL_TIME_TEXT_SIZE];

	cel_timestamp_text(value, text);
	return format_put(formatter, text);
}

static bool
put_duration(struct formatter *formatter, struct cel_value value)
{
	char text[CEL_TIME_TEXT_SIZE];

	cel_duration_text(value, text);
	return format_put(formatter, text);
}

static bool put_value(struct formatter *formatter, struct cel_value value, unsigned depth);

static bool
put_list(struct formatter *formatter, const struct cel_list *list, unsigned depth)
{
	format_put(formatter, "[");
	for (size_t i = 0; i < list->count && !formatter->out.failed; i++) {
		if (i > 0)
			format_put(formatter, ", ");
		if (!put_value(formatter, list->items[i], depth + 1))
			return false;
	}
	return format_put(formatter, "]");
}

/* An entry with its key as text, and where it was, so that equal texts keep their order. */
struct entry {
	struct cel_text key;
	const struct cel_value *value;
	size_t index;
};

static int
compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	size_t both = a->key.length < b->key.length ? a->key.length : b->key.length;
	int order = both ? memcmp(a->key.bytes, b->key.bytes, both) : 0;

	if (order == 0)
		order = (a->key.length > b->key.length) - (a->key.length < b->key.length);
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* The text of a key lies in the machine's memory, or is the key itself. */
static bool
key_text(struct formatter *formatter, struct cel_value key, struct cel_text *text)
{
	struct formatter own = {.out.machine = formatter->out.machine};

	*text = cel_text_of(key);
	if (key.kind == CEL_STRING)
		return true;
	if (!put_value(&own, key, DEPTH_MAX))
		return format_refuse(formatter, own.code, own.text);
	formatter->out.failed = formatter->out.failed || own.out.failed;
	*text = (struct cel_text){own.out.bytes, own.out.length};
	return true;
}

static bool
put_map(struct formatter *formatter, const struct cel_map *map, unsigned depth)
{
	struct entry *entries;
	const struct cel_entry *entry;
	size_t position = 0, count = 0;

	entries = map->present <= SIZE_MAX / sizeof *entries
		      ? cel_take(formatter->out.machine, map->present * sizeof *entries)
		      : NULL;
	if (!entries)
		return format_refuse(formatter, CEL_MEMORY, NULL);
	while ((entry = cel_map_next(map, &position)) != NULL && count < map->present) {
		entries[count] = (struct entry){.value = &entry->value, .index = count};
		if (!key_text(formatter, entry->key, &entries[count++].key))
			return false;
	}
	qsort(entries, count, sizeof *entries, compare_entries);
	format_put(formatter, "{");
	for (size_t i = 0; i < count && !formatter->out.failed; i++) {
		if (i > 0)
			format_put(formatter, ", ");
		cel_write(&formatter->out, entries[i].key.bytes, entries[i].key.length);
		format_put(formatter, ": ");
		if (!put_value(formatter, *entries[i].value, depth + 1))
			return false;
	}
	return format_put(formatter, "}");
}

static bool
put_value(struct formatter *formatter, struct cel_value value, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return format_refuse(formatter, CEL_DEPTH, "lists and maps too deep within each other");
	switch (value.kind) {
	case CEL_NULL:
		return format_put(formatter, "null");
	case CEL_BOOL:
		return format_put(formatter, value.as.boolean ? "true" : "false");
	case CEL_INT:
	case CEL_UINT:
		return format_integer(formatter, value, 10, false);
	case CEL_DOUBLE:
		return format_real(formatter, value.as.real);
	case CEL_STRING:
		cel_write(&formatter->out, value.as.bytes, value.extra);
		return true;
	case CEL_BYTES:
		return put_bytes(formatter, value);
	case CEL_TIMESTAMP:
		return put_timestamp(formatter, value);
	case CEL_DURATION:
		return put_duration(formatter, value);
	case CEL_TYPE:
		return format_put(formatter, cel_type_name(value.as.type));
	case CEL_LIST:
		return put_list(formatter, value.as.list, depth);
	case CEL_MAP:
		return put_map(formatter, value.as.map, depth);
	default:
		return format_refuse(formatter, CEL_NO_SUCH_OVERLOAD,
				     "%s takes no optional, address or network");
	}
}

/* --- the format --- */

/* The digits behind the point; -1 when there is none. False when there are none behind it, or they say too much. */
static bool
read_precision(struct cel_text format, size_t *at, int *precision)
{
	size_t digits = 0;

	*precision = -1;
	if (*at == format.length || format.bytes[*at] != '.')
		return true;
	*precision = 0;
	for (++*at; *at < format.length && format.bytes[*at] >= '0' && format.bytes[*at] <= '9';
	     ++*at, digits++) {
		*precision = *precision * 10 + (format.bytes[*at] - '0');
		if (*precision > PRECISION_MAX)
			return false;
	}
	return digits > 0;
}

static bool
put_conversion(struct formatter *formatter, char conversion, int precision, struct cel_value value)
{
	if (precision >= 0 && conversion != 'f' && conversion != 'e')
		return format_refuse(formatter, CEL_CONVERSION, "only %f and %e have a precision");
	switch (conversion) {
	case 's':
		return put_value(formatter, value, 0);
	case 'd':
		return format_decimal(formatter, value);
	case 'f':
	case 'e':
		return format_rounded(formatter, value, conversion, precision < 0 ? 6 : precision);
	case 'b':
		return format_binary(formatter, value);
	case 'o':
		return format_octal(formatter, value);
	case 'x':
	case 'X':
		return format_hex(formatter, value, conversion == 'X');
	default:
		return format_refuse(formatter, CEL_CONVERSION,
				     "no such conversion: there are %s %d %f %e %b %o %x %X and %%");
	}
}

static bool
put_formatted(struct formatter *formatter, struct cel_text format, const struct cel_list *items)
{
	size_t at = 0, item = 0, plain;
	int precision;

	while (at < format.length && !formatter->out.failed) {
		for (plain = at; at < format.length && format.bytes[at] != '%'; at++)
			;
		cel_write(&formatter->out, format.bytes + plain, at - plain);
		if (at++ == format.length)
			break;
		if (at < format.length && format.bytes[at] == '%') {
			cel_write(&formatter->out, &format.bytes[at++], 1);
			continue;
		}
		if (!read_precision(format, &at, &precision))
			return format_refuse(formatter, CEL_CONVERSION,
					     "a precision is a point and a number up to 100");
		if (at == format.length)
			return format_refuse(formatter, CEL_CONVERSION, "the format ends within a conversion");
		if (item == items->count)
			return format_refuse(formatter, CEL_RANGE,
					     "the format asks for more values than there are");
		if (!cel_charge(formatter->out.machine, 1))
			return format_refuse(formatter, CEL_COST, NULL);
		if (!put_conversion(formatter, format.bytes[at++], precision, items->items[item++]))
			return false;
	}
	return true;
}

struct cel_value
cel_format(struct cel_machine *machine, struct cel_text format, const struct cel_list *items)
{
	struct formatter formatter = {.out.machine = machine};

	if (!put_formatted(&formatter, format, items))
		return cel_fail(machine, formatter.code, formatter.text);
	return cel_written(&formatter.out);
}
