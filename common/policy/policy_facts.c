/* SPDX-License-Identifier: Apache-2.0 */
/* policy_facts.c - declared inputs as types of the expression language, a request as its values. */
#include "common/policy/policy_facts.h"

#include <assert.h>
#include <string.h>

enum { CONTEXT_STRING_BYTES = 8192, CHARACTER_BYTES = 4 };

static const struct cel_type *
record_type(struct arena *arena, const struct policy_field *fields, size_t count)
{
	struct cel_field *copies = arena_take_array(arena, count, sizeof *copies);

	for (size_t i = 0; i < count; i++)
		copies[i] = (struct cel_field){fields[i].name, policy_facts_type(arena, &fields[i].type)};
	return cel_type_record(arena, copies, count);
}

const struct cel_type *
policy_facts_type(struct arena *arena, const struct policy_type *type)
{
	static const enum cel_type_kind simple[] = {
	    [POLICY_T_BOOL] = CEL_T_BOOL,	    [POLICY_T_INT] = CEL_T_INT,
	    [POLICY_T_DOUBLE] = CEL_T_DOUBLE,	    [POLICY_T_STRING] = CEL_T_STRING,
	    [POLICY_T_TIMESTAMP] = CEL_T_TIMESTAMP, [POLICY_T_DURATION] = CEL_T_DURATION,
	};

	if (type->kind == POLICY_T_LIST)
		return cel_type_list(arena, policy_facts_type(arena, type->item));
	if (type->kind != POLICY_T_MAP)
		return cel_type_simple(simple[type->kind]);
	if (!type->fields)
		return cel_type_map(arena, cel_type_simple(CEL_T_STRING), cel_type_simple(CEL_T_DYN));
	return record_type(arena, type->fields, type->field_count);
}

/* ------------------------------------------------------------------ sizes, for the static estimate */

static uint64_t
longest_word(const struct policy_field *field)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < field->word_count; i++)
		if (field->words[i].kind == POLICY_T_STRING && field->words[i].as.string.length > longest)
			longest = field->words[i].as.string.length;
	return longest;
}

static void
declare_string(struct cel_env *env, const char *path, const struct policy_field *field)
{
	if (field->word_count)
		cel_declare_size(env, path, longest_word(field));
	else if (field->max && field->max->as.integer < CONTEXT_STRING_BYTES / CHARACTER_BYTES)
		cel_declare_size(env, path, (uint64_t)field->max->as.integer * CHARACTER_BYTES);
}

static void
declare_sizes(struct arena *arena, struct cel_env *env, const char *path, const struct policy_field *field)
{
	const struct policy_type *type = &field->type;

	if (type->kind == POLICY_T_STRING) {
		declare_string(env, path, field);
	} else if (type->kind == POLICY_T_LIST) {
		if (field->max)
			cel_declare_size(env, path, (uint64_t)field->max->as.integer);
		if (type->item->kind == POLICY_T_STRING && field->word_count)
			cel_declare_size(env, arena_format(arena, "%s[]", path), longest_word(field));
	} else if (type->kind == POLICY_T_MAP && type->fields) {
		for (size_t i = 0; i < type->field_count; i++)
			declare_sizes(arena, env, arena_format(arena, "%s.%s", path, type->fields[i].name),
				      &type->fields[i]);
	} else if (type->kind == POLICY_T_MAP && field->max) {
		cel_declare_size(env, path, (uint64_t)field->max->as.integer);
	}
}

/* ------------------------------------------------------------------ the environment */

static void
declare(struct cel_env *env, enum policy_fact fact, const char *name, const struct cel_type *type)
{
	struct error error = {0};
	size_t slot = 0;
	bool declared = cel_declare(env, name, type, &slot, &error);

	assert(declared && slot == (size_t)fact);
	(void)declared;
	(void)fact;
}

static void
release_env(void *env)
{
	cel_env_close(env);
}

struct cel_env *
policy_facts_declare(struct arena *arena, const struct policy *policy)
{
	struct cel_env *env = cel_env_open(arena);
	const struct cel_type *text = cel_type_simple(CEL_T_STRING);
	struct cel_field *params = arena_take_array(arena, policy->param_count, sizeof *params);

	arena_entrust(arena, release_env, env);
	declare(env, POLICY_FACT_AGENT_ID, "agent_id", text);
	declare(env, POLICY_FACT_ACTION, "action", text);
	declare(env, POLICY_FACT_TARGET, "target", text);
	declare(env, POLICY_FACT_TENANT, "tenant", text);
	declare(env, POLICY_FACT_NOW, "now", cel_type_simple(CEL_T_TIMESTAMP));
	for (size_t i = 0; i < policy->param_count; i++)
		params[i] = (struct cel_field){policy->params[i].field.name,
					       policy_facts_type(arena, &policy->params[i].field.type)};
	declare(env, POLICY_FACT_PARAMS, "params", cel_type_record(arena, params, policy->param_count));
	if (policy->has_inputs) {
		declare(env, POLICY_FACT_CONTEXT, "context", policy_facts_type(arena, &policy->inputs));
		for (size_t i = 0; i < policy->inputs.field_count; i++)
			declare_sizes(arena, env,
				      arena_format(arena, "context.%s", policy->inputs.fields[i].name),
				      &policy->inputs.fields[i]);
	}
	return env;
}

