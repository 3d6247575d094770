/* SPDX-License-Identifier: Apache-2.0 */
/* compile_call.c - calls: the operators that have instructions of their own, and functions. */
#include "common/cel/compile.h"

#include <string.h>

static void
push_arguments(struct compiler *c, const struct cel_node *node)
{
	for (size_t i = 0; i < node->argument_count; i++)
		compile_node(c, node->arguments[i]);
}

static void
emit_simple(struct compiler *c, const struct cel_node *node, enum cel_op op, int effect)
{
	push_arguments(c, node);
	compile_emit(c, node, (struct cel_instruction){.op = (uint8_t)op}, effect);
}

/* --- logic --- */

/* The right side is left out when the left one decides; otherwise both stand on the stack and AND, OR absorb what they may. */
static void
emit_logic(struct compiler *c, const struct cel_node *node, enum cel_op jump, enum cel_op combine)
{
	size_t decided;

	compile_node(c, node->arguments[0]);
	decided = compile_emit(c, node, (struct cel_instruction){.op = (uint8_t)jump}, 0);
	for (size_t i = 1; i < node->argument_count; i++) {
		compile_node(c, node->arguments[i]);
		compile_emit(c, node, (struct cel_instruction){.op = (uint8_t)combine}, -1);
	}
	compile_patch_a(c, decided);
}

static void
emit_and(struct compiler *c, const struct cel_node *node)
{
	emit_logic(c, node, OP_IF_FALSE, OP_AND);
}

static void
emit_or(struct compiler *c, const struct cel_node *node)
{
	emit_logic(c, node, OP_IF_TRUE, OP_OR);
}

static void
emit_ternary(struct compiler *c, const struct cel_node *node)
{
	size_t branch, end;

	compile_node(c, node->arguments[0]);
	branch = compile_emit(c, node, (struct cel_instruction){.op = OP_BRANCH}, -1);
	compile_node(c, node->arguments[1]);
	end = compile_emit(c, node, (struct cel_instruction){.op = OP_JUMP}, -1);
	compile_patch_a(c, branch);
	compile_node(c, node->arguments[2]);
	compile_patch_a(c, end);
	compile_patch_b(c, branch);
}

static void
emit_not(struct compiler *c, const struct cel_node *node)
{
	emit_simple(c, node, OP_NOT, 0);
}

static void
emit_not_strictly_false(struct compiler *c, const struct cel_node *node)
{
	emit_simple(c, node, OP_NOT_STRICTLY_FALSE, 0);
}

/* --- comparison --- */

/* With a literal on either side of == there is nothing to push for it. */
static void
emit_equality(struct compiler *c, const struct cel_node *node, bool negated)
{
	struct cel_value constant;
	bool right = compile_folded(c, node->arguments[1], &constant);

	if (right || compile_folded(c, node->arguments[0], &constant)) {
		compile_node(c, node->arguments[right ? 0 : 1]);
		compile_emit(c, node,
			     (struct cel_instruction){
				 .op = OP_EQUAL_CONSTANT, .count = negated, .a = compile_constant(c, constant)},
			     0);
		return;
	}
	push_arguments(c, node);
	compile_emit(c, node, (struct cel_instruction){.op = OP_EQUAL, .count = negated}, -1);
}

static void
emit_equal(struct compiler *c, const struct cel_node *node)
{
	emit_equality(c, node, false);
}

static void
emit_unequal(struct compiler *c, const struct cel_node *node)
{
	emit_equality(c, node, true);
}

static void
emit_relation(struct compiler *c, const struct cel_node *node, enum cel_relation relation)
{
	struct cel_value constant;

	compile_node(c, node->arguments[0]);
	if (compile_folded(c, node->arguments[1], &constant)) {
		compile_emit(c, node,
			     (struct cel_instruction){.op = OP_ORDER_CONSTANT,
						      .count = (uint16_t)relation,
						      .a = compile_constant(c, constant)},
			     0);
		return;
	}
	compile_node(c, node->arguments[1]);
	compile_emit(c, node, (struct cel_instruction){.op = OP_ORDER, .count = (uint16_t)relation}, -1);
}

