/* SPDX-License-Identifier: Apache-2.0 */
/* check_fault.c - faults for people: what was expected, what was found, the nearest name that is known. */
#include "common/cel/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LISTED_MAX 8 /* overloads or fields named in one message */

const struct cel_type *
check_fault(struct checker *checker, enum cel_code code, uint32_t position, const char *format, ...)
{
	char text[sizeof checker->faults->items[0].text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	checker->failed = true;
	cel_fault_add(checker->faults, checker->tree->source, checker->tree->source_length, code, position,
		      "%s", text);
	return &check_unknown;
}

/* --- types in words --- */

static void
add_fields(struct buffer *out, const struct cel_type *record)
{
	for (size_t i = 0; i < record->field_count && i < LISTED_MAX; i++)
		buffer_add_format(out, "%s%s", i ? ", " : "", record->fields[i].name);
	if (record->field_count > LISTED_MAX)
		buffer_add_text(out, ", …");
}

const char *
check_type_text(struct checker *checker, const struct cel_type *type)
{
	struct buffer out = {.arena = checker->arena};

	if (type->kind != CEL_T_RECORD)
		return cel_type_text(checker->arena, cel_unify_resolve(&checker->unifier, type, true));
	buffer_add_text(&out, "a map with the fields ");
	add_fields(&out, type);
	return out.bytes;
}

/* --- names --- */

/* A record's field that is called so: people forget `context.` */
static const char *
in_record(struct checker *checker, const char *name)
{
	const struct cel_variable *variable;

	for (size_t slot = 0; (variable = cel_env_variable_at(checker->env, slot)) != NULL; slot++)
		for (size_t i = 0; variable->type->kind == CEL_T_RECORD && i < variable->type->field_count; i++)
			if (strcmp(variable->type->fields[i].name, name) == 0)
				return arena_format(checker->arena, "%s.%s", variable->name, name);
	return NULL;
}

static const char *
nearest_name(struct checker *checker, const char *name)
{
	struct check_nearest nearest = {.wanted = name};
	const struct cel_variable *variable;

	for (const struct check_scope *scope = checker->scope; scope; scope = scope->outer)
		if (scope->name && scope->name[0] != '@' && scope->name[0] != '#')
			check_nearest_try(&nearest, scope->name);
	for (size_t slot = 0; (variable = cel_env_variable_at(checker->env, slot)) != NULL; slot++)
		check_nearest_try(&nearest, variable->name);
	return nearest.name;
}

const struct cel_type *
check_fault_name(struct checker *checker, const struct cel_node *node)
{
	const char *near = in_record(checker, node->name);

	if (!near)
		near = nearest_name(checker, node->name);
	if (near)
		return check_fault(checker, CEL_UNDECLARED, node->position,
				   "unknown name '%s'; did you mean '%s'?", node->name, near);
	if (check_function(checker, node->name, NULL))
		return check_fault(checker, CEL_UNDECLARED, node->position,
				   "'%s' is a function, not a value; a call has brackets", node->name);
	return check_fault(checker, CEL_UNDECLARED, node->position, "unknown name '%s'", node->name);
}

/* Macros are calls that became something else; misspelt they stay calls. */
static const char *const macros[] = {
    "all",	  "cel.bind", "exists",	       "existsOne",    "exists_one",	    "filter", "has", "map",
    "optFlatMap", "optMap",   "transformList", "transformMap", "transformMapEntry",
};

bool
check_is_like_macro(const char *name)
{
	struct check_nearest nearest = {.wanted = name};

	for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++)
		check_nearest_try(&nearest, macros[i]);
	return nearest.name != NULL;
}

const struct cel_type *
check_fault_function(struct checker *checker, const struct cel_node *node, const char *name)
{
	struct check_nearest nearest = {.wanted = name};

	for (const struct cel_function_entry *f = cel_env_next_function(checker->env, NULL); f;
	     f = cel_env_next_function(checker->env, f))
		if (!strpbrk(f->name, "_@!"))
			check_nearest_try(&nearest, f->name);
	for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++)
		check_nearest_try(&nearest, macros[i]);
	if (nearest.name)
		return check_fault(checker, CEL_UNDECLARED, node->position,
				   "unknown function '%s'; did you mean '%s'?", name, nearest.name);
	return check_fault(checker, CEL_UNDECLARED, node->position, "unknown function '%s'", name);
}

/* "context.plan", or "this map". */
static const char *
record_text(struct checker *checker, const struct cel_node *node)
{
	const struct cel_node *operand = node->operand;
	char name[CEL_CANDIDATE_MAX];

	if (node->kind == CEL_N_CALL)
		operand = node->arguments[strcmp(node->name, "@in") == 0 ? 1 : 0];
	if (!check_qualified(checker, operand, name))
		return "this map";
	return arena_string(checker->arena, name);
}

