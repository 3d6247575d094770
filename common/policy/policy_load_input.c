/* SPDX-License-Identifier: Apache-2.0 */
/* policy_load_input.c - the inputs and params of a document: names, types, bounds. */
#include "common/policy/policy_read.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 256, NAME_MAX_BYTES = 128, DESCRIPTION_MAX = 1024 };

static bool read_fields(const struct place *place, struct policy_type *map, size_t depth);

/* -1, 0, 1 of two data of one kind that has an order. */
static int
compare_data(const struct policy_datum *left, const struct policy_datum *right)
{
	if (left->kind == POLICY_T_DOUBLE)
		return (left->as.real > right->as.real) - (left->as.real < right->as.real);
	if (left->as.integer != right->as.integer)
		return left->as.integer < right->as.integer ? -1 : 1;
	return (left->nanoseconds > right->nanoseconds) - (left->nanoseconds < right->nanoseconds);
}

static bool
is_ordered(enum policy_kind kind)
{
	return kind == POLICY_T_INT || kind == POLICY_T_DOUBLE || kind == POLICY_T_TIMESTAMP
	       || kind == POLICY_T_DURATION;
}

/* min or max: a value of the kind where it has an order, else a size. */
static bool
read_bound(const struct place *map, const char *name, const struct policy_type *type,
	   const struct policy_datum **bound)
{
	static const struct policy_type size = {.kind = POLICY_T_INT};
	struct place place = policy_place_member(map, name);

	if (!place.value)
		return true;
	if (type->kind == POLICY_T_BOOL || (type->kind == POLICY_T_MAP && type->fields))
		return policy_refuse_name(&place, "bad_value",
					  "what is of this type has neither order nor size");

	struct policy_datum *read = arena_take(map->reader->arena, sizeof *read);

	if (!policy_read_datum(&place, is_ordered(type->kind) ? type : &size, read))
		return false;
	if (!is_ordered(type->kind) && read->as.integer < 0)
		return policy_refuse(&place, "bad_value", "a size can't be below 0");
	*bound = read;
	return true;
}

static const struct policy_type *
innermost(const struct policy_type *type)
{
	while (type->kind == POLICY_T_LIST)
		type = type->item;
	return type;
}

static bool
same_word(const struct policy_datum *left, const struct policy_datum *right)
{
	if (left->kind == POLICY_T_INT)
		return left->as.integer == right->as.integer;
	return left->as.string.length == right->as.string.length
	       && memcmp(left->as.string.bytes, right->as.string.bytes, left->as.string.length) == 0;
}

static bool
read_words(const struct place *place, const struct policy_type *type, struct policy_field *field)
{
	if (type->kind != POLICY_T_STRING && type->kind != POLICY_T_INT)
		return policy_refuse_name(place, "bad_value",
					  "only strings and ints, or lists of them, have one");
	if (!policy_read_list(place, WORDS_MAX))
		return false;

	size_t count = place->value->as.list.count;
	struct policy_datum *words = arena_take_array(place->reader->arena, count, sizeof *words);

	for (size_t i = 0; i < count; i++) {
		struct place item = policy_place_item(place, i);

		if (!policy_read_datum(&item, type, &words[i]))
			return false;
		for (size_t j = 0; j < i; j++)
			if (same_word(&words[i], &words[j]))
				return policy_refuse(&item, "duplicate_id", "stands here twice");
	}
	field->words = words;
	field->word_count = count;
	return true;
}

bool
policy_read_bounds(const struct place *map, struct policy_field *field)
{
	struct place words = policy_place_member(map, "enum"), max = policy_place_member(map, "max");
	bool good = read_bound(map, "min", &field->type, &field->min);

	good = read_bound(map, "max", &field->type, &field->max) && good;
	if (words.value)
		good = read_words(&words, innermost(&field->type), field) && good;
	if (good && field->min && field->max && compare_data(field->min, field->max) > 0)
		return policy_refuse(&max, "bad_value", "is below min: nothing could ever satisfy both");
	return good;
}

