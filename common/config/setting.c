/* SPDX-License-Identifier: Apache-2.0 */
/* setting.c - what one setting does, whichever layer it comes from: find its key, follow its file, refuse it with the place. */
#include "common/config/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 64 * 1024 };

bool
config_setting_refuse(const struct config_loading *loading, const struct config_setting *setting,
		      const char *reason)
{
	error_set_field(loading->error, ERROR_BROKEN, "config", setting->name, "%s", reason);
	return error_wrap(loading->error, "%s: %s", setting->place, setting->name);
}

const struct config_key *
config_find(const struct config_table *table, const char *name, size_t length)
{
	CONFIG_EACH_KEY(table, key)
	{
		if (strlen(key->name) == length && strncmp(key->name, name, length) == 0)
			return key;
	}
	return NULL;
}

bool
config_is_through(const struct config_table *table, const char *name)
{
	const char *prefix = table->through_prefix;

	return prefix && strncmp(name, prefix, strlen(prefix)) == 0 && name[strlen(prefix)] != '\0';
}

size_t
config_secret_length(const struct config_table *table, const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);

	if (length <= suffix_length || strcmp(name + length - suffix_length, suffix) != 0)
		return 0;
	length -= suffix_length;

	const struct config_key *key = config_find(table, name, length);

	if (key)
		return key->type == CONFIG_SECRET ? length : 0;
	return config_is_through(table, name) && config_name_is_secret(name) ? length : 0;
}

/* Until the end or one byte too many; false with errno. */
static bool
read_some(int fd, char *text, size_t *length)
{
	*length = 0;
	while (*length <= FILE_MAX) {
		ssize_t count = read(fd, text + *length, FILE_MAX + 1 - *length);

		if (count == 0)
			return true;
		if (count < 0 && errno != EINTR)
			return false;
		if (count > 0)
			*length += (size_t)count;
	}
	return true;
}

char *
config_file_read(struct arena *arena, const char *path, const char **reason)
{
	char *text = arena_take(arena, FILE_MAX + 2);
	size_t length;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*reason = NULL;
	if (fd < 0) {
		*reason = strerror(errno);
		return NULL;
	}
	if (!read_some(fd, text, &length))
		*reason = strerror(errno);
	else if (length > FILE_MAX)
		*reason = "larger than 64 KiB";
	else if (memchr(text, '\0', length))
		*reason = "holds a NUL byte";
	close(fd);
	return *reason ? NULL : text;
}

/* Replaces the path by what the file holds, without the line ends behind it. */
static bool
follow(const struct config_loading *loading, struct config_setting *setting)
{
	const char *reason;
	char *text = config_file_read(loading->arena, setting->value, &reason);
	size_t length = text ? strlen(text) : 0;

	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		text[--length] = '\0';
	if (text && length == 0)
		reason = "is empty";
	if (reason)
		return config_setting_refuse(loading, setting,
					     arena_format(loading->arena, "%s: %s", setting->value, reason));
	setting->value = text;
	return true;
}

const char *
config_setting_place(const struct config_loading *loading, const char *name)
{
	for (const struct config_seen *seen = loading->seen; seen; seen = seen->next)
		if (strcmp(seen->name, name) == 0)
			return seen->place;
	return NULL;
}

/* Two answers to one question in one layer are a mistake. Two flags are not: the last one counts. */
static bool
remember(struct config_loading *loading, const struct config_setting *setting)
{
	struct config_seen *seen;

	for (seen = loading->seen; seen && seen->layer == loading->layer && loading->layer != LAYER_OVERRIDE;
	     seen = seen->next)
		if (strcmp(seen->name, setting->name) == 0)
			return config_setting_refuse(
			    loading, setting, arena_format(loading->arena, "already set in %s", seen->place));
	seen = arena_take(loading->arena, sizeof *seen);
	*seen = (struct config_seen){loading->seen, loading->layer, setting->name, setting->place};
	loading->seen = seen;
	return true;
}

static void
put_pair(struct config_pairs *pairs, const char *name, const char *value)
{
	size_t i = 0;

	while (i < pairs->count && strcmp(pairs->items[i].name, name) != 0)
		i++;
	if (i == pairs->count) {
		pairs->items = memory_grow(pairs->items, pairs->count + 1, sizeof *pairs->items);
		pairs->items[pairs->count++] = (struct config_pair){memory_string(name), NULL};
	}
	config_text_free(pairs->items[i].value);
	pairs->items[i].value = memory_string(value);
}

static bool
is_secret(const struct config_key *key, const struct config_setting *setting)
{
	return key ? key->type == CONFIG_SECRET : config_name_is_secret(setting->name);
}

bool
config_setting_put(struct config_loading *loading, struct config_setting *setting)
{
	const struct config_key *key = config_find(loading->table, setting->name, strlen(setting->name));

	if (loading->layer == LAYER_OVERRIDE && is_secret(key, setting) && !setting->value_is_path)
		return config_setting_refuse(
		    loading, setting,
		    "other users can read a command line; give the secret by its _file or the environment");
	if (!remember(loading, setting) || (setting->value_is_path && !follow(loading, setting)))
		return false;
	if (!key)
		put_pair(loading->table->through, setting->name + strlen(loading->table->through_prefix),
			 setting->value);
	else if (!config_key_set(key, loading->target, setting->value, loading->error))
		return error_wrap(loading->error, "%s: %s", setting->place, setting->name);
	return true;
}

static bool
refuse_unknown(const struct config_loading *loading, const struct config_setting *setting)
{
	const struct config_key *nearest = config_nearest(loading->table, setting->name, SIZE_MAX);

	return config_setting_refuse(
	    loading, setting,
	    nearest ? arena_format(loading->arena, "unknown key; did you mean %s?", nearest->name)
		    : "unknown key");
}

bool
config_setting_apply(struct config_loading *loading, struct config_setting *setting)
{
	const struct config_key *key = config_find(loading->table, setting->name, strlen(setting->name));
	size_t length = key ? 0 : config_secret_length(loading->table, setting->name, "_file");

	if (length) {
		setting->name = arena_copy(loading->arena, setting->name, length);
		setting->value_is_path = true;
	}
	if (key || length || config_is_through(loading->table, setting->name))
		return config_setting_put(loading, setting);
	return refuse_unknown(loading, setting);
}
