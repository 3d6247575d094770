/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_reads.c - which inputs a rule reads, and what becomes of it where they are left out: W05, W06, W09. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <string.h>

enum { READS_MAX = 64, READ_STEPS = 20000000, NAMES_BYTES = 160 };

/* An input that a rule reads, or asks for with has. */
struct read {
	const char *path;
	const struct policy_expression *expression;
	uint32_t position;
	bool is_has;
	bool speaks;   /* of has: the rule speaks where it is there, not where it is not */
	bool defaults; /* the default of the input speaks against the rule, as far as can be told */
};

struct reading {
	struct policy_linting *linting;
	struct policy_allowance *allowance;
	const struct policy_rule *rule;
	const struct cel_node *const *let_trees; /* of the document's let; read once */
	bool *visited;				 /* of them, by this rule */
	struct read items[READS_MAX];
	size_t count;
};

static const struct policy_field *
field_of(const struct reading *reading, const char *path, size_t length)
{
	const struct policy *policy = reading->linting->policy;

	return policy->has_inputs ? policy_find_field(&policy->inputs, path, length) : NULL;
}

static void
add_read(struct reading *reading, struct read read)
{
	for (size_t i = 0; i < reading->count; i++) {
		struct read *known = &reading->items[i];

		if (known->is_has == read.is_has && known->speaks == read.speaks
		    && strcmp(known->path, read.path) == 0) {
			known->defaults = known->defaults || read.defaults;
			return;
		}
	}
	if (reading->count < READS_MAX)
		reading->items[reading->count++] = read;
}

static void collect(struct reading *reading, const struct policy_expression *expression,
		    const struct cel_node *node, bool positive);

/* A name that stands for an expression, of the rule or of the document. */
static void
collect_let(struct reading *reading, const struct cel_node *node, bool positive)
{
	const struct policy_lets *own = &reading->rule->lets, *all = &reading->linting->policy->lets;
	const char *name = node->name + (node->name[0] == '.');

	for (size_t i = 0; i < own->count + all->count; i++) {
		bool is_own = i < own->count;
		const struct policy_let *let = is_own ? &own->items[i] : &all->items[i - own->count];

		if (reading->visited[i] || strcmp(let->name, name) != 0)
			continue;
		reading->visited[i] = true;

		const struct cel_node *root = is_own ? policy_node_of(&let->value, reading->linting->scratch)
						     : reading->let_trees[i - own->count];

		if (root)
			collect(reading, &let->value, root, positive);
		return;
	}
}

static void
collect_path(struct reading *reading, const struct policy_expression *expression, const struct cel_node *node,
	     const char *path, bool positive)
{
	if (!field_of(reading, path, strlen(path)))
		return;
	add_read(reading, (struct read){.path = path,
					.expression = expression,
					.position = policy_node_begins(expression, node),
					.is_has = node->test_only,
					.speaks = node->test_only && positive,
					.defaults = !node->test_only});
	if (node->test_only && node->operand->kind == CEL_N_SELECT)
		collect(reading, expression, node->operand, positive);
}

/* A comparison whose meaning is known: whether the default speaks against the rule can be told. */
static bool
collect_claim(struct reading *reading, const struct policy_expression *expression,
	      const struct cel_node *node, bool positive)
{
	struct policy_claim claim;

	if (!policy_claim_read(reading->linting->policy, node, !positive, reading->linting->scratch, &claim))
		return false;
	add_read(reading,
		 (struct read){.path = claim.path,
			       .expression = expression,
			       .position = policy_node_begins(expression, claim.input),
			       .defaults = claim.field->fallback && !policy_claim_admits_default(&claim)});
	return true;
}

