/* SPDX-License-Identifier: Apache-2.0 */
/* env.c - what expressions may name: variables, sizes, the container, compiled patterns. The functions are in env_function.c. */
#include "common/cel/env_private.h"
#include "common/regex/regex.h"

#include <string.h>

struct cel_env *
cel_env_open(struct arena *arena)
{
	struct cel_env *env = arena_take(arena, sizeof *env);

	env->arena = arena;
	env->container = "";
	cel_env_add_libraries(env);
	return env;
}

void
cel_env_close(struct cel_env *env)
{
	if (!env)
		return;
	for (size_t i = 0; i < ENV_BUCKETS; i++) {
		for (struct env_regex *r = env->regexes[i]; r; r = r->next)
			regex_close(r->regex);
		env->regexes[i] = NULL;
	}
}

struct arena *
cel_env_arena(struct cel_env *env)
{
	return env->arena;
}

size_t
cel_slot_count(const struct cel_env *env)
{
	return env->variable_count;
}

void
cel_set_container(struct cel_env *env, const char *container)
{
	size_t length = container ? strlen(container) : 0;

	env->container = length > 0 && length <= CEL_NAME_MAX ? arena_copy(env->arena, container, length) : "";
}

/* --- variables --- */

static bool
starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Identifiers between dots. */
static bool
is_name(const char *name)
{
	size_t length = strlen(name);
	bool start = true;

	if (length == 0 || length > CEL_NAME_MAX)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (start ? !starts_name(name[i])
			  : !starts_name(name[i]) && name[i] != '.' && !(name[i] >= '0' && name[i] <= '9'))
			return false;
		start = name[i] == '.';
	}
	return !start;
}

/* As deep as whoever built the type made it: cel_type_parse allows 8 levels. */
static const struct cel_type *
copy_type(struct arena *arena, const struct cel_type *type)
{
	struct cel_type *copy = arena_take(arena, sizeof *copy);
	struct cel_field *fields = arena_take_array(arena, type->field_count, sizeof *fields);

	*copy = *type;
	copy->name = arena_string(arena, type->name);
	for (size_t i = 0; i < type->parameter_count; i++)
		copy->parameters[i] = copy_type(arena, type->parameters[i]);
	for (size_t i = 0; i < type->field_count; i++) {
		fields[i].name = arena_string(arena, type->fields[i].name);
		fields[i].type = copy_type(arena, type->fields[i].type);
	}
	copy->fields = fields;
	return copy;
}

static bool
more_variables(struct cel_env *env)
{
	size_t room = env->variable_room ? 2 * env->variable_room : 16;
	struct cel_variable *grown;

	if (env->variable_count < env->variable_room)
		return true;
	if (env->variable_count == CEL_VARIABLES_MAX)
		return false;
	grown = arena_take_array(env->arena, room, sizeof *grown);
	if (env->variable_count)
		memcpy(grown, env->variables, env->variable_count * sizeof *grown);
	env->variables = grown;
	env->variable_room = room;
	return true;
}

bool
cel_declare(struct cel_env *env, const char *name, const struct cel_type *type, size_t *slot,
	    struct error *error)
{
	if (!is_name(name))
		return error_set(error, ERROR_INVALID, "bad_name",
				 "a variable's name is identifiers between dots");
	if (cel_env_variable(env, name, NULL))
		return error_set(error, ERROR_INVALID, "duplicate_name", "%s is declared already", name);
	if (!more_variables(env))
		return error_set(error, ERROR_INVALID, "too_many", "more than %d variables", CEL_VARIABLES_MAX);
	env->variables[env->variable_count] = (struct cel_variable){
	    .name = arena_string(env->arena, name),
	    .type = copy_type(env->arena, type),
	};
	if (slot)
		*slot = env->variable_count;
	env->variable_count++;
	return true;
}

