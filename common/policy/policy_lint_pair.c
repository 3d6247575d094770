/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_pair.c - rules beside each other: W01, W08. The index says which others are about an action; the rest is sorting. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_STEPS = 100000000, SAME_MAX = 32, BAND_CLAIMS_MAX = 16 };

struct pairing {
	struct policy_linting *linting;
	struct policy_allowance allowance;
	const struct policy_terms *terms; /* by rule */
	bool errors_block; /* a class says so: then a condition that errs restricts, also of an ALLOW */
};

/* ------------------------------------------------------------------ W01 */

static bool
is_as_strict(const struct policy_rule *one, const struct policy_rule *other)
{
	if (one->verdict != other->verdict)
		return one->verdict > other->verdict;
	if (one->verdict != POLICY_BLOCK && other->obligations
	    && (!one->obligations || !value_equal(one->obligations, other->obligations)))
		return false;
	return one->profile == other->profile;
}

static bool
lasts_as_long(const struct policy_rule *one, const struct policy_rule *other)
{
	return one->expires == 0 || (other->expires != 0 && other->expires <= one->expires);
}

/* Wherever `rule` counts or raises, `other` does, and at least as strictly. */
static bool
is_needless_beside(struct pairing *pairing, const struct policy_rule *rule, const struct policy_rule *other)
{
	const struct policy_rule *first = pairing->linting->policy->rules;
	const struct policy_terms *terms = &pairing->terms[rule - first],
				  *others = &pairing->terms[other - first];

	if (!policy_allowance_take(&pairing->allowance, 4) || other->is_shadow || !is_as_strict(other, rule)
	    || !lasts_as_long(other, rule))
		return false;
	if (pairing->errors_block && others->text_count != terms->text_count)
		return false;
	if (other->has_except
	    && !(rule->has_except && policy_scope_covers(&rule->except, &other->except, &pairing->allowance)))
		return false;
	return policy_terms_imply(terms, others, &pairing->allowance)
	       && policy_scope_covers(&other->match, &rule->match, &pairing->allowance);
}

/* Of two that are needless beside each other the later one is. */
static const struct policy_rule *
find_cover(struct pairing *pairing, const struct policy_rule *rule, struct policy_set *found)
{
	const struct policy *policy = pairing->linting->policy;
	const struct policy_strings actions = policy_actions_of(&rule->match);

	memset(found->words, 0, found->word_count * sizeof *found->words);
	policy_index_find(policy, policy_pattern_instance(pairing->linting->scratch, actions.items[0]), found);
	for (size_t i = policy_set_next(found, 0); i != SIZE_MAX && pairing->allowance.left;
	     i = policy_set_next(found, i + 1)) {
		const struct policy_rule *other = &policy->rules[i];

		if (other != rule && is_needless_beside(pairing, rule, other)
		    && (other->position < rule->position || !is_needless_beside(pairing, other, rule)))
			return other;
	}
	return NULL;
}

static void
check_covers(struct pairing *pairing)
{
	struct policy_linting *linting = pairing->linting;
	const struct policy *policy = linting->policy;
	struct policy_set found = policy_set_make(linting->scratch, policy);
	size_t i;

	for (i = 0; i < policy->rule_count && policy_allowance_take(&pairing->allowance, found.word_count);
	     i++) {
		const struct policy_rule *rule = linting->in_order[i];
		const struct policy_rule *other = rule->is_shadow ? NULL : find_cover(pairing, rule, &found);
		struct place place = policy_linting_rule(linting, rule);

		if (!other || pairing->allowance.left == 0)
			continue;
		policy_set_add(&linting->covered, (size_t)(rule - policy->rules));
		policy_linting_add(linting, "W01", "needless_rule", &place,
				   "rule %s is %s, and speaks wherever this one does: this one never decides "
				   "anything; leave it out, or narrow the other",
				   other->id, other->verdict > rule->verdict ? "stricter" : "as strict");
	}
	if (pairing->allowance.left == 0)
		policy_linting_note(
		    linting,
		    "W01: too many rules are about the same actions to compare them all: only "
		    "the first %zu of %zu were",
		    i ? i - 1 : 0, policy->rule_count);
}

