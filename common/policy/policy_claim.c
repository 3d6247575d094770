/* SPDX-License-Identifier: Apache-2.0 */
/* policy_claim.c - comparisons of one input with constants, as sets of words and as intervals. Doubles count as real numbers without NaN,
 * which JSON can't write. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <string.h>

static bool
is_number(enum policy_kind kind)
{
	return kind == POLICY_T_INT || kind == POLICY_T_DOUBLE || kind == POLICY_T_DURATION;
}

/* A constant as a value of the input's own type. */
static bool
fits_kind(enum policy_kind kind, const struct cel_value *value)
{
	switch (kind) {
	case POLICY_T_BOOL:
		return value->kind == CEL_BOOL;
	case POLICY_T_INT:
		return value->kind == CEL_INT;
	case POLICY_T_DOUBLE:
		return value->kind == CEL_DOUBLE;
	case POLICY_T_DURATION:
		return value->kind == CEL_DURATION;
	case POLICY_T_STRING:
		return value->kind == CEL_STRING;
	default:
		return false;
	}
}

static bool
open_claim(const struct policy *policy, const struct cel_node *node, struct arena *arena,
	   struct policy_claim *claim)
{
	const char *path = node->test_only ? NULL : policy_input_path(node, arena);
	const struct policy_field *field =
	    path && policy->has_inputs ? policy_find_field(&policy->inputs, path, strlen(path)) : NULL;

	/* what lies in an open map has no type of its own */
	if (!field || field->type.kind == POLICY_T_MAP)
		return false;
	*claim = (struct policy_claim){.path = path, .field = field, .input = node};
	return true;
}

static void
set_words(struct policy_claim *claim, bool among, const struct cel_value *words, size_t count)
{
	claim->kind = among ? POLICY_CLAIM_AMONG : POLICY_CLAIM_NOT_AMONG;
	claim->words = words;
	claim->word_count = count;
}

static struct policy_edge
edge_at(const struct cel_value *value, bool open)
{
	if (value->kind == CEL_DOUBLE)
		return (struct policy_edge){.is_set = true, .is_open = open, .real = value->as.real};
	return (struct policy_edge){.is_set = true, .integer = value->as.integer};
}

/* Below (or from) a constant; the edges of whole numbers are moved so that they are closed. False where that overflows. */
static bool
set_range(struct policy_claim *claim, bool upwards, bool open, struct cel_value value)
{
	claim->kind = POLICY_CLAIM_BETWEEN;
	if (value.kind == CEL_DOUBLE && value.as.real != value.as.real)
		return false;
	if (value.kind != CEL_DOUBLE && open) {
		if (upwards ? __builtin_add_overflow(value.as.integer, 1, &value.as.integer)
			    : __builtin_sub_overflow(value.as.integer, 1, &value.as.integer))
			return false;
	}
	*(upwards ? &claim->low : &claim->high) = edge_at(&value, open);
	return true;
}

static bool
read_order(struct policy_claim *claim, const char *name, bool turned, bool negated, struct cel_value value)
{
	bool less = name[1] == '<', open = name[2] == '_';

	if (!is_number(claim->field->type.kind))
		return false;
	if (turned)
		less = !less;
	if (negated) {
		less = !less;
		open = !open;
	}
	return set_range(claim, !less, open, value);
}

static bool
read_relation(const struct policy *policy, const struct cel_node *node, bool negated, struct arena *arena,
	      struct policy_claim *claim)
{
	struct cel_value *value = arena_take(arena, sizeof *value);
	bool turned = policy_node_constant(node->arguments[0], value);

	if (!turned && !policy_node_constant(node->arguments[1], value))
		return false;
	if (!open_claim(policy, node->arguments[turned], arena, claim)
	    || !fits_kind(claim->field->type.kind, value))
		return false;
	if (strcmp(node->name, "_==_") == 0 || strcmp(node->name, "_!=_") == 0) {
		set_words(claim, (node->name[1] == '=') != negated, value, 1);
		return true;
	}
	return read_order(claim, node->name, turned, negated, *value);
}

static bool
read_in(const struct policy *policy, const struct cel_node *node, bool negated, struct arena *arena,
	struct policy_claim *claim)
{
	const struct cel_node *list = node->arguments[1];
	struct cel_value *words = arena_take_array(arena, list->argument_count, sizeof *words);