/* ------------------------------------------------------------------ values */

static struct cel_value
record(struct arena *arena, const struct policy_field *fields, const struct policy_datum *data, size_t count)
{
	struct cel_entry *entries = arena_take_array(arena, count, sizeof *entries);
	struct cel_map *map = arena_take(arena, sizeof *map);

	*map = (struct cel_map){.count = count, .entries = entries};
	for (size_t i = 0; i < count; i++) {
		entries[i].key = cel_string(fields[i].name, strlen(fields[i].name));
		entries[i].value = policy_facts_value(arena, &fields[i].type, &data[i]);
		map->present += entries[i].value.kind != CEL_ABSENT;
	}
	return (struct cel_value){.kind = CEL_MAP, .as.map = map};
}

static struct cel_value open_value(struct arena *arena, const struct value *value);

static struct cel_value
open_list(struct arena *arena, const struct value *list)
{
	struct cel_value *items = arena_take_array(arena, list->as.list.count, sizeof *items);

	for (size_t i = 0; i < list->as.list.count; i++)
		items[i] = open_value(arena, list->as.list.items[i]);
	return cel_list(arena, items, list->as.list.count);
}

static struct cel_value
open_map(struct arena *arena, const struct value *map)
{
	struct cel_entry *entries = arena_take_array(arena, map->as.map.count, sizeof *entries);

	for (size_t i = 0; i < map->as.map.count; i++) {
		const struct value_member *member = &map->as.map.members[i];

		entries[i].key = cel_string(member->name.bytes, member->name.length);
		entries[i].value = open_value(arena, member->value);
	}
	return cel_map(arena, entries, map->as.map.count);
}

/* What nobody declared: a number is an int when it was written without fraction and exponent. */
static struct cel_value
open_value(struct arena *arena, const struct value *value)
{
	switch (value->kind) {
	case VALUE_NULL:
		return cel_null();
	case VALUE_BOOL:
		return cel_bool(value->as.boolean);
	case VALUE_INT:
		return cel_int(value->as.integer);
	case VALUE_REAL:
		return cel_double(value->as.real);
	case VALUE_STRING:
		return cel_string(value->as.string.bytes, value->as.string.length);
	case VALUE_LIST:
		return open_list(arena, value);
	case VALUE_MAP:
		return open_map(arena, value);
	}
	return (struct cel_value){.kind = CEL_ABSENT};
}

static struct cel_value
typed_list(struct arena *arena, const struct policy_type *item, const struct policy_datum *list)
{
	struct cel_value *items = arena_take_array(arena, list->as.list.count, sizeof *items);

	for (size_t i = 0; i < list->as.list.count; i++)
		items[i] = policy_facts_value(arena, item, &list->as.list.items[i]);
	return cel_list(arena, items, list->as.list.count);
}

struct cel_value
policy_facts_value(struct arena *arena, const struct policy_type *type, const struct policy_datum *datum)
{
	switch (datum->kind) {
	case POLICY_T_ABSENT:
		break;
	case POLICY_T_BOOL:
		return cel_bool(datum->as.boolean);
	case POLICY_T_INT:
		return cel_int(datum->as.integer);
	case POLICY_T_DOUBLE:
		return cel_double(datum->as.real);
	case POLICY_T_STRING:
		return cel_string(datum->as.string.bytes, datum->as.string.length);
	case POLICY_T_TIMESTAMP:
		return cel_timestamp(datum->as.integer, datum->nanoseconds);
	case POLICY_T_DURATION:
		return cel_duration(datum->as.integer);
	case POLICY_T_LIST:
		return typed_list(arena, type->item, datum);
	case POLICY_T_MAP:
		return type->fields ? record(arena, type->fields, datum->as.fields, type->field_count)
				    : open_map(arena, datum->as.open);
	}
	return (struct cel_value){.kind = CEL_ABSENT};
}

static struct cel_value
text_of(const char *text)
{
	return cel_string(text, strlen(text));
}

/* Microseconds before 1970 count back from the second above. */
static struct cel_value
moment(int64_t microseconds)
{
	int64_t seconds = microseconds / 1000000, rest = microseconds % 1000000;

	if (rest < 0) {
		seconds--;
		rest += 1000000;
	}
	return cel_timestamp(seconds, (uint32_t)rest * 1000);
}

void
policy_facts_fill(const struct policy *policy, const struct policy_request *request,
		  const struct policy_datum *context, int64_t now, struct arena *arena, struct cel_value *slots)
{
	slots[POLICY_FACT_AGENT_ID] = text_of(request->agent_id);
	slots[POLICY_FACT_ACTION] = text_of(request->action);
	slots[POLICY_FACT_TARGET] = text_of(request->target);
	slots[POLICY_FACT_TENANT] = text_of(request->tenant);
	slots[POLICY_FACT_NOW] = moment(now);
	slots[POLICY_FACT_PARAMS] = policy->names->params;
	if (policy->has_inputs)
		slots[POLICY_FACT_CONTEXT] = policy_facts_value(arena, &policy->inputs, context);
}