/* `positive`: the rule speaks rather where this is true. The parser has bounded the depth. */
static void
collect(struct reading *reading, const struct policy_expression *expression, const struct cel_node *node,
	bool positive)
{
	const char *path;

	if (!policy_allowance_take(reading->allowance, 4) || collect_claim(reading, expression, node, positive))
		return;
	if (node->kind == CEL_N_IDENT) {
		collect_let(reading, node, positive);
		return;
	}
	if ((path = policy_input_path(node, reading->linting->scratch))) {
		collect_path(reading, expression, node, path, positive);
		return;
	}
	if (policy_node_is(node, "!_", 1))
		positive = !positive;
	for (size_t i = 0; policy_node_child(node, i); i++)
		collect(reading, expression, policy_node_child(node, i), positive);
}

/* ------------------------------------------------------------------ what is always there */

static bool
names_path(const struct policy_strings *requires, const char *path, size_t length)
{
	for (size_t i = 0; i < requires->count; i++)
		if (strncmp(requires->items[i], path, length) == 0
		    && (requires->items[i][length] == '\0' || requires->items[i][length] == '.'))
			return true;
	return false;
}

/* For every action of the rule some class has made sure of it. */
static bool
is_required_by_class(const struct reading *reading, const char *path, size_t length)
{
	const struct policy *policy = reading->linting->policy;
	const struct policy_strings actions = policy_actions_of(&reading->rule->match);

	for (size_t i = 0; i < actions.count; i++) {
		bool found = false, other = false;

		for (size_t j = 0; j < policy->class_count && !found; j++) {
			const struct policy_class *class = &policy->classes[j];

			if (class == policy->fallback)
				continue;
			other = other || policy_class_meets(class, actions.items[i], reading->allowance);
			found = names_path(&class->requires, path, length)
				&& policy_class_covers(class, actions.items[i], reading->allowance);
		}
		if (!found && (other || !names_path(&policy->fallback->requires, path, length)))
			return false;
	}
	return true;
}

static bool
is_asked_for(const struct reading *reading, const char *path, size_t length)
{
	for (size_t i = 0; i < reading->count; i++)
		if (reading->items[i].is_has && strncmp(reading->items[i].path, path, length) == 0
		    && reading->items[i].path[length] == '\0')
			return true;
	return false;
}

/* Each step of it is there in every request that the rule is asked about, or (`ask`) the rule asks for it. */
static bool
is_sure(const struct reading *reading, const char *path, bool ask)
{
	for (size_t length = 0; path[length];) {
		size_t from = length + (length > 0);
		const struct policy_field *field;

		length = from + strcspn(path + from, ".");
		field = field_of(reading, path, length);
		if (!field)
			return false;
		if ((!ask || !is_asked_for(reading, path, length)) && !field->required && !field->fallback
		    && !is_required_by_class(reading, path, length))
			return false;
		if (field->type.kind == POLICY_T_MAP && !field->type.fields && path[length])
			return (ask && is_asked_for(reading, path, strlen(path)))
			       || is_required_by_class(reading, path, strlen(path));
	}
	return true;
}

/* ------------------------------------------------------------------ what is told */

static void
add_name(struct buffer *names, const char *path, size_t *left_out)
{
	if (names->length > NAMES_BYTES)
		(*left_out)++;
	else
		buffer_add_format(names, "%scontext.%.128s", names->length ? ", " : "", path);
}

static const char *
finish(struct buffer *names, size_t left_out)
{
	if (left_out)
		buffer_add_format(names, " and %zu more", left_out);
	return names->bytes;
}

static void
check_absent(const struct reading *reading)
{
	struct buffer names = {.arena = reading->linting->scratch};
	const struct read *first = NULL;
	size_t left_out = 0;

	for (size_t i = 0; i < reading->count; i++) {
		const struct read *read = &reading->items[i];

		if (read->is_has || is_asked_for(reading, read->path, strlen(read->path))
		    || is_sure(reading, read->path, true))
			continue;
		first = first ? first : read;
		add_name(&names, read->path, &left_out);
	}
	if (!first || reading->allowance->left == 0)
		return;
	if (reading->rule->verdict == POLICY_ALLOW)
		policy_linting_add_within(reading->linting, "W05", "optional_input", first->expression,
					  first->position,
					  "rule %s does not count, and so allows nothing, where this is "
					  "absent: %s; ask with has(), "
					  "or require it in the class or the input",
					  reading->rule->id, finish(&names, left_out));
	else
		policy_linting_add_within(
		    reading->linting, "W05", "optional_input", first->expression, first->position,
		    "rule %s raises the decision to %s where this is absent: %s; require it in the class or "
		    "the input, or say !has() where that is meant",
		    reading->rule->id, policy_verdict_name(reading->rule->verdict), finish(&names, left_out));
}

