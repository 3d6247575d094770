/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - names of keys in the environment, the nearest name to a mistyped one, and what names and values must not show. */
#include "common/config/key.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 96 };

char *
config_environment_name(struct arena *arena, const char *key_name)
{
	char *name = arena_format(arena, CONFIG_ENVIRONMENT_PREFIX "%s", key_name);

	for (char *at = name; *at; at++)
		*at = *at == '.' ? '_' : (char)toupper((unsigned char)*at);
	return name;
}

bool
config_name_is_secret(const char *name)
{
	static const char *const words[] = {"password", "passphrase", "secret", "pem", "oauthbearer.config"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* Between the first ':' behind "://" and the last '@', and everything behind "password=": rather too much than too little. */
char *
config_value_shown(struct arena *arena, const char *value)
{
	static const char hidden[] = "(hidden)";
	struct buffer out = {.arena = arena};
	const char *scheme = strstr(value, "://");
	const char *user = scheme ? strchr(scheme + 3, ':') : NULL;
	const char *host = user ? strrchr(user, '@') : NULL;
	const char *rest = host ? host : value;
	const char *password = strcasestr(rest, "password");
	const char *equals = password ? strchr(password, '=') : NULL;

	if (host)
		buffer_add_format(&out, "%.*s:%s", (int)(user - value), value, hidden);
	if (equals)
		buffer_add_format(&out, "%.*s=%s", (int)(equals - rest), rest, hidden);
	else
		buffer_add_text(&out, rest);
	for (size_t i = 0; i < out.length; i++)
		if (iscntrl((unsigned char)out.bytes[i]))
			out.bytes[i] = '?';
	return out.bytes;
}

static int
letter(char character)
{
	return character == '_' ? '.' : tolower((unsigned char)character);
}

static size_t
least(size_t one, size_t two, size_t three)
{
	size_t smaller = one < two ? one : two;

	return smaller < three ? smaller : three;
}

/* How many letters must be put in, left out or changed (Levenshtein), one row of the table at a time. */
static size_t
distance(const char *left, const char *right)
{
	size_t row[NAME_MAX_LENGTH + 1];
	size_t width = strlen(right);

	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; left[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < width; j++) {
			size_t changed = diagonal + (letter(left[i]) != letter(right[j]));

			diagonal = row[j + 1];
			row[j + 1] = least(changed, diagonal + 1, row[j] + 1);
		}
	}
	return row[width];
}

const struct config_key *
config_nearest(const struct config_table *table, const char *name, size_t wrong_letters)
{
	const struct config_key *nearest = NULL;
	size_t length = strnlen(name, NAME_MAX_LENGTH + 1);
	size_t limit = 1 + (wrong_letters < length / 3 ? wrong_letters : length / 3); /* more is another word */

	if (length > NAME_MAX_LENGTH)
		return NULL;
	CONFIG_EACH_KEY(table, key)
	{
		size_t far = strlen(key->name) <= NAME_MAX_LENGTH ? distance(name, key->name) : limit;

		if (far < limit) {
			limit = far;
			nearest = key;
		}
	}
	return nearest;
}