/* ------------------------------------------------------------------ W08 */

/* One rule's stretch of one input; bands with one key differ in nothing else. */
struct band {
	const char *key, *path;
	const struct policy_rule *rule;
	struct policy_edge low, high;
	const struct policy_field *field;
};

struct bands {
	struct band *items;
	size_t count, room;
};

static int
compare_edges(const struct policy_edge *left, const struct policy_edge *right)
{
	if (left->real != right->real)
		return left->real < right->real ? -1 : 1;
	return (left->integer > right->integer) - (left->integer < right->integer);
}

static int
compare_lows(const struct policy_edge *left, const struct policy_edge *right)
{
	int order;

	if (!left->is_set || !right->is_set)
		return left->is_set - right->is_set;
	order = compare_edges(left, right);
	return order ? order : left->is_open - right->is_open;
}

static int
compare_bands(const void *left, const void *right)
{
	const struct band *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	if (order == 0)
		order = compare_lows(&a->low, &b->low);
	return order ? order
		     : (a->rule->position > b->rule->position) - (a->rule->position < b->rule->position);
}

static int
compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void
add_list(struct buffer *key, const struct policy_strings *list, struct arena *arena)
{
	const char **sorted = arena_take_array(arena, list->count, sizeof *sorted);

	for (size_t i = 0; i < list->count; i++)
		sorted[i] = list->items[i];
	qsort(sorted, list->count, sizeof *sorted, compare_texts);
	for (size_t i = 0; i < list->count; i++)
		buffer_add_format(key, "%s,", sorted[i]);
	buffer_add_byte(key, ';');
}

static void
add_scope(struct buffer *key, const struct policy_scope *scope, struct arena *arena)
{
	add_list(key, &scope->actions, arena);
	add_list(key, &scope->agents, arena);
	add_list(key, &scope->targets, arena);
	add_list(key, &scope->tenants, arena);
}

static bool
is_about(const struct policy_terms *terms, const char *text, const char *path)
{
	for (size_t i = 0; i < terms->claim_count; i++)
		if (terms->claim_texts[i] == text)
			return strcmp(terms->claims[i].path, path) == 0;
	return false;
}

static void
add_band(struct bands *bands, const struct policy_rule *rule, const struct policy_terms *terms,
	 const struct policy_claim *first, struct arena *arena)
{
	const struct policy_claim *same[SAME_MAX];
	struct buffer key = {.arena = arena};
	struct policy_edge low, high;
	size_t count = 0;

	for (size_t i = 0; i < terms->claim_count && count < SAME_MAX; i++)
		if (strcmp(terms->claims[i].path, first->path) == 0)
			same[count++] = &terms->claims[i];
	if (same[0] != first || !policy_claims_range(same, count, &low, &high))
		return; /* the first claim of an input stands for all of them */
	buffer_add_format(&key, "%s:", first->path);
	add_scope(&key, &rule->match, arena);
	if (rule->has_except)
		add_scope(&key, &rule->except, arena);
	for (size_t i = 0; i < terms->text_count; i++)
		if (!is_about(terms, terms->texts[i], first->path))
			buffer_add_format(&key, "%s\n", terms->texts[i]);
	bands->items[bands->count++] = (struct band){key.bytes, first->path, rule, low, high, first->field};
}

static const char *
edge_text(struct arena *arena, const struct band *band, const struct policy_edge *edge)
{
	if (band->field->type.kind == POLICY_T_INT)
		return arena_format(arena, "%lld", (long long)edge->integer);
	if (band->field->type.kind == POLICY_T_DURATION)
		return arena_format(arena, "%.9gs", (double)edge->integer / 1e9);
	return arena_format(arena, "%.9g", edge->real);
}

