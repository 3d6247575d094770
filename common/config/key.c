/* SPDX-License-Identifier: Apache-2.0 */
/* key.c - one configuration value: from text, with its limits, into the caller's struct, and back to text. */
#include "common/config/key.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	int64_t size;
};

/* Largest first: a duration is written so, and read only so. */
static const struct unit durations[] = {
    {"d", 86400000000}, {"h", 3600000000}, {"m", 60000000}, {"s", 1000000}, {"ms", 1000}, {"us", 1},
};
static const struct unit sizes[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}};

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { DIGITS_MAX = 18 }; /* fit into an int64_t */

/* Up to DIGITS_MAX decimal digits, at least one. */
static bool
read_digits(const char **text, int64_t *number)
{
	size_t count = strspn(*text, "0123456789");

	if (count == 0 || count > DIGITS_MAX)
		return false;
	*number = strtoll(*text, NULL, 10);
	*text += count;
	return true;
}

/* The unit that the letters at text spell, among those from `first` on; NULL when none. */
static const struct unit *
read_unit(const char **text, const struct unit *first, const struct unit *end)
{
	size_t length = 0;

	while (isalpha((unsigned char)(*text)[length]))
		length++;
	for (const struct unit *unit = first; unit < end; unit++) {
		if (strlen(unit->name) == length && strncmp(*text, unit->name, length) == 0) {
			*text += length;
			return unit;
		}
	}
	return NULL;
}

bool
config_duration_parse(const char *text, int64_t *microseconds)
{
	const struct unit *unit = durations, *end = durations + COUNT(durations);
	int64_t sum = 0, number;

	do {
		if (!read_digits(&text, &number) || !(unit = read_unit(&text, unit, end))
		    || __builtin_mul_overflow(number, unit->size, &number)
		    || __builtin_add_overflow(sum, number, &sum))
			return false;
		unit++;
	} while (*text);
	*microseconds = sum;
	return true;
}

static bool
bytes_parse(const char *text, int64_t *bytes)
{
	const struct unit *unit;
	int64_t number;

	if (!read_digits(&text, &number) || !(unit = read_unit(&text, sizes, sizes + COUNT(sizes))) || *text)
		return false;
	return !__builtin_mul_overflow(number, unit->size, bytes);
}

static bool
integer_parse(const char *text, int64_t *integer)
{
	bool negative = *text == '-';

	text += negative;
	if (!read_digits(&text, integer) || *text)
		return false;
	if (negative)
		*integer = -*integer;
	return true;
}

/* Which of the "|"-separated choices it is. */
static bool
choice_parse(const char *choices, const char *text, int64_t *index)
{
	size_t length = strlen(text);

	for (*index = 0; *choices; ++*index) {
		size_t width = strcspn(choices, "|");

		if (width == length && strncmp(choices, text, length) == 0)
			return true;
		choices += width + (choices[width] == '|');
	}
	return false;
}

static void
duration_format(struct buffer *out, int64_t microseconds)
{
	int64_t left = microseconds;

	for (size_t i = 0; i < COUNT(durations); i++) {
		if (left >= durations[i].size)
			buffer_add_format(out, "%lld%s", (long long)(left / durations[i].size),
					  durations[i].name);
		left %= durations[i].size;
	}
	if (microseconds == 0)
		buffer_add_text(out, "0s");
}

static void
bytes_format(struct buffer *out, int64_t bytes)
{
	size_t i = 0;

	while (bytes % sizes[i].size != 0 || (bytes == 0 && sizes[i].size != 1))
		i++;
	buffer_add_format(out, "%lld%s", (long long)(bytes / sizes[i].size), sizes[i].name);
}

static void
number_format(struct buffer *out, enum config_type type, int64_t number)
{
	if (type == CONFIG_DURATION)
		duration_format(out, number);
	else if (type == CONFIG_BYTES)
		bytes_format(out, number);
	else
		buffer_add_format(out, "%lld", (long long)number);
}

bool
config_key_is_text(const struct config_key *key)
{
	return key->type == CONFIG_STRING || key->type == CONFIG_SECRET || key->type == CONFIG_LIST;
}

char **
config_key_text(const struct config_key *key, void *target)
{
	return (char **)(void *)((char *)target + key->offset);
}

