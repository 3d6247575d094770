/* SPDX-License-Identifier: Apache-2.0 */
/* env_function.c - the functions of an environment: signatures read once, found by name, fitted to the kinds of arguments. */
#include "common/cel/env_private.h"

#include <assert.h>
#include <string.h>

enum { PARAMETERS_MAX = 8 };

size_t
cel_env_hash(const char *bytes, size_t length)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
	return hash % ENV_BUCKETS;
}

/* --- kinds --- */

static const uint32_t any_kind = (1u << CEL_KIND_COUNT) - 1 - (1u << CEL_ABSENT) - (1u << CEL_ERROR);

uint32_t
cel_type_kinds(const struct cel_type *type)
{
	static const uint32_t kinds[] = {
	    [CEL_T_NULL] = 1u << CEL_NULL,
	    [CEL_T_BOOL] = 1u << CEL_BOOL,
	    [CEL_T_INT] = 1u << CEL_INT,
	    [CEL_T_UINT] = 1u << CEL_UINT,
	    [CEL_T_DOUBLE] = 1u << CEL_DOUBLE,
	    [CEL_T_STRING] = 1u << CEL_STRING,
	    [CEL_T_BYTES] = 1u << CEL_BYTES,
	    [CEL_T_TIMESTAMP] = 1u << CEL_TIMESTAMP,
	    [CEL_T_DURATION] = 1u << CEL_DURATION,
	    [CEL_T_LIST] = 1u << CEL_LIST,
	    [CEL_T_MAP] = 1u << CEL_MAP,
	    [CEL_T_RECORD] = 1u << CEL_MAP,
	    [CEL_T_OPTIONAL] = 1u << CEL_OPTIONAL,
	    [CEL_T_TYPE] = 1u << CEL_TYPE,
	    [CEL_T_IP] = 1u << CEL_IP,
	    [CEL_T_CIDR] = 1u << CEL_CIDR,
	};

	if (type->kind == CEL_T_WRAPPER)
		return cel_type_kinds(type->parameters[0]) | 1u << CEL_NULL;
	if (type->kind >= sizeof kinds / sizeof kinds[0] || kinds[type->kind] == 0)
		return any_kind; /* dyn, a parameter, a type that we know nothing of */
	return kinds[type->kind];
}

bool
cel_signature_takes_count(const struct cel_signature *signature, bool member, size_t count)
{
	if (signature->member != member)
		return false;
	return signature->variadic ? count >= signature->parameter_count : count == signature->parameter_count;
}