static void
emit_less(struct compiler *c, const struct cel_node *node)
{
	emit_relation(c, node, RELATION_LESS);
}

static void
emit_less_equal(struct compiler *c, const struct cel_node *node)
{
	emit_relation(c, node, RELATION_LESS_EQUAL);
}

static void
emit_greater(struct compiler *c, const struct cel_node *node)
{
	emit_relation(c, node, RELATION_GREATER);
}

static void
emit_greater_equal(struct compiler *c, const struct cel_node *node)
{
	emit_relation(c, node, RELATION_GREATER_EQUAL);
}

static void
emit_in(struct compiler *c, const struct cel_node *node)
{
	struct cel_value constant;

	compile_node(c, node->arguments[0]);
	if (node->arguments[1]->kind == CEL_N_LIST && compile_folded(c, node->arguments[1], &constant)) {
		compile_emit(c, node,
			     (struct cel_instruction){.op = OP_IN_SET, .a = compile_set(c, constant.as.list)},
			     0);
		return;
	}
	compile_node(c, node->arguments[1]);
	compile_emit(c, node, (struct cel_instruction){.op = OP_IN}, -1);
}

/* --- indexing --- */

static void
emit_index(struct compiler *c, const struct cel_node *node)
{
	emit_simple(c, node, OP_INDEX, -1);
}

static void
emit_index_optional(struct compiler *c, const struct cel_node *node)
{
	emit_simple(c, node, OP_INDEX_OPTIONAL, -1);
}

static void
emit_field_optional(struct compiler *c, const struct cel_node *node)
{
	const struct cel_node *name = node->arguments[1];

	if (name->kind != CEL_N_LITERAL || name->value.kind != CEL_STRING) {
		emit_index_optional(c, node);
		return;
	}
	compile_node(c, node->arguments[0]);
	compile_emit(c, node,
		     (struct cel_instruction){
			 .op = OP_FIELD_OPTIONAL, .count = NO_HINT, .a = compile_constant(c, name->value)},
		     0);
}

static const struct operator_row {
	const char *name;
	size_t arguments;
	void (*emit)(struct compiler *c, const struct cel_node *node);
} operators[] = {
    {"_&&_", 2, emit_and},
    {"_||_", 2, emit_or},
    {"_?_:_", 3, emit_ternary},
    {"!_", 1, emit_not},
    {"@not_strictly_false", 1, emit_not_strictly_false},
    {"__not_strictly_false__", 1, emit_not_strictly_false},
    {"_==_", 2, emit_equal},
    {"_!=_", 2, emit_unequal},
    {"_<_", 2, emit_less},
    {"_<=_", 2, emit_less_equal},
    {"_>_", 2, emit_greater},
    {"_>=_", 2, emit_greater_equal},
    {"@in", 2, emit_in},
    {"_[_]", 2, emit_index},
    {"_[?_]", 2, emit_index_optional},
    {"_?._", 2, emit_field_optional},
};

static bool
emit_operator(struct compiler *c, const struct cel_node *node)
{
	if (node->operand || (node->name[0] != '_' && node->name[0] != '!' && node->name[0] != '@'))
		return false;
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
		const struct operator_row *row = &operators[i];

		/* && and || may be written by a parser as one call of many */
		if (strcmp(row->name, node->name) != 0
		    || (i < 2 ? node->argument_count < 2 : node->argument_count != row->arguments))
			continue;
		row->emit(c, node);
		return true;
	}
	return false;
}

/* --- functions --- */

