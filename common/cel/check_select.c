/* SPDX-License-Identifier: Apache-2.0 */
/* check_select.c - selections: a.b, has(a.b), a.?b, and a['b'] where a is a record. */
#include "common/cel/check.h"

#include <string.h>

static const struct cel_type *
record_field(const struct cel_type *record, const char *name)
{
	for (size_t i = 0; i < record->field_count; i++)
		if (strcmp(record->fields[i].name, name) == 0)
			return record->fields[i].type;
	return NULL;
}

static const struct cel_type *
map_value(struct checker *checker, const struct cel_node *node, const struct cel_type *map)
{
	const struct cel_type *string = cel_type_simple(CEL_T_STRING);

	if (cel_unify_assignable(&checker->unifier, string, map->parameters[0]))
		return map->parameters[1];
	return check_fault(checker, CEL_NO_SUCH_FIELD, node->position,
			   "a selection needs string keys, and the keys of %s are none",
			   check_type_text(checker, map));
}

/* The type of the field in a value of this type, which is no optional. */
static const struct cel_type *
field_of(struct checker *checker, const struct cel_node *node, const struct cel_type *type, const char *field)
{
	const struct cel_type *found;

	switch (type->kind) {
	case CEL_T_RECORD:
		found = record_field(type, field);
		return found ? cel_unify_instantiate(&checker->unifier, found, &checker->declared)
			     : check_fault_field(checker, node, type, field);
	case CEL_T_MAP:
		return map_value(checker, node, type);
	case CEL_T_DYN:
		return &check_unknown;
	case CEL_T_PARAM:
		/* bound to dyn, lest what follows makes it something that has no fields */
		cel_unify_assignable(&checker->unifier, &check_unknown, type);
		return &check_unknown;
	default:
		return check_fault(checker, CEL_NO_SUCH_FIELD, node->position, "%s has no fields, so no '%s'",
				   check_type_text(checker, type), field);
	}
}

/* As field_of; what is selected of an optional is an optional. */
static const struct cel_type *
select_field(struct checker *checker, const struct cel_node *node, const struct cel_type *type,
	     const char *field, bool optional)
{
	const struct cel_type *found;

	if (type->kind == CEL_T_OPTIONAL) {
		optional = true;
		type = cel_unify_resolve(&checker->unifier, type->parameters[0], false);
	}
	found = field_of(checker, node, type, field);
	return optional ? cel_type_optional(checker->arena, found) : found;
}

const struct cel_type *
check_select(struct checker *checker, const struct cel_node *node)
{
	char name[CEL_CANDIDATE_MAX];
	const struct cel_type *type = NULL;

	if (check_qualified(checker, node, name))
		type = check_lookup(checker, node, name);
	if (type)
		return type;
	type = cel_unify_resolve(&checker->unifier, check_node(checker, node->operand), false);
	type = select_field(checker, node, type, node->name, false);
	return node->test_only ? cel_type_simple(CEL_T_BOOL) : type;
}

/* The bytes of a string literal, NULL for any other node and for a string that is no name. */
static const char *
string_literal(struct checker *checker, const struct cel_node *node)
{
	if (node->kind != CEL_N_LITERAL || node->value.kind != CEL_STRING)
		return NULL;
	if (node->value.extra == 0)
		return ""; /* an empty string has no bytes to point to */
	if (node->value.extra > CEL_NAME_MAX || memchr(node->value.as.bytes, 0, node->value.extra))
		return NULL;
	return arena_copy(checker->arena, node->value.as.bytes, node->value.extra);
}

const struct cel_type *
check_optional_select(struct checker *checker, const struct cel_node *node)
{
	const struct cel_type *type;
	const char *field;

	if (node->argument_count != 2 || !(field = string_literal(checker, node->arguments[1])))
		return check_fault(checker, CEL_TYPE_ERROR, node->position, "expected a field's name after .?");
	type = check_node(checker, node->arguments[0]);
	check_node(checker, node->arguments[1]);
	return select_field(checker, node, cel_unify_resolve(&checker->unifier, type, false), field, true);
}

static bool
is_record(struct checker *checker, const struct cel_type *type)
{
	if (type->kind == CEL_T_OPTIONAL)
		type = cel_unify_resolve(&checker->unifier, type->parameters[0], false);
	return type->kind == CEL_T_RECORD;
}

const struct cel_type *
check_record_index(struct checker *checker, const struct cel_node *node)
{
	bool optional = strcmp(node->name, "_[?_]") == 0;
	const struct cel_type *type;
	const char *field;

	if ((!optional && strcmp(node->name, "_[_]") != 0) || node->argument_count != 2)
		return NULL;
	type = check_type_of(checker, node->arguments[0]);
	if (!is_record(checker, type) || !(field = string_literal(checker, node->arguments[1])))
		return NULL;
	return select_field(checker, node, type, field, optional);
}

void
check_record_in(struct checker *checker, const struct cel_node *node)
{
	const struct cel_type *record;
	const char *field;

	if (strcmp(node->name, "@in") != 0 || node->argument_count != 2)
		return;
	record = check_type_of(checker, node->arguments[1]);
	field = string_literal(checker, node->arguments[0]);
	if (record->kind == CEL_T_RECORD && field && !record_field(record, field))
		check_fault_field(checker, node, record, field);
}