/* Between the high edge of one and the low edge of the next: values that neither has? */
static bool
has_gap(const struct band *left, const struct band *right)
{
	int order;

	if (!left->high.is_set || !right->low.is_set)
		return false;
	order = compare_edges(&left->high, &right->low);
	if (left->field->type.kind == POLICY_T_DOUBLE)
		return order < 0 || (order == 0 && left->high.is_open && right->low.is_open);
	return order < 0 && right->low.integer - 1 > left->high.integer;
}

static bool
ends_before(const struct band *left, const struct band *right)
{
	int order;

	if (!right->high.is_set)
		return left->high.is_set;
	if (!left->high.is_set)
		return false;
	order = compare_edges(&left->high, &right->high);
	return order < 0 || (order == 0 && left->high.is_open && !right->high.is_open);
}

/* Both begin and end one before the other, and they have something in common. */
static bool
overlap(const struct band *left, const struct band *right)
{
	int order;

	if (compare_lows(&left->low, &right->low) >= 0 || !ends_before(left, right) || !right->low.is_set)
		return false;
	order = compare_edges(&left->high, &right->low);
	return order > 0 || (order == 0 && !left->high.is_open && !right->low.is_open);
}

static bool
decide_alike(const struct policy_rule *left, const struct policy_rule *right)
{
	return left->verdict == right->verdict && left->profile == right->profile;
}

static void
check_neighbours(struct policy_linting *linting, const struct band *left, const struct band *right)
{
	struct place place = policy_linting_rule(linting, right->rule),
		     when = policy_place_member(&place, "when");
	struct arena *arena = linting->scratch;

	if (decide_alike(left->rule, right->rule))
		return;
	if (has_gap(left, right))
		policy_linting_add(linting, "W08", "gap", when.value ? &when : &place,
				   "between context.%.128s %s, where rule %s ends, and %s, where this one "
				   "begins, neither speaks: the default of the class decides there",
				   left->path, edge_text(arena, left, &left->high), left->rule->id,
				   edge_text(arena, right, &right->low));
	else if (overlap(left, right))
		policy_linting_add(
		    linting, "W08", "overlap", when.value ? &when : &place,
		    "from context.%.128s %s to %s both this and rule %s speak, and the stricter "
		    "wins: move one of the edges",
		    left->path, edge_text(arena, right, &right->low), edge_text(arena, left, &left->high),
		    left->rule->id);
}

static void
check_bands(struct pairing *pairing)
{
	struct policy_linting *linting = pairing->linting;
	const struct policy *policy = linting->policy;
	struct bands bands = {0};

	for (size_t i = 0; i < policy->rule_count; i++)
		bands.room += pairing->terms[i].claim_count;
	bands.items = arena_take_array(linting->scratch, bands.room, sizeof *bands.items);
	for (size_t i = 0; i < policy->rule_count; i++)
		for (size_t j = 0; !policy->rules[i].is_shadow && j < pairing->terms[i].claim_count
				   && pairing->terms[i].claim_count <= BAND_CLAIMS_MAX;
		     j++)
			add_band(&bands, &policy->rules[i], &pairing->terms[i], &pairing->terms[i].claims[j],
				 linting->scratch);
	qsort(bands.items, bands.count, sizeof *bands.items, compare_bands);
	for (size_t i = 1, widest = 0; i < bands.count; i++) {
		const struct band *left = &bands.items[widest], *right = &bands.items[i];
		bool together = strcmp(left->key, right->key) == 0;

		if (together)
			check_neighbours(linting, left, right);
		if (!together || ends_before(left, right))
			widest = i;
	}
}

void
policy_lint_pairs(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct policy_terms *terms = arena_take_array(linting->scratch, policy->rule_count, sizeof *terms);
	struct pairing pairing = {.linting = linting, .allowance = {PAIR_STEPS}, .terms = terms};

	for (size_t i = 0; i < policy->rule_count; i++)
		terms[i] = policy_terms_of(policy, &policy->rules[i], linting->scratch);
	for (size_t i = 0; i < policy->class_count; i++)
		pairing.errors_block = pairing.errors_block || policy->classes[i].errors_block;
	check_covers(&pairing);
	check_bands(&pairing);
}