static bool
read_default(const struct place *place, struct policy_field *field)
{
	struct policy_datum *datum;
	struct error why = {0};

	if (!place->value)
		return true;
	if (innermost(&field->type)->kind == POLICY_T_MAP)
		return policy_refuse_name(place, "bad_value", "a map has no default; its fields may have");
	if (field->required)
		return policy_refuse_name(place, "bad_value", "what is required never needs one");
	datum = arena_take(place->reader->arena, sizeof *datum);
	if (!policy_read_datum(place, &field->type, datum))
		return false;
	field->fallback = datum;
	return policy_datum_fits(field, datum, "", &why)
	       || policy_refuse(place, "bad_value", "is no value that the input may have: %s", why.text);
}

static bool
read_long_field(const struct place *place, struct policy_field *field, size_t depth)
{
	static const char *const known[] = {"type",	"enum",	     "min",    "max",	      "default",
					    "required", "sensitive", "fields", "description", NULL};
	const char *unused;

	if (!policy_read_map(place, known))
		return false;

	struct place type = policy_place_member(place, "type"), fields = policy_place_member(place, "fields");
	struct place fallback = policy_place_member(place, "default"),
		     required = policy_place_member(place, "required");
	struct place sensitive = policy_place_member(place, "sensitive"),
		     description = policy_place_member(place, "description");

	if (!policy_read_type(&type, &field->type))
		return false;
	bool good = !fields.value || read_fields(&fields, &field->type, depth);

	good = (!required.value || policy_read_bool(&required, &field->required)) && good;
	good = (!sensitive.value || policy_read_bool(&sensitive, &field->sensitive)) && good;
	good = (!description.value || policy_read_text(&description, DESCRIPTION_MAX, &unused)) && good;
	good = policy_read_bounds(place, field) && good;
	return good && read_default(&fallback, field);
}

/* "int", or {type: int, min: 0}. */
static bool
read_field(const struct place *place, struct policy_field *field, size_t depth)
{
	if (place->value->kind == VALUE_STRING)
		return policy_read_type(place, &field->type);
	if (place->value->kind != VALUE_MAP)
		return policy_refuse(place, "wrong_type",
				     "must be a type, or a map with one: {type: int, min: 0}");
	return read_long_field(place, field, depth);
}