const struct cel_type *
check_fault_field(struct checker *checker, const struct cel_node *node, const struct cel_type *record,
		  const char *field)
{
	struct check_nearest nearest = {.wanted = field};
	const char *text = record_text(checker, node);
	struct buffer fields = {.arena = checker->arena};

	for (size_t i = 0; i < record->field_count; i++)
		check_nearest_try(&nearest, record->fields[i].name);
	if (nearest.name)
		return check_fault(checker, CEL_NO_SUCH_FIELD, node->position,
				   "%s has no field '%s'; did you mean '%s'?", text, field, nearest.name);
	if (record->field_count == 0)
		return check_fault(checker, CEL_NO_SUCH_FIELD, node->position, "%s has no fields, so no '%s'",
				   text, field);
	add_fields(&fields, record);
	return check_fault(checker, CEL_NO_SUCH_FIELD, node->position, "%s has no field '%s'; it has %s",
			   text, field, fields.bytes);
}

/* --- overloads --- */

/* "(int, string)", "string.(int)" */
static void
add_types(struct checker *checker, struct buffer *out, const struct cel_type *const *types, size_t count,
	  bool member)
{
	if (member)
		buffer_add_format(out, "%s.", check_type_text(checker, types[0]));
	buffer_add_byte(out, '(');
	for (size_t i = member; i < count; i++)
		buffer_add_format(out, "%s%s", i > member ? ", " : "", check_type_text(checker, types[i]));
	buffer_add_byte(out, ')');
}

/* What the function takes, as calls of it are written. */
static const char *
signatures_text(struct checker *checker, const char *name, const struct cel_signature *signatures)
{
	struct buffer out = {.arena = checker->arena};
	size_t count = 0;

	for (const struct cel_signature *s = signatures; s; s = s->next) {
		if (count++ == LISTED_MAX) {
			buffer_add_text(&out, ", …");
			break;
		}
		if (count > 1)
			buffer_add_text(&out, ", ");
		if (s->member)
			buffer_add_format(&out, "%s.", cel_type_text(checker->arena, s->parameters[0]));
		buffer_add_format(&out, "%s(", name);
		for (size_t i = s->member; i < s->parameter_count; i++)
			buffer_add_format(&out, "%s%s", i > s->member ? ", " : "",
					  cel_type_text(checker->arena, s->parameters[i]));
		buffer_add_text(&out, s->variadic ? ", …)" : ")");
	}
	return out.bytes ? out.bytes : "";
}

/* What an operator takes: "int + int, string + string" */
static const char *
operations_text(struct checker *checker, const char *sign, const struct cel_signature *signatures)
{
	struct buffer out = {.arena = checker->arena};
	size_t count = 0;

	for (const struct cel_signature *s = signatures; s && count < LISTED_MAX; s = s->next) {
		if (s->parameter_count == 1)
			buffer_add_format(&out, "%s%s%s", count++ ? ", " : "", sign,
					  cel_type_text(checker->arena, s->parameters[0]));
		else
			buffer_add_format(&out, "%s%s %s %s", count++ ? ", " : "",
					  cel_type_text(checker->arena, s->parameters[0]), sign,
					  cel_type_text(checker->arena, s->parameters[1]));
	}
	return out.bytes ? out.bytes : "";
}

static bool
is_number(const struct cel_type *type)
{
	return type->kind == CEL_T_INT || type->kind == CEL_T_UINT || type->kind == CEL_T_DOUBLE;
}

static bool
is_time(const struct cel_type *type)
{
	return type->kind == CEL_T_DURATION || type->kind == CEL_T_TIMESTAMP;
}

static bool
is_text_beside_time(const struct cel_type *const *types)
{
	return (is_time(types[0]) && types[1]->kind == CEL_T_STRING)
	       || (is_time(types[1]) && types[0]->kind == CEL_T_STRING);
}

/* It was not made a time. */
static const struct cel_type *
fault_time(struct checker *checker, const struct cel_node *node, const char *sign,
	   const struct cel_type *const *types)
{
	const struct cel_type *time = is_time(types[0]) ? types[0] : types[1];
	const char *name = check_type_text(checker, time);

	return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position, "%s %s %s: a %s is written %s('%s')",
			   check_type_text(checker, types[0]), sign, check_type_text(checker, types[1]), name,
			   name, time->kind == CEL_T_DURATION ? "24h" : "2026-01-31T00:00:00Z");
}

