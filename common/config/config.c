/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - loading in layers: defaults, then the file, then the environment, then the overrides, each over what was there. */
#include "common/config/setting.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
load_defaults(struct config_loading *loading)
{
	loading->layer = LAYER_DEFAULT;
	CONFIG_EACH_KEY(loading->table, key)
	{
		struct config_setting setting = {.name = key->name, .value = key->fallback, .place = "default"};

		if (key->fallback && !config_setting_put(loading, &setting))
			return false;
	}
	return true;
}

/* The text without the white space around it, cut in place. */
static char *
trim(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* "name = value" in place; the value is all the rest, '=' and '#' too. False when there is no '=' or no name. */
static bool
split(char *line, struct config_setting *setting)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return false;
	*equals = '\0';
	setting->name = trim(line);
	setting->value = trim(equals + 1);
	return *setting->name != '\0';
}

static bool
load_line(struct config_loading *loading, char *line, const char *place)
{
	struct config_setting setting = {.place = place};

	line = trim(line);
	if (*line == '\0' || *line == '#')
		return true;
	if (!split(line, &setting))
		return error_set(loading->error, ERROR_BROKEN, "config",
				 "%s: not of the form \"key = value\"", place);
	return config_setting_apply(loading, &setting);
}

static bool
load_file(struct config_loading *loading, const char *path)
{
	const char *reason;
	char *rest;
	int number = 1;

	loading->layer = LAYER_FILE;
	if (!path)
		return true;
	rest = config_file_read(loading->arena, path, &reason);
	if (!rest)
		return error_set(loading->error, ERROR_BROKEN, "config", "%s: %s", path, reason);
	for (char *line; (line = strsep(&rest, "\n")); number++)
		if (!load_line(loading, line, arena_format(loading->arena, "%s:%d", path, number)))
			return false;
	return true;
}

/* The key that a variable sets, directly or by the _FILE of a secret. */
static const struct config_key *
key_of_variable(const struct config_loading *loading, const char *variable, bool *by_file)
{
	CONFIG_EACH_KEY(loading->table, key)
	{
		const char *name = config_environment_name(loading->arena, key->name);
		size_t length = strlen(name);

		*by_file = key->type == CONFIG_SECRET && strncmp(variable, name, length) == 0
			   && strcmp(variable + length, "_FILE") == 0;
		if (*by_file || strcmp(variable, name) == 0)
			return key;
	}
	return NULL;
}

/* COUNTERSIGN_KAFKA_SASL_PASSWORD as "kafka.sasl.password", in the arena; NULL when such names are not handed through. */
static const char *
through_of_variable(const struct config_loading *loading, const char *variable, bool *by_file)
{
	char *name = arena_string(loading->arena, variable + strlen(CONFIG_ENVIRONMENT_PREFIX));
	size_t length;

	for (char *at = name; *at; at++)
		*at = *at == '_' ? '.' : (char)tolower((unsigned char)*at);
	if (!config_is_through(loading->table, name))
		return NULL;
	length = config_secret_length(loading->table, name, ".file");
	*by_file = length > 0;
	return length ? arena_copy(loading->arena, name, length) : name;
}

/*
 * The prefix is shared: by the keys of our other programs, by COUNTERSIGN_CONFIG, by scripts. So what is no key of this table is
 * left alone, unless it looks like one of them mistyped.
 */
static bool
check_foreign_variable(const struct config_loading *loading, const char *variable)
{
	const char *name = variable + strlen(CONFIG_ENVIRONMENT_PREFIX);
	const struct config_key *nearest = config_nearest(loading->table, name, 2);

	if (!nearest)
		return true;
	return error_set_field(loading->error, ERROR_BROKEN, "config", variable,
			       "environment variable %s: unknown key; did you mean %s?", variable,
			       config_environment_name(loading->arena, nearest->name));
}

static bool
load_variable(struct config_loading *loading, const char *variable, const char *value)
{
	struct config_setting setting = {.value = value};
	const struct config_key *key = key_of_variable(loading, variable, &setting.value_is_path);

	setting.place = arena_format(loading->arena, "environment variable %s", variable);
	setting.name = key ? key->name : through_of_variable(loading, variable, &setting.value_is_path);
	return setting.name ? config_setting_put(loading, &setting) : check_foreign_variable(loading, variable);
}

static bool
load_environment(struct config_loading *loading)
{
	size_t prefix = strlen(CONFIG_ENVIRONMENT_PREFIX);

	loading->layer = LAYER_ENVIRONMENT;
	for (char **entry = environ; entry && *entry; entry++) {
		const char *equals = strchr(*entry, '=');

		if (!equals || strncmp(*entry, CONFIG_ENVIRONMENT_PREFIX, prefix) != 0)
			continue;
		if (!load_variable(loading, arena_copy(loading->arena, *entry, (size_t)(equals - *entry)),
				   equals + 1))
			return false;
	}
	return true;
}

static bool
load_overrides(struct config_loading *loading, const char *const *overrides, size_t count)
{
	loading->layer = LAYER_OVERRIDE;
	for (size_t i = 0; i < count; i++) {
		struct config_setting setting = {.place = "command line"};

		if (!split(arena_string(loading->arena, overrides[i]), &setting))
			return error_set(loading->error, ERROR_BROKEN, "config",
					 "command line: not of the form key=value");
		if (!config_setting_apply(loading, &setting))
			return false;
	}
	return true;
}

/* A key without a default must be set, a text to something. */
static bool
check_required(const struct config_loading *loading)
{
	CONFIG_EACH_KEY(loading->table, key)
	{
		const char *place = config_setting_place(loading, key->name);
		struct config_setting setting = {.name = key->name, .place = place ? place : "configuration"};

		if (!key->fallback && !place)
			return config_setting_refuse(loading, &setting, "required, but set nowhere");
		if (!key->fallback && config_key_is_text(key) && !**config_key_text(key, loading->target))
			return config_setting_refuse(loading, &setting, "required, but empty");
	}
	return true;
}

bool
config_load(const struct config_table *table, void *target, const char *path, const char *const *overrides,
	    size_t override_count, struct error *error)
{
	struct config_loading loading = {
	    .table = table, .target = target, .arena = arena_open(), .error = error};
	bool ok = load_defaults(&loading) && load_file(&loading, path) && load_environment(&loading)
		  && load_overrides(&loading, overrides, override_count) && check_required(&loading);

	if (!ok)
		config_free(table, target);
	arena_close(loading.arena);
	return ok;
}

void
config_free(const struct config_table *table, void *target)
{
	CONFIG_EACH_KEY(table, key)
	{
		if (config_key_is_text(key)) {
			config_text_free(*config_key_text(key, target));
			*config_key_text(key, target) = NULL;
		}
	}
	for (size_t i = 0; table->through && i < table->through->count; i++) {
		free(table->through->items[i].name);
		config_text_free(table->through->items[i].value);
	}
	if (table->through) {
		free(table->through->items);
		*table->through = (struct config_pairs){0};
	}
}
