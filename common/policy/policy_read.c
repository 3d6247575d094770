/* SPDX-License-Identifier: Apache-2.0 */
/* policy_read.c - typed reading of the document's members. Knows what may be written, not what it means. */
#include "common/policy/policy_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 64, STRINGS_MAX = 1024, PATH_MAX_BYTES = 256, DURATION_MAX_BYTES = 32 };

#define SECOND INT64_C(1000000)
#define DURATION_MAX (INT64_C(30) * 24 * 3600 * SECOND)

struct place
policy_place_root(const struct policy_reader *reader, const struct value *document)
{
	return (struct place){.reader = reader, .name = "", .value = document};
}

struct place
policy_place_member(const struct place *map, const char *name)
{
	return (struct place){
	    .reader = map->reader, .above = map, .name = name, .value = value_get(map->value, name)};
}

struct place
policy_place_item(const struct place *list, size_t index)
{
	return (struct place){
	    .reader = list->reader, .above = list, .index = index, .value = list->value->as.list.items[index]};
}

/* The names come from the document: what can't be printed becomes a question mark. */
static void
spell(const struct place *place, struct buffer *path)
{
	if (!place->above)
		return;
	spell(place->above, path);
	if (!place->name) {
		buffer_add_format(path, "[%zu]", place->index);
		return;
	}
	if (path->length)
		buffer_add_byte(path, '.');
	for (const char *c = place->name; *c; c++)
		buffer_add_byte(path, *c > ' ' && *c <= '~' ? *c : '?');
}

bool
policy_refuse(const struct place *place, const char *code, const char *format, ...)
{
	struct buffer path = {.arena = place->reader->arena};
	char text[ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	spell(place, &path);
	return error_set_field(place->reader->error, ERROR_INVALID, code, path.length ? path.bytes : "", "%s",
			       text);
}

static bool
is_kind(const struct place *place, enum value_kind kind)
{
	if (!place->value)
		return policy_refuse(place, "missing_key", "must be there");
	if (place->value->kind != kind)
		return policy_refuse(place, "wrong_type", "must be a %s, is %s", value_kind_name(kind),
				     value_kind_name(place->value->kind));
	return true;
}

static bool
is_among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

bool
policy_read_map(const struct place *place, const char *const *known, const char *const *later)
{
	if (!is_kind(place, VALUE_MAP))
		return false;
	for (size_t i = 0; i < place->value->as.map.count; i++) {
		const char *name = place->value->as.map.members[i].name.bytes;
		struct place member = policy_place_member(place, name);

		if (is_among(name, known))
			continue;
		if (is_among(name, later))
			return policy_refuse(&member, "unsupported_key", "this version can't honour it yet");
		return policy_refuse(&member, "unknown_key", "there is no such key");
	}
	return true;
}

bool
policy_read_list(const struct place *place, size_t max)
{
	if (!is_kind(place, VALUE_LIST))
		return false;
	if (place->value->as.list.count == 0)
		return policy_refuse(place, "bad_value", "must not be empty");
	if (place->value->as.list.count > max)
		return policy_refuse(place, "too_many", "has more than %zu items", max);
	return true;
}

/* C0, DEL, and C1 in its UTF-8 form. */
static bool
is_control(const char *byte, size_t left)
{
	unsigned char c = (unsigned char)byte[0];

	return c < 0x20 || c == 0x7f || (c == 0xc2 && left > 1 && (unsigned char)byte[1] < 0xa0);
}

bool
policy_read_text(const struct place *place, size_t max, const char **text)
{
	if (!is_kind(place, VALUE_STRING))
		return false;

	struct text string = place->value->as.string;

	if (string.length == 0 || string.length > max)
		return policy_refuse(place, "bad_value", "must have 1 to %zu bytes", max);
	for (size_t i = 0; i < string.length; i++)
		if (is_control(string.bytes + i, string.length - i))
			return policy_refuse(place, "bad_value", "holds a control character");
	*text = arena_copy(place->reader->arena, string.bytes, string.length);
	return true;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool
consists_of(const char *text, const char *letters)
{
	return text[strspn(text, letters)] == '\0';
}

bool
policy_read_id(const struct place *place, const char **id)
{
	if (!policy_read_text(place, ID_MAX, id))
		return false;
	if (!consists_of(*id, LOWER UPPER DIGITS "_.-"))
		return policy_refuse(place, "bad_value", "may only hold a-z A-Z 0-9 _ . -");
	return true;
}

bool
policy_read_integer(const struct place *place, int64_t min, int64_t max, int64_t *integer)
{
	if (!is_kind(place, VALUE_INT))
		return false;
	*integer = place->value->as.integer;
	if (*integer < min || *integer > max)
		return policy_refuse(place, "bad_value", "must be %lld to %lld", (long long)min,
				     (long long)max);
	return true;
}

/* One "90m" or "1.5h" at *at; nanoseconds. False when it is none or longer than any duration may be. */
static bool
read_part(const char **at, int64_t *nanoseconds)
{
	static const struct {
		const char *name;
		int64_t nanoseconds;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000},
		     {"s", 1000 * SECOND},
		     {"m", 60 * 1000 * SECOND},
		     {"h", 3600 * 1000 * SECOND}};
	const char *number = *at, *fraction;
	size_t whole_digits = strspn(number, DIGITS), fraction_digits = 0;

	fraction = number + whole_digits;
	if (*fraction == '.')
		fraction_digits = strspn(++fraction, DIGITS);
	*at = fraction + fraction_digits;
	if (whole_digits == 0 || whole_digits > 16 || (fraction_digits == 0 && fraction[-1] == '.'))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i].name);
		int64_t scale = units[i].nanoseconds;

		/* "m" is not the start of "ms": behind a unit stands a digit or nothing */
		if (strncmp(*at, units[i].name, length) != 0
		    || ((*at)[length] && !strchr(DIGITS, (*at)[length])))
			continue;
		if (__builtin_mul_overflow(strtoll(number, NULL, 10), scale, nanoseconds)
		    || *nanoseconds > DURATION_MAX * 1000)
			return false;
		for (size_t digit = 0; digit < fraction_digits; digit++) {
			scale = scale % 10 == 0 ? scale / 10 : 0;
			if (scale == 0 && fraction[digit] != '0')
				return false;
			*nanoseconds += scale * (fraction[digit] - '0');
		}
		*at += length;
		return true;
	}
	return false;
}