static const struct cel_type *
fault_operation(struct checker *checker, const struct cel_node *node, const char *sign,
		const struct cel_signature *signatures, const struct cel_type *const *types)
{
	const char *left = check_type_text(checker, types[0]), *right = check_type_text(checker, types[1]);

	if (is_number(types[0]) && is_number(types[1]))
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
				   "%s %s %s: numbers of two types do not mix; convert one side, as in %s(…)",
				   left, sign, right, left);
	if (is_text_beside_time(types))
		return fault_time(checker, node, sign, types);
	if (sign[1] == '=' && (sign[0] == '=' || sign[0] == '!'))
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
				   "%s %s %s: both sides must be of one type", left, sign, right);
	if (strcmp(sign, "in") == 0 && types[1]->kind == CEL_T_STRING)
		return check_fault(
		    checker, CEL_NO_SUCH_OVERLOAD, node->position,
		    "%s in string: whether a text is part of another is asked by text.contains(part)", left);
	if (strcmp(sign, "in") == 0)
		return check_fault(
		    checker, CEL_NO_SUCH_OVERLOAD,
		    node->position, "%s in %s: the right side must be a list of the left side's type, or a map with such keys",
		    left, right);
	return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
			   "%s %s %s is not defined; there is %s", left, sign, right,
			   operations_text(checker, sign, signatures));
}

static const struct cel_type *
fault_choice(struct checker *checker, const struct cel_node *node, const struct cel_type *const *types)
{
	if (!cel_unify_assignable(&checker->unifier, types[0], cel_type_simple(CEL_T_BOOL)))
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
				   "the condition must be bool, found %s", check_type_text(checker, types[0]));
	return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
			   "the branches of ? : are %s and %s, and must be of one type",
			   check_type_text(checker, types[1]), check_type_text(checker, types[2]));
}

static const struct cel_type *
fault_index(struct checker *checker, const struct cel_node *node, const struct cel_type *const *types)
{
	const struct cel_type *of = types[0];
	const char *index = check_type_text(checker, types[1]);

	if (of->kind == CEL_T_OPTIONAL)
		of = of->parameters[0];
	if (of->kind == CEL_T_LIST)
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
				   "a list's index must be int, found %s", index);
	if (of->kind == CEL_T_MAP)
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
				   "the keys of %s are never %s", check_type_text(checker, of), index);
	if (of->kind == CEL_T_RECORD)
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position, "%s: its keys are never %s",
				   check_type_text(checker, of), index);
	return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position, "%s has no items to index",
			   check_type_text(checker, of));
}

static bool
has_style(const struct cel_signature *signatures, bool member)
{
	while (signatures && signatures->member != member)
		signatures = signatures->next;
	return signatures != NULL;
}

static const struct cel_type *
fault_call(struct checker *checker, const struct cel_node *node, const struct cel_signature *signatures,
	   const struct cel_type *const *types, size_t count)
{
	const char *function = check_meaning_of(checker, node)->function;
	bool member = node->operand && !function;
	struct buffer found = {.arena = checker->arena};

	if (!function)
		function = node->name;
	if (!has_style(signatures, member))
		return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position,
				   member ? "%s is no method, write %s(x …); there is %s"
					  : "%s is a method, write x.%s(…); there is %s",
				   function, function, signatures_text(checker, function, signatures));
	add_types(checker, &found, types, count, member);
	if (strcmp(function, "contains") == 0 && member && types[0]->kind == CEL_T_LIST)
		return check_fault(
		    checker, CEL_NO_SUCH_OVERLOAD, node->position,
		    "contains does not take %s; whether a list has an item is asked by item in list",
		    found.bytes);
	return check_fault(checker, CEL_NO_SUCH_OVERLOAD, node->position, "%s does not take %s; there is %s",
			   function, found.bytes, signatures_text(checker, function, signatures));
}

const struct cel_type *
check_fault_overload(struct checker *checker, const struct cel_node *node,
		     const struct cel_signature *signatures, const struct cel_type *const *arguments,
		     size_t count)
{
	const char *sign = check_operator_sign(node->name);

	if (node->operand)
		return fault_call(checker, node, signatures, arguments, count);
	if (sign && count == 2)
		return fault_operation(checker, node, sign, signatures, arguments);
	if (sign && count == 1)
		return check_fault(
		    checker, CEL_NO_SUCH_OVERLOAD, node->position, "%s%s is not defined; there is %s", sign,
		    check_type_text(checker, arguments[0]), operations_text(checker, sign, signatures));
	if (strcmp(node->name, "_?_:_") == 0 && count == 3)
		return fault_choice(checker, node, arguments);
	if ((strcmp(node->name, "_[_]") == 0 || strcmp(node->name, "_[?_]") == 0) && count == 2)
		return fault_index(checker, node, arguments);
	return fault_call(checker, node, signatures, arguments, count);
}
