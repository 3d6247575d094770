/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_operator.c - single operators and functions of an expression: W04, W07; money among the inputs. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <string.h>

/* ------------------------------------------------------------------ W04 */

static bool
is_meta(char letter)
{
	return strchr("\\.+*?()|[]{}^$", letter) != NULL;
}

/* Nothing but plain letters and escaped ones between the anchors. */
static bool
is_simple(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] == '\\' && i + 1 < length && is_meta(bytes[i + 1]))
			i++;
		else if (is_meta(bytes[i]))
			return false;
	return true;
}

static bool
has_bar(const char *bytes, size_t length)
{
	int depth = 0;

	for (size_t i = 0; i < length; i++)
		if (bytes[i] == '\\')
			i++;
		else if (bytes[i] == '(')
			depth++;
		else if (bytes[i] == ')')
			depth--;
		else if (bytes[i] == '|' && depth == 0)
			return true;
	return false;
}

static void
check_regex(const struct policy_looking *looking, const struct cel_node *node)
{
	const struct cel_node *last = node->argument_count ? node->arguments[node->argument_count - 1] : NULL;

	if (node->kind != CEL_N_CALL || strcmp(node->name, "matches") != 0 || !last
	    || last->kind != CEL_N_LITERAL || last->value.kind != CEL_STRING || last->value.extra == 0)
		return;

	const char *bytes = last->value.as.bytes;
	size_t length = last->value.extra;
	bool begins = bytes[0] == '^',
	     ends = bytes[length - 1] == '$' && (length < 2 || bytes[length - 2] != '\\');
	size_t inner = length - begins - (ends && length > begins);
	bool simple = inner > 0 && is_simple(bytes + begins, inner);

	if (simple)
		policy_looking_add(looking, "W04", "plain_regex", last,
				   begins && ends ? "a plain text: == says the same, and is read at a glance"
				   : begins	  ? "startsWith says the same, and is read at a glance"
				   : ends	  ? "endsWith says the same, and is read at a glance"
						  : "contains says the same, and is read at a glance");
	else if (looking->allows && (!begins || !ends || has_bar(bytes, length)))
		policy_looking_add(
		    looking, "W04", "unanchored_regex", last,
		    "matches anywhere in the text, and the rule allows: write ^(?:…)$ around what is meant");
}

/* ------------------------------------------------------------------ W07 */

#define WHOLE_MAX ((INT64_C(1) << 53) - 1) /* a request holds no number beyond */

struct span {
	int64_t low, high;
};

static bool span_of(const struct policy_looking *looking, const struct cel_node *node, struct span *span);

static bool
combine(const char *name, struct span left, struct span right, struct span *span, bool *overflows)
{
	int64_t a, b, c, d;

	*overflows = false;
	if (strcmp(name, "_+_") == 0) {
		*overflows = __builtin_add_overflow(left.low, right.low, &span->low)
			     | __builtin_add_overflow(left.high, right.high, &span->high);
	} else if (strcmp(name, "_-_") == 0) {
		*overflows = __builtin_sub_overflow(left.low, right.high, &span->low)
			     | __builtin_sub_overflow(left.high, right.low, &span->high);
	} else if (strcmp(name, "_*_") == 0) {
		*overflows = __builtin_mul_overflow(left.low, right.low, &a)
			     | __builtin_mul_overflow(left.low, right.high, &b)
			     | __builtin_mul_overflow(left.high, right.low, &c)
			     | __builtin_mul_overflow(left.high, right.high, &d);
		if (!*overflows) {
			int64_t least = a < b ? a : b, most = a > b ? a : b;

			least = c < least ? c : least;
			most = c > most ? c : most;
			*span = (struct span){d < least ? d : least, d > most ? d : most};
		}
	} else {
		return false;
	}
	return true;
}

