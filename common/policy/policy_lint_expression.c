/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_expression.c - each expression by itself: E06; E08 of the ends of rules. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <string.h>

enum { TERMS_MAX = 64, SAME_MAX = 16 };

/* ------------------------------------------------------------------ E06: words that the input can't be */

static const char *
words_of(const struct policy_field *field, struct arena *arena)
{
	struct buffer text = {.arena = arena};

	for (size_t i = 0; i < field->word_count && text.length < 160; i++) {
		const char *before = i == 0 ? "" : i + 1 < field->word_count ? ", " : " or ";

		if (field->words[i].kind == POLICY_T_INT)
			buffer_add_format(&text, "%s%lld", before, (long long)field->words[i].as.integer);
		else
			buffer_add_format(&text, "%s%.*s", before, (int)field->words[i].as.string.length,
					  field->words[i].as.string.bytes);
	}
	if (text.length >= 160)
		buffer_add_text(&text, " …");
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
			text.bytes[i] = '?';
	return text.bytes;
}

static bool
is_word(const struct policy_field *field, const struct cel_value *value)
{
	for (size_t i = 0; i < field->word_count; i++) {
		const struct policy_datum *word = &field->words[i];

		if (word->kind == POLICY_T_INT
			? value->kind == CEL_INT && word->as.integer == value->as.integer
			: value->kind == CEL_STRING && word->as.string.length == value->extra
			      && memcmp(word->as.string.bytes, value->as.bytes, value->extra) == 0)
			return true;
	}
	return false;
}

static const char *
nearest_word(const struct policy_field *field, const struct cel_value *value, struct arena *arena)
{
	const char **names = arena_take_array(arena, field->word_count + 1, sizeof *names);

	if (value->kind != CEL_STRING)
		return NULL;
	for (size_t i = 0; i < field->word_count; i++)
		names[i] = arena_copy(arena, field->words[i].as.string.bytes, field->words[i].as.string.length);
	return finding_nearest(arena_copy(arena, value->as.bytes, value->extra), names);
}

static void
check_word(const struct policy_looking *looking, const struct policy_field *field, const struct cel_node *node)
{
	struct arena *arena = looking->linting->scratch;
	struct cel_value value;
	const char *nearest;

	if (!policy_node_constant(node, &value) || (value.kind != CEL_STRING && value.kind != CEL_INT)
	    || is_word(field, &value))
		return;
	nearest = nearest_word(field, &value, arena);
	policy_looking_add(
	    looking, "E06", "not_in_enum", node,
	    nearest ? arena_format(arena, "%.128s can't be this: did you mean '%.64s'?", field->name, nearest)
		    : arena_format(arena, "%.128s can't be this: it is one of %s", field->name,
				   words_of(field, arena)));
}

static void
check_words(const struct policy_looking *looking, const struct cel_node *node)
{
	bool is_in = policy_node_is(node, "@in", 2);

	if (!is_in && !policy_node_is(node, "_==_", 2) && !policy_node_is(node, "_!=_", 2))
		return;
	for (size_t i = 0; i < (is_in ? 1u : 2u); i++) {
		const struct policy_field *field = policy_looking_input(looking, node->arguments[i]);
		const struct cel_node *other = node->arguments[!i];

		if (field && field->word_count && field->type.kind != POLICY_T_LIST && !is_in)
			check_word(looking, field, other);
		for (size_t j = 0; field && field->word_count && field->type.kind != POLICY_T_LIST && is_in
				   && other->kind == CEL_N_LIST && j < other->argument_count;
		     j++)
			check_word(looking, field, other->arguments[j]);
	}
}

/* 'phi' in context.data_classes, whose items are words */
static void
check_item(const struct policy_looking *looking, const struct cel_node *node)
{
	const struct policy_field *field =
	    policy_node_is(node, "@in", 2) ? policy_looking_input(looking, node->arguments[1]) : NULL;

	if (field && field->word_count && field->type.kind == POLICY_T_LIST
	    && field->type.item->kind != POLICY_T_LIST)
		check_word(looking, field, node->arguments[0]);
}

/* ------------------------------------------------------------------ E06: conditions that are always or never true */