/* A pattern that is known now is compiled now, and one that is wrong is refused now. False: this is no such call. */
static bool
emit_matches(struct compiler *c, const struct cel_node *node)
{
	size_t own = node->operand ? 0 : 1;
	const struct cel_node *pattern;
	struct error error = {0};
	const struct regex *regex;

	if (strcmp(node->name, "matches") != 0 || node->argument_count != own + 1)
		return false;
	pattern = node->arguments[own];
	if (pattern->kind != CEL_N_LITERAL || pattern->value.kind != CEL_STRING)
		return false;
	regex = cel_env_regex(c->env, pattern->value.as.bytes, pattern->value.extra, &error);
	if (!regex) {
		compile_fault(c, pattern, CEL_REGEX, error.text);
		compile_error(c, pattern, CEL_REGEX, NULL);
		return true;
	}
	compile_node(c, node->operand ? node->operand : node->arguments[0]);
	*(const struct regex **)compile_grow(c, &c->regexes, sizeof regex) = regex;
	compile_emit(c, node,
		     (struct cel_instruction){
			 .op = OP_MATCHES, .a = (uint32_t)(c->regexes.count - 1), .b = pattern->value.extra},
		     0);
	return true;
}

static uint32_t
number_of(struct compiler *c, const struct cel_function_entry *function)
{
	const struct cel_function_entry **functions = c->functions.items;

	for (size_t i = 0; i < c->functions.count; i++)
		if (functions[i] == function)
			return (uint32_t)i;
	*(const struct cel_function_entry **)compile_grow(c, &c->functions, sizeof function) = function;
	return (uint32_t)(c->functions.count - 1);
}

static void
emit_call(struct compiler *c, const struct cel_node *node, const struct cel_function_entry *function,
	  bool member)
{
	size_t count = node->argument_count + member;

	if (!function) {
		compile_error(c, node, CEL_UNBOUND, node->name);
		return;
	}
	if (count > UINT16_MAX) {
		compile_fault(c, node, CEL_DEPTH, "more arguments than a call can have");
		compile_error(c, node, CEL_DEPTH, NULL);
		return;
	}
	if (member)
		compile_node(c, node->operand);
	push_arguments(c, node);
	compile_emit(c, node,
		     (struct cel_instruction){
			 .op = OP_CALL, .count = (uint16_t)count, .a = number_of(c, function), .b = member},
		     1 - (int)count);
}

/* The argument of or() and orValue() is left out when the receiver has a value, whatever it would be. */
static bool
emit_or_else(struct compiler *c, const struct cel_node *node)
{
	bool value = strcmp(node->name, "orValue") == 0;
	size_t present;

	if ((!value && strcmp(node->name, "or") != 0) || node->argument_count != 1)
		return false;
	compile_node(c, node->operand);
	present = compile_emit(c, node, (struct cel_instruction){.op = OP_OR_ELSE, .count = value}, 0);
	compile_node(c, node->arguments[0]);
	compile_emit(
	    c, node,
	    (struct cel_instruction){
		.op = OP_CALL, .count = 2, .a = number_of(c, cel_env_function(c->env, node->name)), .b = true},
	    -1);
	compile_patch_a(c, present);
	return true;
}

static bool
emit_typed(struct compiler *c, const struct cel_node *node)
{
	struct cel_value argument;
	const char *name = compile_typed(c, node, &argument);

	if (!name)
		return false;
	compile_node(c, node->operand);
	compile_emit(c, node, (struct cel_instruction){.op = OP_CONSTANT, .a = compile_constant(c, argument)},
		     1);
	compile_emit(
	    c, node,
	    (struct cel_instruction){
		.op = OP_CALL, .count = 2, .a = number_of(c, cel_env_function(c->env, name)), .b = true},
	    -1);
	return true;
}

void
compile_call(struct compiler *c, const struct cel_node *node)
{
	const struct cel_function_entry *function;
	struct cel_value made;

	if (emit_operator(c, node))
		return;
	compile_refuse_literals(c, node);
	if (compile_folded(c, node, &made)) {
		compile_emit(c, node,
			     (struct cel_instruction){.op = OP_CONSTANT, .a = compile_constant(c, made)}, 1);
		return;
	}
	if (!node->operand) {
		if (!emit_matches(c, node))
			emit_call(c, node, compile_global(c, node), false);
		return;
	}
	function = compile_qualified(c, node);
	if (function) {
		emit_call(c, node, function, false);
		return;
	}
	if (!emit_matches(c, node) && !emit_or_else(c, node) && !emit_typed(c, node))
		emit_call(c, node, cel_env_function(c->env, node->name), true);
}