/* The ints that a node can be; false for anything else. */
static bool
span_of(const struct policy_looking *looking, const struct cel_node *node, struct span *span)
{
	const struct policy_field *field = policy_looking_input(looking, node);
	struct span left, right;
	struct cel_value value;
	bool overflows;

	if (field && field->type.kind == POLICY_T_INT) {
		*span = (struct span){field->min ? field->min->as.integer : -WHOLE_MAX,
				      field->max ? field->max->as.integer : WHOLE_MAX};
		return true;
	}
	if (policy_node_constant(node, &value) && value.kind == CEL_INT) {
		*span = (struct span){value.as.integer, value.as.integer};
		return true;
	}
	return node->kind == CEL_N_CALL && !node->operand && node->argument_count == 2
	       && span_of(looking, node->arguments[0], &left) && span_of(looking, node->arguments[1], &right)
	       && combine(node->name, left, right, span, &overflows) && !overflows;
}

static void
check_arithmetic(const struct policy_looking *looking, const struct cel_node *node)
{
	struct span left, right, unused;
	bool overflows;

	if (node->kind != CEL_N_CALL || node->operand || node->argument_count != 2)
		return;
	if (strchr("+-*", node->name[1]) && span_of(looking, node->arguments[0], &left)
	    && span_of(looking, node->arguments[1], &right)
	    && combine(node->name, left, right, &unused, &overflows) && overflows)
		policy_looking_add(looking, "W07", "overflow", node,
				   "can overflow, and is an error then: declare a max for the inputs in it");
}

/* Below an open map numbers are what the request wrote: 1 is an int, 1.5 a double. */
static void
check_double(const struct policy_looking *looking, const struct cel_node *node)
{
	struct cel_value value;

	if (node->kind != CEL_N_CALL || node->operand || node->argument_count != 2
	    || !(strcmp(node->name, "_==_") == 0 || strcmp(node->name, "_!=_") == 0))
		return;
	for (size_t i = 0; i < 2; i++) {
		const struct policy_field *field = policy_looking_input(looking, node->arguments[i]);

		if (field && field->type.kind == POLICY_T_MAP && !field->type.fields
		    && policy_node_constant(node->arguments[!i], &value) && value.kind == CEL_DOUBLE)
			policy_looking_add(
			    looking, "W07", "double_comparison", node,
			    "compares a number of no declared type with a double: above 2^53 different ints "
			    "are equal to it; "
			    "declare the field, or compare with an int");
	}
}

void
policy_lint_operators(const struct policy_looking *looking, const struct cel_node *node)
{
	check_arithmetic(looking, node);
	check_double(looking, node);
	check_regex(looking, node);
	for (size_t i = 0; policy_node_child(node, i); i++)
		policy_lint_operators(looking, policy_node_child(node, i));
}

static bool
is_money(const char *name)
{
	static const char *const words[] = {"amount", "price",	"cost",	  "money", "fee",
					    "salary", "budget", "refund", "total", "balance",
					    "payout", "spend",	"eur",	  "usd",   NULL};

	for (size_t i = 0; words[i]; i++) {
		const char *at = strstr(name, words[i]);

		if (at && (at == name || at[-1] == '_')
		    && (at[strlen(words[i])] == '\0' || at[strlen(words[i])] == '_'))
			return true;
	}
	return false;
}

void
policy_lint_inputs(struct policy_linting *linting, const struct place *map, const struct policy_type *type)
{
	for (size_t i = 0; i < type->field_count; i++) {
		struct place place = policy_place_member(map, type->fields[i].name);
		struct place fields = policy_place_member(&place, "fields");

		if (type->fields[i].type.kind == POLICY_T_DOUBLE && is_money(type->fields[i].name))
			policy_linting_add(
			    linting, "W07", "double_money", &place,
			    "money as a double is not exact: make it an int of the smallest unit");
		if (type->fields[i].type.kind == POLICY_T_MAP)
			policy_lint_inputs(linting, &fields, &type->fields[i].type);
	}
}