/* What it means does not depend on anything. */
static bool
is_fixed(const struct cel_node *node)
{
	if (node->kind == CEL_N_IDENT || node->kind == CEL_N_COMPREHENSION || node->kind == CEL_N_SELECT)
		return false;
	for (size_t i = 0; policy_node_child(node, i); i++)
		if (!is_fixed(policy_node_child(node, i)))
			return false;
	return true;
}

struct terms {
	const struct cel_node *nodes[TERMS_MAX];
	bool negated[TERMS_MAX];
	size_t count;
};

/* The operands of a chain of && (of || when it is negated), seen through negation. */
static void
collect_terms(const struct cel_node *node, bool negated, bool is_or, struct terms *terms)
{
	if (policy_node_is(node, "!_", 1)) {
		collect_terms(node->arguments[0], !negated, is_or, terms);
	} else if (policy_node_is(node, (is_or != negated) ? "_||_" : "_&&_", 2)) {
		collect_terms(node->arguments[0], negated, is_or, terms);
		collect_terms(node->arguments[1], negated, is_or, terms);
	} else if (terms->count < TERMS_MAX) {
		terms->nodes[terms->count] = node;
		terms->negated[terms->count++] = negated;
	}
}

/* The second of two operands that deny each other, or NULL. */
static const struct cel_node *
find_denial(const struct terms *terms, struct arena *arena)
{
	const char *plain[TERMS_MAX];

	for (size_t i = 0; i < terms->count; i++)
		plain[i] = policy_node_normal(terms->nodes[i], false, arena);
	for (size_t i = 0; i < terms->count; i++) {
		const char *against = policy_node_normal(terms->nodes[i], true, arena);

		for (size_t j = 0; j < i; j++)
			if (terms->negated[i] != terms->negated[j] ? strcmp(plain[i], plain[j]) == 0
								   : strcmp(against, plain[j]) == 0)
				return terms->nodes[i];
	}
	return NULL;
}

/* One claim, with those of the same input before it, that nothing can satisfy. For || the claims are turned round. */
static const struct cel_node *
find_clash(const struct policy_looking *looking, const struct terms *terms, bool is_or)
{
	struct arena *arena = looking->linting->scratch;
	struct policy_claim *claims = arena_take_array(arena, terms->count, sizeof *claims);
	size_t count = 0;

	for (size_t i = 0; i < terms->count; i++) {
		const struct policy_claim *same[SAME_MAX];
		size_t found = 0;

		if (!policy_claim_read(looking->linting->policy, terms->nodes[i], terms->negated[i] != is_or,
				       arena, &claims[count]))
			continue;
		for (size_t j = 0; j < count && found < SAME_MAX - 1; j++)
			if (strcmp(claims[j].path, claims[count].path) == 0)
				same[found++] = &claims[j];
		same[found++] = &claims[count++];
		/* one that clashes with its declaration alone is not a matter of the chain */
		if (policy_claims_clash(&same[found - 1], 1))
			count--;
		else if (policy_claims_clash(same, found))
			return terms->nodes[i];
	}
	return NULL;
}

static void
check_chain(const struct policy_looking *looking, const struct cel_node *node, bool is_or)
{
	struct terms terms = {0};
	const struct cel_node *at;

	collect_terms(node, false, is_or, &terms);
	if ((at = find_denial(&terms, looking->linting->scratch)) || (at = find_clash(looking, &terms, is_or)))
		policy_looking_add(
		    looking, "E06", "constant_condition", at,
		    is_or ? "with what is before it, this is true for every value: one side of || is too many"
			  : "with what is before it, this can't be true for any value: one side of && is "
			    "wrong");
}

static bool
is_connective(const struct cel_node *node)
{
	return policy_node_is(node, "_&&_", 2) || policy_node_is(node, "_||_", 2)
	       || policy_node_is(node, "!_", 1);
}

static void
check_fixed(const struct policy_looking *looking, const struct cel_node *node)
{
	if (node->kind == CEL_N_LITERAL ? node->value.kind == CEL_BOOL : is_fixed(node))
		policy_looking_add(
		    looking, "E06", "constant_condition",
		    node, "does not depend on the request: it is the same every time; leave it out, or say what is meant");
}