static int
compare_fields(const void *left, const void *right)
{
	const struct policy_field *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/* Any member names but those with dots, which paths could not tell from steps. */
static bool
read_field_name(const struct place *place, const char **name)
{
	if (place->name[0] == '\0' || strlen(place->name) > NAME_MAX_BYTES)
		return policy_refuse_name(place, "bad_value", "a name has 1 to %d bytes", NAME_MAX_BYTES);
	if (strchr(place->name, '.'))
		return policy_refuse_name(place, "bad_value",
					  "a name holds no dot: paths have them between names");
	*name = arena_string(place->reader->arena, place->name);
	return true;
}

static bool
read_all_fields(const struct place *place, struct policy_type *map, size_t depth)
{
	size_t count = place->value->as.map.count;
	struct policy_field *fields = arena_take_array(place->reader->arena, count, sizeof *fields);
	bool good = true;

	for (size_t i = 0; i < count && !policy_reader_is_full(place); i++) {
		struct place field = policy_place_nth(place, i);

		good =
		    read_field_name(&field, &fields[i].name) && read_field(&field, &fields[i], depth) && good;
	}
	if (!good || policy_reader_is_full(place))
		return false;
	qsort(fields, count, sizeof *fields, compare_fields);
	map->fields = fields;
	map->field_count = count;
	return true;
}

/* The types on the way were made by policy_read_type in the reader's arena, for this field alone. */
static bool
read_fields(const struct place *place, struct policy_type *type, size_t depth)
{
	struct policy_type *map = (struct policy_type *)(uintptr_t)innermost(type);

	if (map->kind != POLICY_T_MAP)
		return policy_refuse_name(place, "bad_value", "only a map, or a list of maps, has fields");
	if (depth == POLICY_TYPE_DEPTH_MAX)
		return policy_refuse(place, "too_many", "maps in maps, more than %d deep",
				     POLICY_TYPE_DEPTH_MAX);
	return policy_read_open_map(place, POLICY_INPUTS_MAX) && read_all_fields(place, map, depth + 1);
}

void
policy_load_inputs(const struct place *root)
{
	struct place inputs = policy_place_member(root, "inputs");
	struct policy *policy = root->reader->policy;

	policy->inputs.kind = POLICY_T_MAP;
	if (!inputs.value)
		return;
	if (policy_is_empty(&inputs, VALUE_MAP)) {
		policy->has_inputs = true; /* it takes no context at all */
		policy->inputs.fields = arena_take(root->reader->arena, 0);
	} else {
		policy->has_inputs = read_fields(&inputs, &policy->inputs, 0);
		policy->bad_inputs = !policy->has_inputs;
	}
}

static int
compare_params(const void *left, const void *right)
{
	const struct policy_param *a = left, *b = right;

	return strcmp(a->field.name, b->field.name);
}

/* For a param of another document, which alone knows its type and its bounds. */
static bool
read_override(const struct place *place, struct policy_override *override)
{
	static const char *const known[] = {"of", "value", "description", NULL};
	struct place of = policy_place_member(place, "of"), value = policy_place_member(place, "value");
	struct place description = policy_place_member(place, "description");
	const char *unused;

	if (!policy_read_map(place, known))
		return false;
	if (policy_is_organisation(place->reader->policy))
		return policy_refuse_name(&of, "bad_value",
					  "is for a tenant's policy: this one is an organisation's");
	if (description.value && !policy_read_text(&description, DESCRIPTION_MAX, &unused))
		return false;
	if (!value.value)
		return policy_refuse(&value, "missing_key", "is required");
	override->value = policy_copy_value(place->reader->arena, value.value);
	return policy_read_id(&of, &override->of);
}

static bool
read_param(const struct place *place, struct policy_param *param)
{
	static const char *const known[] = {"type", "value", "enum", "min", "max", "description", NULL};
	struct error why = {0};
	const char *unused;

	if (!policy_read_map(place, known))
		return false;

	struct place type = policy_place_member(place, "type"), value = policy_place_member(place, "value");
	struct place description = policy_place_member(place, "description");

	if (description.value && !policy_read_text(&description, DESCRIPTION_MAX, &unused))
		return false;
	if (!policy_read_type(&type, &param->field.type))
		return false;
	if (innermost(&param->field.type)->kind == POLICY_T_MAP)
		return policy_refuse(&type, "bad_value", "a param is no map");
	if (!policy_read_bounds(place, &param->field)
	    || !policy_read_datum(&value, &param->field.type, &param->value))
		return false;
	return policy_datum_fits(&param->field, &param->value, "", &why)
	       || policy_refuse(&value, "bad_value", "is outside its own bounds: %s", why.text);
}

static bool
is_override(const struct place *place)
{
	return place->value && place->value->kind == VALUE_MAP && value_get(place->value, "of");
}

void
policy_load_params(const struct place *root)
{
	struct place params = policy_place_member(root, "params");
	struct policy *policy = root->reader->policy;

	if (!params.value || policy_is_empty(&params, VALUE_MAP)
	    || !policy_read_open_map(&params, POLICY_INPUTS_MAX))
		return;
	size_t count = params.value->as.map.count;

	policy->params = arena_take_array(root->reader->arena, count, sizeof *policy->params);
	policy->overrides = arena_take_array(root->reader->arena, count, sizeof *policy->overrides);
	for (size_t i = 0; i < count && !policy_reader_is_full(root); i++) {
		struct place place = policy_place_nth(&params, i);
		struct policy_param *param = &policy->params[policy->param_count];
		struct policy_override *override = &policy->overrides[policy->override_count];

		if (is_override(&place)) {
			policy->override_count +=
			    policy_read_selector(&place, &override->name) && read_override(&place, override);
			continue;
		}
		policy->param_count++;
		param->field.name = ""; /* where it is bad */
		if (policy_read_selector(&place, &param->field.name))
			read_param(&place, param);
	}
	if (!policy_reader_is_full(root))
		qsort(policy->params, policy->param_count, sizeof *policy->params, compare_params);
}