bool
policy_read_duration(const struct place *place, int64_t *duration)
{
	const char *text;
	int64_t total = 0, part;

	if (!policy_read_text(place, DURATION_MAX_BYTES, &text))
		return false;
	while (*text) {
		if (!read_part(&text, &part))
			return policy_refuse(
			    place, "bad_value",
			    "must be a duration as \"90s\", \"30m\" or \"1h30m\", at most 720h");
		total += part;
	}
	*duration = total / 1000;
	if (total % 1000 != 0 || *duration < SECOND || *duration > DURATION_MAX)
		return policy_refuse(place, "bad_value", "must be 1s to 720h, in whole microseconds");
	return true;
}

bool
policy_read_word(const struct place *place, const char *const *words, size_t *word)
{
	if (!is_kind(place, VALUE_STRING))
		return false;
	for (*word = 0; words[*word]; ++*word)
		if (strcmp(place->value->as.string.bytes, words[*word]) == 0)
			return true;
	return policy_refuse(place, "bad_value", "is none of the words that may stand here");
}

bool
policy_read_verdict(const struct place *place, enum policy_verdict *verdict)
{
	static const char *const words[] = {"ALLOW", "REQUIRE_APPROVAL", "BLOCK", NULL};
	size_t word;

	if (!policy_read_word(place, words, &word))
		return false;
	*verdict = (enum policy_verdict)word;
	return true;
}

bool
policy_read_strings(const struct place *place, policy_read_string *read, struct policy_strings *strings)
{
	if (!policy_read_list(place, STRINGS_MAX))
		return false;
	strings->count = place->value->as.list.count;
	strings->items = arena_take_array(place->reader->arena, strings->count, sizeof *strings->items);
	for (size_t i = 0; i < strings->count; i++) {
		struct place item = policy_place_item(place, i);

		if (!read(&item, &strings->items[i]))
			return false;
	}
	if (policy_strings_distinct(strings->items, strings->count) != strings->count)
		return policy_refuse(place, "duplicate_id", "says the same twice");
	return true;
}

static bool
has_empty_segment(const char *text)
{
	return text[0] == '.' || text[strlen(text) - 1] == '.' || strstr(text, "..");
}

static bool
read_pattern_of(const struct place *place, const char *letters, const char **pattern)
{
	struct error why = {0};

	if (!policy_read_text(place, POLICY_PATTERN_MAX, pattern))
		return false;
	if (!policy_pattern_check(*pattern, "", &why))
		return policy_refuse(place, why.code, "%s", why.text);
	if (letters && !consists_of(*pattern, letters))
		return policy_refuse(place, "bad_pattern", "can never match: it may only hold a-z 0-9 and %s",
				     letters + strlen(LOWER DIGITS));
	return true;
}

bool
policy_read_pattern(const struct place *place, const char **pattern)
{
	return read_pattern_of(place, NULL, pattern);
}

bool
policy_read_action_pattern(const struct place *place, const char **pattern)
{
	if (!read_pattern_of(place, LOWER DIGITS "_-.*", pattern))
		return false;
	if (has_empty_segment(*pattern))
		return policy_refuse(place, "bad_pattern", "can never match: an action has no empty segment");
	return true;
}

bool
policy_read_tenant_pattern(const struct place *place, const char **pattern)
{
	return read_pattern_of(place, LOWER DIGITS "_-*", pattern);
}

bool
policy_read_tenant(const struct place *place, const char **tenant)
{
	if (!policy_read_text(place, ID_MAX, tenant))
		return false;
	if (strcmp(*tenant, "*") != 0 && !consists_of(*tenant, LOWER DIGITS "_-"))
		return policy_refuse(place, "bad_value", "may only hold a-z 0-9 _ -, or be \"*\"");
	return true;
}

bool
policy_read_path(const struct place *place, const char **path)
{
	if (!policy_read_text(place, PATH_MAX_BYTES, path))
		return false;
	if (has_empty_segment(*path))
		return policy_refuse(place, "bad_value", "is no path of member names with dots between them");
	return true;
}