/* `above`: the chain that this node is a link of, '&', '|', or 0. */
static void
check_constants(const struct policy_looking *looking, const struct cel_node *node, char above)
{
	const bool is_and = policy_node_is(node, "_&&_", 2), is_or = policy_node_is(node, "_||_", 2);

	check_words(looking, node);
	check_item(looking, node);
	if (policy_node_is(node, "@in", 2) && node->arguments[1]->kind == CEL_N_LIST
	    && node->arguments[1]->argument_count == 0 && !is_fixed(node))
		policy_looking_add(looking, "E06", "constant_condition", node,
				   "nothing is in an empty list: say what may be");
	if ((is_and && above != '&') || (is_or && above != '|'))
		check_chain(looking, node, is_or);
	if (is_connective(node))
		for (size_t i = 0; i < node->argument_count; i++)
			check_fixed(looking, node->arguments[i]);
	for (size_t i = 0; policy_node_child(node, i); i++)
		check_constants(looking, policy_node_child(node, i), is_and ? '&' : is_or ? '|' : 0);
}

/* A claim by itself, which the declaration of its input already decides. */
static void
check_alone(const struct policy_looking *looking, const struct cel_node *node)
{
	struct policy_claim claim;
	const struct policy_claim *only = &claim;

	if (is_connective(node) && node->argument_count == 2) {
		check_alone(looking, node->arguments[0]);
		check_alone(looking, node->arguments[1]);
		return;
	}
	if (policy_claim_read(looking->linting->policy, node, false, looking->linting->scratch, &claim)
	    && (claim.kind == POLICY_CLAIM_BETWEEN
		|| (claim.kind == POLICY_CLAIM_AMONG && claim.word_count && !claim.field->word_count))
	    && policy_claims_clash(&only, 1))
		policy_looking_add(
		    looking, "E06", "constant_condition", node,
		    arena_format(looking->linting->scratch,
				 "context.%.128s is never that: its declared min and max exclude it",
				 claim.path));
}

/* ------------------------------------------------------------------ */

static void
look_at(struct policy_linting *linting, const struct policy_expression *expression, bool allows)
{
	struct policy_looking looking = {linting, expression, allows};
	const struct cel_node *root = expression ? policy_node_of(expression, linting->scratch) : NULL;

	if (root) {
		check_fixed(&looking, root);
		check_constants(&looking, root, 0);
		check_alone(&looking, root);
		policy_lint_operators(&looking, root);
	}
	arena_reset(linting->scratch);
}

static void
look_at_lets(struct policy_linting *linting, const struct policy_lets *lets, bool allows)
{
	for (size_t i = 0; i < lets->count; i++) {
		struct policy_looking looking = {linting, &lets->items[i].value, allows};
		const struct cel_node *root = policy_node_of(&lets->items[i].value, linting->scratch);

		if (root) {
			check_constants(&looking, root, 0);
			policy_lint_operators(&looking, root);
		}
		arena_reset(linting->scratch);
	}
}

static void
check_end(struct policy_linting *linting, const struct policy_rule *rule)
{
	struct place place = policy_linting_rule(linting, rule),
		     expires = policy_place_member(&place, "expires");

	if (rule->expires && rule->expires <= linting->ask->now)
		policy_linting_add(
		    linting, "E08", "expired", &expires,
		    "is past: the rule would never speak; leave the rule out, or give it more time");
}

void
policy_lint_expressions(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct place inputs = policy_place_member(&linting->root, "inputs");

	policy_lint_inputs(linting, &inputs, &policy->inputs);
	look_at_lets(linting, &policy->lets, false);
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = linting->in_order[i];
		bool allows = rule->verdict == POLICY_ALLOW;

		check_end(linting, rule);
		look_at(linting, rule->when, allows);
		look_at(linting, rule->unless, allows);
		look_at_lets(linting, &rule->lets, allows);
	}
	for (size_t i = 0; i < policy->limit_count; i++)
		look_at(linting, policy->limits[i].when, false);
}
