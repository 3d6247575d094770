/* SPDX-License-Identifier: Apache-2.0 */
/* policy_obligations.c - obligations united: rule 13 of policy_decide.c. */
#include "common/policy/policy_obligations.h"
#include "common/canonical/canonical.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_read.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ values */

struct item {
	const char *text; /* RFC 8785 */
	const struct value *value;
};

static int
compare_items(const void *left, const void *right)
{
	return strcmp(((const struct item *)left)->text, ((const struct item *)right)->text);
}

/* What has no such form is refused when the policy is read. */
static const char *
text_of(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error unused = {0};

	return canonical_format(&text, value, &unused) ? text.bytes : "";
}

/* All items of both, in one order, each once. */
static struct value *
unite_lists(struct arena *arena, const struct value *left, const struct value *right)
{
	size_t rights = right ? right->as.list.count : 0, count = left->as.list.count + rights;
	struct item *items = arena_take_array(arena, count, sizeof *items);
	struct value *list = value_list(arena);

	for (size_t i = 0; i < count; i++) {
		items[i].value = i < rights ? right->as.list.items[i] : left->as.list.items[i - rights];
		items[i].text = text_of(arena, items[i].value);
	}
	if (count)
		qsort(items, count, sizeof *items, compare_items);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(items[i].text, items[i - 1].text) != 0)
			value_append(arena, list, policy_copy_value(arena, items[i].value));
	return list;
}

struct value *
policy_obligation_copy(struct arena *arena, const struct value *value)
{
	return value->kind == VALUE_LIST ? unite_lists(arena, value, NULL) : policy_copy_value(arena, value);
}

struct value *
policy_obligation_unite(struct arena *arena, const struct value *left, const struct value *right)
{
	if (left->kind == VALUE_LIST && right->kind == VALUE_LIST)
		return unite_lists(arena, left, right);
	if (left->kind == VALUE_BOOL && right->kind == VALUE_BOOL)
		return value_bool(arena, left->as.boolean || right->as.boolean);
	return value_equal(left, right) ? policy_copy_value(arena, left) : NULL;
}

/* ------------------------------------------------------------------ all of a rule, a decision */

static bool
fits(struct arena *arena, const struct value *map)
{
	return map->as.map.count <= POLICY_OBLIGATIONS_MAX
	       && strlen(text_of(arena, map)) <= POLICY_OBLIGATIONS_BYTES_MAX;
}

static void
note(const char **conflict, const char *name)
{
	if (!*conflict || strcmp(name, *conflict) < 0)
		*conflict = name;
}

/* All of both. Of what contradicts, *clash is the least name. */
static struct value *
merged(struct arena *arena, const struct value *left, const struct value *right, const char **clash)
{
	struct value *map = value_map(arena);

	for (size_t i = 0; left && i < left->as.map.count; i++) {
		const struct value_member *one = &left->as.map.members[i];
		const struct value *other = value_get(right, one->name.bytes);
		struct value *united = other ? policy_obligation_unite(arena, one->value, other)
					     : policy_obligation_copy(arena, one->value);

		if (!united)
			note(clash, one->name.bytes);
		value_set(arena, map, one->name.bytes,
			  united ? united : policy_obligation_copy(arena, one->value));
	}
	for (size_t i = 0; right && i < right->as.map.count; i++) {
		const struct value_member *one = &right->as.map.members[i];

		if (!value_get(left, one->name.bytes))
			value_set(arena, map, one->name.bytes, policy_obligation_copy(arena, one->value));
	}
	return map;
}

struct value *
policy_obligations_unite(struct arena *arena, const struct value *left, const struct value *right,
			 const char **conflict)
{
	struct value *map;

	*conflict = NULL;
	map = merged(arena, left, right, conflict);
	if (!*conflict && !fits(arena, map))
		*conflict = "";
	return *conflict || map->as.map.count == 0 ? NULL : map;
}

/* ------------------------------------------------------------------ in a decision */

/* One that could not be evaluated obliges as well: whoever leaves a field out gets nothing for less. */
static bool
obliges(const struct policy_candidate *candidate)
{
	return candidate->rule->obligations && !candidate->rule->is_shadow
	       && candidate->outcome.truth != POLICY_FALSE;
}

static size_t
layers_of(const struct policy_deciding *head)
{
	return head->layer_count ? head->layer_count : 1;
}

static struct policy_deciding *
layer_of(struct policy_deciding *head, size_t n)
{
	return head->layer_count ? &head->layers[n] : head;
}

/* Those that speak of this obligation decide now; with "" those that have any. Sorted, each id once. */
static void
name_obliging(struct policy_deciding *head, const char *name)
{
	struct policy_decision *decision = head->decision;
	size_t room = 0;

	for (size_t i = 0; i < layers_of(head); i++)
		room += layer_of(head, i)->candidate_count;

	const char **ids = arena_take_array(head->arena, room, sizeof *ids);

	decision->rule_count = 0;
	for (size_t i = 0; i < layers_of(head); i++) {
		struct policy_deciding *layer = layer_of(head, i);

		for (size_t j = 0; j < layer->check_count; j++)
			layer->checks[j].decides = false;
		for (size_t j = 0; j < layer->candidate_count; j++) {
			struct policy_candidate *one = &layer->candidates[j];

			one->decides =
			    obliges(one) && (!*name || value_get(one->rule->obligations, name) != NULL);
			if (one->decides)
				ids[decision->rule_count++] = one->rule->id;
		}
	}
	decision->rule_count = policy_strings_distinct(ids, decision->rule_count);
	decision->rules = ids;
	decision->limit_count = 0;
	decision->requirement_count = 0;
	decision->ttl = decision->valid_for = decision->hold_for = decision->extend_to = 0;
	decision->remind_before = decision->remind_every = 0;
	decision->hold_if_nobody = decision->escalate_if_nobody = false;
}

static const char *
reason_of(const struct policy_deciding *head, const char *name)
{
	const struct policy_decision *decision = head->decision;
	struct buffer line = {.arena = head->arena};

	if (!*name)
		return "The rules oblige to more than one decision may hold.";
	buffer_add_text(&line, "Different values of the obligation ");
	buffer_add_text(&line, name);
	buffer_add_text(&line, ", by the rules");
	for (size_t i = 0; i < decision->rule_count; i++)
		buffer_add_format(&line, "%s %s", i ? "," : "", decision->rules[i]);
	buffer_add_text(&line, ".");
	return policy_line_cut(head->arena, line.bytes);
}

/* Stops when they are too many: no policy shall make that take long. */
static struct value *
collected(struct policy_deciding *head, const char **clash)
{
	struct value *all = value_map(head->arena);

	for (size_t i = 0; i < layers_of(head); i++) {
		const struct policy_deciding *layer = layer_of(head, i);

		for (size_t j = 0; j < layer->candidate_count; j++)
			if (obliges(&layer->candidates[j]) && all->as.map.count <= POLICY_OBLIGATIONS_MAX)
				all = merged(head->arena, all, layer->candidates[j].rule->obligations, clash);
	}
	return all;
}

void
policy_oblige(struct policy_deciding *head)
{
	struct policy_decision *decision = head->decision;
	const char *clash = NULL;

	if (decision->verdict == POLICY_BLOCK)
		return;

	const struct value *all = collected(head, &clash);

	if (!clash && fits(head->arena, all)) {
		decision->obligations = all->as.map.count ? all : NULL;
		return;
	}
	policy_deciding_block(head, clash ? "obligation_conflict" : "too_many_obligations");
	name_obliging(head, clash ? clash : "");
	decision->reason_text = reason_of(head, clash ? clash : "");
	decision->remediation = NULL;
}