static void
check_avoidable(const struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		const struct read *read = &reading->items[i];
		const struct policy_field *field = field_of(reading, read->path, strlen(read->path));

		if (read->is_has && read->speaks && !is_sure(reading, read->path, false)
		    && reading->allowance->left)
			policy_linting_add_within(reading->linting, "W06", "avoidable", read->expression,
						  read->position,
						  "a request that leaves context.%.128s out avoids rule %s: "
						  "without has() its absence would raise the decision",
						  read->path, reading->rule->id);
		else if (!read->is_has && read->defaults && field && field->fallback)
			policy_linting_add_within(
			    reading->linting, "W06", "avoidable", read->expression, read->position,
			    "a request that leaves context.%.128s out is judged by its default, and avoids "
			    "rule "
			    "%s; without the default its absence would raise the decision",
			    read->path, reading->rule->id);
	}
}

static void
check_claims(const struct reading *reading)
{
	const struct policy_rule *rule = reading->rule;
	struct buffer names = {.arena = reading->linting->scratch};
	const struct read *first = NULL;
	size_t left_out = 0;

	for (size_t i = 0; i < reading->count; i++)
		if (!reading->items[i].is_has) {
			first = first ? first : &reading->items[i];
			add_name(&names, reading->items[i].path, &left_out);
		}
	if (first)
		policy_linting_add_within(
		    reading->linting, "W09", "claimed_input", first->expression, first->position,
		    "rule %s allows by what the agent says itself: %s; where that is worth lying about, let "
		    "people decide",
		    rule->id, finish(&names, left_out));
}

static void
read_rule(struct reading *reading)
{
	const struct policy_rule *rule = reading->rule;
	const struct policy_expression *const expressions[] = {rule->when, rule->unless};

	for (size_t i = 0; i < 2; i++) {
		const struct cel_node *root =
		    expressions[i] ? policy_node_of(expressions[i], reading->linting->scratch) : NULL;

		if (root)
			collect(reading, expressions[i], root, i == 0);
	}
	check_absent(reading);
	if (rule->verdict == POLICY_ALLOW)
		check_claims(reading);
	else
		check_avoidable(reading);
}

void
policy_lint_reads(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct policy_allowance allowance = {READ_STEPS};
	const struct cel_node **trees = arena_take_array(linting->arena, policy->lets.count, sizeof *trees);
	size_t i;

	for (i = 0; i < policy->lets.count; i++)
		trees[i] = policy_node_of(&policy->lets.items[i].value, linting->arena);
	for (i = 0; i < policy->rule_count && allowance.left; i++) {
		const struct policy_rule *rule = linting->in_order[i];
		size_t lets = rule->lets.count + policy->lets.count;
		struct reading reading = {.linting = linting,
					  .allowance = &allowance,
					  .rule = rule,
					  .let_trees = trees,
					  .visited = arena_take_array(linting->scratch, lets, sizeof(bool))};

		if (!rule->is_shadow && (rule->when || rule->unless))
			read_rule(&reading);
		arena_reset(linting->scratch);
	}
	if (allowance.left == 0)
		policy_linting_note(linting,
				    "W05, W06, W09: conditions, names and classes are too many to follow: "
				    "only the first %zu of %zu rules were looked at",
				    i ? i - 1 : 0, policy->rule_count);
}