bool
cel_signature_takes(const struct cel_signature *signature, bool member, const struct cel_value *arguments,
		    size_t count)
{
	if (!cel_signature_takes_count(signature, member, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t parameter = i < signature->parameter_count ? i : signature->parameter_count - 1;

		if (!(signature->kinds[parameter] >> arguments[i].kind & 1))
			return false;
	}
	return true;
}

/* --- signatures --- */

/* Where a type in a list of parameters ends: at a comma or the bracket that closes the list. */
static size_t
type_length(const char *text)
{
	size_t i, depth = 0;

	for (i = 0; text[i]; i++) {
		if (text[i] == '<')
			depth++;
		else if (text[i] == '>')
			depth -= depth > 0;
		else if (depth == 0 && (text[i] == ',' || text[i] == ')'))
			break;
	}
	return i;
}

static bool
add_parameter(struct arena *arena, struct cel_signature *signature, const char *text, size_t length,
	      struct error *error)
{
	const struct cel_type **parameters = (const struct cel_type **)(uintptr_t)signature->parameters;
	uint32_t *kinds = (uint32_t *)(uintptr_t)signature->kinds;
	size_t n = signature->parameter_count;

	if (n == PARAMETERS_MAX)
		return error_set(error, ERROR_INVALID, "bad_signature", "more than %d parameters",
				 PARAMETERS_MAX);
	parameters[n] = cel_type_parse(arena, arena_copy(arena, text, length), error);
	if (!parameters[n])
		return false;
	kinds[n] = cel_type_kinds(parameters[n]);
	signature->parameter_count++;
	return true;
}

/* "int, list<int>)…", behind the opening bracket; *end behind the closing one. */
static bool
read_parameters(struct arena *arena, struct cel_signature *signature, const char *text, const char **end,
		struct error *error)
{
	while (*text != ')') {
		size_t whole, length;

		while (*text == ' ')
			text++;
		length = whole = type_length(text);
		if (length > 3 && memcmp(text + length - 3, "...", 3) == 0) {
			signature->variadic = true;
			length -= 3;
		}
		if (!add_parameter(arena, signature, text, length, error))
			return false;
		text += whole;
		if (!*text)
			return error_set(error, ERROR_INVALID, "bad_signature",
					 "the list of parameters has no end");
		if (*text == ',')
			text++;
	}
	*end = text + 1;
	return true;
}

/* Each but the first has a comma or, behind a receiver, the bracket in front. */
static size_t
parameters_at_most(const char *text)
{
	size_t count = 1;

	for (; *text; text++)
		count += *text == ',' || *text == '(';
	return count < PARAMETERS_MAX ? count : PARAMETERS_MAX;
}

static struct cel_signature *
read_signature(struct arena *arena, const struct cel_overload *overload, struct error *error)
{
	struct cel_signature *signature = arena_take(arena, sizeof *signature);
	const char *text = overload->signature, *bracket = strchr(text, '(');

	signature->overload = overload;
	signature->parameters = arena_take_array(arena, parameters_at_most(text), sizeof(struct cel_type *));
	signature->kinds = arena_take_array(arena, parameters_at_most(text), sizeof(uint32_t));
	if (!bracket || (bracket > text && bracket[-1] != '.')) {
		error_set(error, ERROR_INVALID, "bad_signature", "expected (types):type or type.(types):type");
		return NULL;
	}
	signature->member = bracket > text;
	if (signature->member && !add_parameter(arena, signature, text, (size_t)(bracket - 1 - text), error))
		return NULL;
	if (!read_parameters(arena, signature, bracket + 1, &text, error))
		return NULL;
	if (*text != ':') {
		error_set(error, ERROR_INVALID, "bad_signature", "expected a colon and the type of the result");
		return NULL;
	}
	signature->result = cel_type_parse(arena, text + 1, error);
	return signature->result ? signature : NULL;
}

/* --- the table --- */

static struct cel_function_entry *
find_function(const struct cel_env *env, const char *name)
{
	struct cel_function_entry *function = env->functions[cel_env_hash(name, strlen(name))];

	while (function && strcmp(function->name, name) != 0)
		function = function->next;
	return function;
}

static void
add_signature(struct cel_env *env, struct cel_signature *signature)
{
	const char *name = signature->overload->name;
	struct cel_function_entry *function = find_function(env, name);
	struct cel_signature **last;

	if (!function) {
		size_t bucket = cel_env_hash(name, strlen(name));

		function = arena_take(env->arena, sizeof *function);
		function->name = name;
		function->next = env->functions[bucket];
		env->functions[bucket] = function;
	}
	for (last = &function->signatures; *last; last = &(*last)->next)
		;
	*last = signature;
}

void
cel_env_add_libraries(struct cel_env *env)
{
	static const struct cel_overload *const libraries[] = {
	    cel_library_standard, cel_library_time,    cel_library_strings,   cel_library_math,
	    cel_library_encoders, cel_library_network, cel_library_optionals, cel_library_lists,
	};

	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		for (const struct cel_overload *o = libraries[i]; o->name; o++) {
			struct error error = {0};
			struct cel_signature *signature = read_signature(env->arena, o, &error);

			assert(signature); /* we wrote it */
			add_signature(env, signature);
		}
	}
}

bool
cel_declare_function(struct cel_env *env, const char *name, const char *signature, struct error *error)
{
	struct cel_overload *overload = arena_take(env->arena, sizeof *overload);
	struct cel_signature *read;

	if (!name[0] || strlen(name) > CEL_NAME_MAX)
		return error_set(error, ERROR_INVALID, "bad_name", "a function's name has 1 to %d bytes",
				 CEL_NAME_MAX);
	overload->name = arena_string(env->arena, name);
	overload->signature = arena_string(env->arena, signature);
	read = read_signature(env->arena, overload, error);
	if (!read)
		return false;
	add_signature(env, read);
	return true;
}

const struct cel_function_entry *
cel_env_function(const struct cel_env *env, const char *name)
{
	return find_function(env, name);
}

const struct cel_function_entry *
cel_env_next_function(const struct cel_env *env, const struct cel_function_entry *after)
{
	size_t bucket = 0;

	if (after && after->next)
		return after->next;
	if (after)
		bucket = cel_env_hash(after->name, strlen(after->name)) + 1;
	for (; bucket < ENV_BUCKETS; bucket++)
		if (env->functions[bucket])
			return env->functions[bucket];
	return NULL;
}