const struct cel_variable *
cel_env_variable(const struct cel_env *env, const char *name, size_t *slot)
{
	for (size_t i = 0; i < env->variable_count; i++) {
		if (strcmp(env->variables[i].name, name) != 0)
			continue;
		if (slot)
			*slot = i;
		return &env->variables[i];
	}
	return NULL;
}

const struct cel_variable *
cel_env_variable_at(const struct cel_env *env, size_t slot)
{
	return slot < env->variable_count ? &env->variables[slot] : NULL;
}

/* --- sizes --- */

void
cel_declare_size(struct cel_env *env, const char *path, uint64_t max)
{
	struct env_size *size;
	size_t bucket = cel_env_hash(path, strlen(path));

	for (size = env->sizes[bucket]; size; size = size->next)
		if (strcmp(size->path, path) == 0)
			break;
	if (!size) {
		size = arena_take(env->arena, sizeof *size);
		size->path = arena_string(env->arena, path);
		size->next = env->sizes[bucket];
		env->sizes[bucket] = size;
	}
	size->max = max;
}

bool
cel_env_size(const struct cel_env *env, const char *path, uint64_t *max)
{
	for (const struct env_size *s = env->sizes[cel_env_hash(path, strlen(path))]; s; s = s->next) {
		if (strcmp(s->path, path) != 0)
			continue;
		*max = s->max;
		return true;
	}
	return false;
}

/* --- names under the container --- */

/* How much of the container candidate `number` has in front: all of it, less one name each time. SIZE_MAX: no such candidate. */
static size_t
prefix_length(const char *container, size_t number)
{
	size_t length = strlen(container);

	for (; number > 0; number--) {
		if (length == 0)
			return SIZE_MAX;
		while (length > 0 && container[length - 1] != '.')
			length--;
		if (length > 0)
			length--; /* the dot */
	}
	return length;
}

bool
cel_env_candidate(const struct cel_env *env, const char *name, size_t number, char candidate[CEL_CANDIDATE_MAX])
{
	bool root = name[0] == '.';
	size_t prefix = prefix_length(root ? "" : env->container, number);
	size_t length = strlen(name + root);

	if (prefix == SIZE_MAX)
		return false;
	if (prefix + 1 + length >= CEL_CANDIDATE_MAX) {
		candidate[0] = '\0';
		return true;
	}
	if (prefix > 0) {
		memcpy(candidate, env->container, prefix);
		candidate[prefix++] = '.';
	}
	memcpy(candidate + prefix, name + root, length + 1);
	return true;
}

const struct cel_type *
cel_env_type(const char *name)
{
	static const enum cel_type_kind kinds[] = {
	    CEL_T_NULL,	  CEL_T_BOOL,  CEL_T_INT,      CEL_T_UINT,	CEL_T_DOUBLE,
	    CEL_T_STRING, CEL_T_BYTES, CEL_T_LIST,     CEL_T_TIMESTAMP, CEL_T_DURATION,
	    CEL_T_MAP,	  CEL_T_TYPE,  CEL_T_OPTIONAL, CEL_T_IP,	CEL_T_CIDR,
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(cel_type_name(cel_type_simple(kinds[i])), name) == 0)
			return cel_type_simple(kinds[i]);
	return NULL;
}

/* --- compiled patterns --- */

const struct regex *
cel_env_regex(struct cel_env *env, const char *pattern, size_t length, struct error *error)
{
	size_t bucket = cel_env_hash(pattern, length);
	struct env_regex *entry;
	struct regex *regex;

	if (length == 0)
		pattern = ""; /* an empty string has no bytes to point to */
	for (entry = env->regexes[bucket]; entry; entry = entry->next)
		if (entry->length == length && memcmp(entry->pattern, pattern, length) == 0)
			return entry->regex;
	regex = regex_open(pattern, length, error);
	if (!regex)
		return NULL;
	entry = arena_take(env->arena, sizeof *entry);
	entry->pattern = arena_copy(env->arena, pattern, length);
	entry->length = length;
	entry->regex = regex;
	entry->next = env->regexes[bucket];
	env->regexes[bucket] = entry;
	return regex;
}