	if (list->kind != CEL_N_LIST || list->optional || !open_claim(policy, node->arguments[0], arena, claim))
		return false;
	for (size_t i = 0; i < list->argument_count; i++)
		if (!policy_node_constant(list->arguments[i], &words[i])
		    || !fits_kind(claim->field->type.kind, &words[i]))
			return false;
	set_words(claim, !negated, words, list->argument_count);
	return true;
}

static bool
is_order(const struct cel_node *node)
{
	static const char *const names[] = {"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (policy_node_is(node, names[i], 2))
			return true;
	return false;
}

bool
policy_claim_read(const struct policy *policy, const struct cel_node *node, bool negated, struct arena *arena,
		  struct policy_claim *claim)
{
	if (policy_node_is(node, "!_", 1))
		return policy_claim_read(policy, node->arguments[0], !negated, arena, claim);
	if (is_order(node))
		return read_relation(policy, node, negated, arena, claim);
	if (policy_node_is(node, "@in", 2))
		return read_in(policy, node, negated, arena, claim);
	if (!open_claim(policy, node, arena, claim) || claim->field->type.kind != POLICY_T_BOOL)
		return false;

	struct cel_value *yes = arena_take(arena, sizeof *yes);

	*yes = cel_bool(!negated);
	set_words(claim, true, yes, 1);
	return true;
}

/* ------------------------------------------------------------------ several claims of one input */

static bool
same(const struct cel_value *left, const struct cel_value *right)
{
	uint64_t units = 0;

	return cel_equal(*left, *right, &units);
}

static bool
is_word_of(const struct policy_claim *claim, const struct cel_value *value)
{
	for (size_t i = 0; i < claim->word_count; i++)
		if (same(&claim->words[i], value))
			return true;
	return false;
}

/* -1, 0, 1 */
static int
compare(const struct policy_edge *left, const struct policy_edge *right)
{
	if (left->real != right->real)
		return left->real < right->real ? -1 : 1;
	return (left->integer > right->integer) - (left->integer < right->integer);
}

static bool
within(const struct policy_edge *low, const struct policy_edge *high, const struct policy_edge *at)
{
	int below = low->is_set ? compare(low, at) : -1, above = high->is_set ? compare(at, high) : -1;

	return (below < 0 || (below == 0 && !low->is_open)) && (above < 0 || (above == 0 && !high->is_open));
}

static bool
admits(const struct policy_claim *claim, const struct cel_value *value)
{
	struct policy_edge at = edge_at(value, false);

	switch (claim->kind) {
	case POLICY_CLAIM_AMONG:
		return is_word_of(claim, value);
	case POLICY_CLAIM_NOT_AMONG:
		return !is_word_of(claim, value);
	default:
		return within(&claim->low, &claim->high, &at);
	}
}

static struct cel_value
value_of(const struct policy_datum *datum)
{
	switch (datum->kind) {
	case POLICY_T_BOOL:
		return cel_bool(datum->as.boolean);
	case POLICY_T_INT:
		return cel_int(datum->as.integer);
	case POLICY_T_DOUBLE:
		return cel_double(datum->as.real);
	case POLICY_T_DURATION:
		return cel_duration(datum->as.integer);
	default:
		return cel_string(datum->as.string.bytes, datum->as.string.length);
	}
}

bool
policy_claim_admits_default(const struct policy_claim *claim)
{
	struct cel_value value = value_of(claim->field->fallback);

	return admits(claim, &value);
}

/* Does the declaration of the input let it have this value? Of a string's length nothing is said. */
static bool
is_declared(const struct policy_field *field, const struct cel_value *value)
{
	struct policy_edge at = edge_at(value, false), low = {0}, high = {0};
	bool found = field->word_count == 0;

	for (size_t i = 0; i < field->word_count && !found; i++) {
		struct cel_value word = value_of(&field->words[i]);

		found = same(&word, value);
	}
	if (is_number(field->type.kind) && field->min) {
		struct cel_value bound = value_of(field->min);

		low = edge_at(&bound, false);
	}
	if (is_number(field->type.kind) && field->max) {
		struct cel_value bound = value_of(field->max);

		high = edge_at(&bound, false);
	}
	return found && (!is_number(field->type.kind) || within(&low, &high, &at));
}

static bool
all_admit(const struct policy_claim *const *claims, size_t count, const struct cel_value *value)
{
	for (size_t i = 0; i < count; i++)
		if (!admits(claims[i], value))
			return false;
	return is_declared(claims[0]->field, value);
}

static void
narrow(struct policy_edge *edge, const struct policy_edge *by, bool is_low)
{
	int order = compare(by, edge);

	if (by->is_set && (!edge->is_set || (is_low ? order > 0 : order < 0) || (order == 0 && by->is_open)))
		*edge = *by;
}

bool
policy_claims_range(const struct policy_claim *const *claims, size_t count, struct policy_edge *low,
		    struct policy_edge *high)
{
	const struct policy_field *field = claims[0]->field;
	const struct policy_datum *const bounds[] = {field->min, field->max};

	*low = *high = (struct policy_edge){0};
	if (!is_number(field->type.kind) || field->word_count)
		return false;
	for (size_t i = 0; i < 2; i++)
		if (bounds[i]) {
			struct cel_value bound = value_of(bounds[i]);

			*(i ? high : low) = edge_at(&bound, false);
		}
	for (size_t i = 0; i < count; i++) {
		if (claims[i]->kind != POLICY_CLAIM_BETWEEN)
			return false;
		narrow(low, &claims[i]->low, true);
		narrow(high, &claims[i]->high, false);
	}
	return true;
}

static bool
is_empty(const struct policy_edge *low, const struct policy_edge *high)
{
	int order = compare(low, high);

	return low->is_set && high->is_set && (order > 0 || (order == 0 && (low->is_open || high->is_open)));
}

/* The values that can be counted out, if there are so few: of a claim's words, of the enum, of a bool. NULL: not so. */
static const struct cel_value *
countable(const struct policy_claim *const *claims, size_t count, size_t *values,
	  struct cel_value room[POLICY_CLAIM_WORDS_MAX])
{
	const struct policy_field *field = claims[0]->field;

	for (size_t i = 0; i < count; i++)
		if (claims[i]->kind == POLICY_CLAIM_AMONG) {
			*values = claims[i]->word_count;
			return claims[i]->words;
		}
	if (field->type.kind == POLICY_T_BOOL) {
		room[0] = cel_bool(false);
		room[1] = cel_bool(true);
		*values = 2;
		return room;
	}
	if (field->word_count == 0 || field->word_count > POLICY_CLAIM_WORDS_MAX)
		return NULL;
	for (size_t i = 0; i < field->word_count; i++)
		room[i] = value_of(&field->words[i]);
	*values = field->word_count;
	return room;
}

bool
policy_claims_clash(const struct policy_claim *const *claims, size_t count)
{
	struct cel_value room[POLICY_CLAIM_WORDS_MAX];
	struct policy_edge low, high;
	size_t values;
	const struct cel_value *some = countable(claims, count, &values, room);

	for (size_t i = 0; some && i < values; i++)
		if (all_admit(claims, count, &some[i]))
			return false;
	return some || (policy_claims_range(claims, count, &low, &high) && is_empty(&low, &high));
}

/* Does what lies between these edges all lie within the claim's? */
static bool
lies_within(const struct policy_edge *low, const struct policy_edge *high, const struct policy_claim *then)
{
	int below = compare(low, &then->low), above = compare(high, &then->high);

	return (!then->low.is_set
		|| (low->is_set && (below > 0 || (below == 0 && (low->is_open || !then->low.is_open)))))
	       && (!then->high.is_set
		   || (high->is_set && (above < 0 || (above == 0 && (high->is_open || !then->high.is_open)))));
}

bool
policy_claims_imply(const struct policy_claim *const *given, size_t count, const struct policy_claim *then)
{
	struct cel_value room[POLICY_CLAIM_WORDS_MAX];
	struct policy_edge low, high;
	size_t values;
	const struct cel_value *some = count ? countable(given, count, &values, room) : NULL;

	if (count == 0)
		return false;
	for (size_t i = 0; some && i < values; i++)
		if (all_admit(given, count, &some[i]) && !admits(then, &some[i]))
			return false;
	if (some)
		return true;
	if (then->kind == POLICY_CLAIM_BETWEEN)
		return policy_claims_range(given, count, &low, &high) && lies_within(&low, &high, then);
	for (size_t i = 0; i < then->word_count; i++)
		if (then->kind == POLICY_CLAIM_AMONG || all_admit(given, count, &then->words[i]))
			return false;
	return true;
}