static int64_t *
number_of(const struct config_key *key, void *target)
{
	return (int64_t *)(void *)((char *)target + key->offset);
}

static bool *
flag_of(const struct config_key *key, void *target)
{
	return (bool *)(void *)((char *)target + key->offset);
}

static bool
has_limits(const struct config_key *key)
{
	return key->min != 0 || key->max != 0;
}

char *
config_key_expects(struct arena *arena, const struct config_key *key)
{
	static const char *const nouns[] = {
	    [CONFIG_STRING] = "a text",		  [CONFIG_SECRET] = "a secret",
	    [CONFIG_INTEGER] = "a whole number",  [CONFIG_DURATION] = "a duration",
	    [CONFIG_BYTES] = "a number of bytes", [CONFIG_CHOICE] = "one of ",
	    [CONFIG_FLAG] = "true or false",	  [CONFIG_LIST] = "a comma-separated list",
	};
	struct buffer out = {.arena = arena};

	buffer_add_text(&out, nouns[key->type]);
	if (key->type == CONFIG_CHOICE)
		buffer_add_text(&out, key->choices);
	if (!config_key_is_text(key) && has_limits(key) && key->type != CONFIG_FLAG
	    && key->type != CONFIG_CHOICE) {
		buffer_add_text(&out, " from ");
		number_format(&out, key->type, key->min);
		buffer_add_text(&out, " to ");
		number_format(&out, key->type, key->max);
	}
	return out.bytes;
}

/* The number that stands for the text, limits checked. */
static bool
number_parse(const struct config_key *key, const char *text, int64_t *number)
{
	switch (key->type) {
	case CONFIG_CHOICE:
		return choice_parse(key->choices, text, number);
	case CONFIG_INTEGER:
		if (!integer_parse(text, number))
			return false;
		break;
	case CONFIG_DURATION:
		if (!config_duration_parse(text, number))
			return false;
		break;
	case CONFIG_BYTES:
		if (!bytes_parse(text, number))
			return false;
		break;
	case CONFIG_STRING:
	case CONFIG_SECRET:
	case CONFIG_LIST:
	case CONFIG_FLAG:
		return false; /* no numbers */
	}
	return !has_limits(key) || (*number >= key->min && *number <= key->max);
}

static bool
refuse(const struct config_key *key, struct error *error)
{
	struct arena *arena = arena_open();

	error_set_field(error, ERROR_BROKEN, "config", key->name, "must be %s", config_key_expects(arena, key));
	arena_close(arena);
	return false;
}

bool
config_key_set(const struct config_key *key, void *target, const char *text, struct error *error)
{
	int64_t number = 0;

	if (config_key_is_text(key)) {
		char **place = config_key_text(key, target);

		config_text_free(*place);
		*place = memory_string(text);
		return true;
	}
	if (key->type == CONFIG_FLAG) {
		bool on = strcmp(text, "true") == 0;

		if (!on && strcmp(text, "false") != 0)
			return refuse(key, error);
		*flag_of(key, target) = on;
		return true;
	}
	if (!number_parse(key, text, &number))
		return refuse(key, error);
	*number_of(key, target) = number;
	return true;
}

static const char *
choice_text(struct arena *arena, const char *choices, int64_t index)
{
	while (index-- > 0)
		choices += strcspn(choices, "|") + 1;
	return arena_copy(arena, choices, strcspn(choices, "|"));
}

char *
config_key_format(struct arena *arena, const struct config_key *key, const void *target)
{
	const void *value = (const char *)target + key->offset;
	struct buffer out = {.arena = arena};

	if (config_key_is_text(key))
		buffer_add_text(&out, *(char *const *)value);
	else if (key->type == CONFIG_FLAG)
		buffer_add_text(&out, *(const bool *)value ? "true" : "false");
	else if (key->type == CONFIG_CHOICE)
		buffer_add_text(&out, choice_text(arena, key->choices, *(const int64_t *)value));
	else
		number_format(&out, key->type, *(const int64_t *)value);
	return out.bytes;
}

void
config_text_free(char *take_text)
{
	if (take_text)
		explicit_bzero(take_text, strlen(take_text));
	free(take_text);
}
