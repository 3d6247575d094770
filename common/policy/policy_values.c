/* SPDX-License-Identifier: Apache-2.0 */
/* policy_values.c - from expressions to inputs with the constants beside them, and from patterns to names. */
#include "common/policy/policy_values.h"
#include "common/cel/ast.h"
#include "common/policy/policy_read.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIELDS_MAX = 32,
	CONSTANTS_MAX = 64,
	NAMES_MAX = 64,
	WORD_MAX = 8 * 1024 /* bytes of a string in a request */
};

static const char other[] = "other";

/* ------------------------------------------------------------------ values of one input */

static void
add_value(struct policy_domain *domain, struct policy_dimension *dimension, const struct value *value)
{
	for (size_t i = 0; i < dimension->count; i++)
		if (dimension->values[i] == value
		    || (value && dimension->values[i] && value_equal(dimension->values[i], value)))
			return;
	if (dimension->count == POLICY_DIMENSION_VALUES_MAX)
		domain->is_cut = true;
	else
		dimension->values[dimension->count++] = value;
}

static struct value *
list_of(struct arena *arena, const struct value *item)
{
	struct value *list = value_list(arena);

	if (item)
		value_append(arena, list, (struct value *)(uintptr_t)item);
	return list;
}

/* A datum that stands in the policy, as a request would write it. */
static const struct value *
written(struct arena *arena, const struct policy_datum *datum)
{
	switch (datum->kind) {
	case POLICY_T_INT:
		return value_int(arena, datum->as.integer);
	case POLICY_T_DOUBLE:
		return value_real(arena, datum->as.real);
	case POLICY_T_STRING:
		return value_text(arena, datum->as.string.bytes, datum->as.string.length);
	case POLICY_T_DURATION:
		return value_string(arena, arena_format(arena, "%lldns", (long long)datum->as.integer));
	default:
		return NULL;
	}
}

static void
add_bounds(struct policy_domain *domain, struct policy_dimension *dimension, struct arena *arena)
{
	const struct policy_field *field = dimension->field;
	const struct policy_datum *const bounds[] = {field->min, field->max};

	for (size_t i = 0; i < 2; i++)
		if (bounds[i] && bounds[i]->kind == field->type.kind && written(arena, bounds[i]))
			add_value(domain, dimension, written(arena, bounds[i]));
}

/* A word that no expression names, as long as the input lets it be. */
static const struct value *
word_of(struct arena *arena, const struct policy_field *field, const char *word)
{
	struct buffer text = {.arena = arena};
	size_t length = strlen(word);

	if (field->max && (uint64_t)field->max->as.integer < length)
		length = (size_t)field->max->as.integer;
	buffer_add(&text, word, length);
	while (field->min && (uint64_t)field->min->as.integer > text.length && text.length < WORD_MAX)
		buffer_add_byte(&text, 'x');
	return value_text(arena, text.bytes, text.length);
}

/* What is tried of every input of its type, whatever the expressions say. */
static void
add_usual(struct policy_domain *domain, struct policy_dimension *dimension, struct arena *arena)
{
	const struct policy_field *field = dimension->field;

	add_value(domain, dimension, NULL);
	for (size_t i = 0; i < field->word_count; i++) {
		const struct value *word = written(arena, &field->words[i]);

		add_value(domain, dimension, field->type.kind == POLICY_T_LIST ? list_of(arena, word) : word);
	}
	if (field->type.kind == POLICY_T_BOOL) {
		add_value(domain, dimension, value_bool(arena, false));
		add_value(domain, dimension, value_bool(arena, true));
	} else if (field->type.kind == POLICY_T_INT) {
		add_value(domain, dimension, value_int(arena, 1));
	} else if (field->type.kind == POLICY_T_DOUBLE) {
		add_value(domain, dimension, value_real(arena, 0.5));
	} else if (field->type.kind == POLICY_T_STRING && !field->word_count) {
		/* two, since strings are compared with each other */
		add_value(domain, dimension, word_of(arena, field, other));
		add_value(domain, dimension, word_of(arena, field, "another"));
	} else if (field->type.kind == POLICY_T_DURATION) {
		add_value(domain, dimension, value_string(arena, "1h"));
	} else if (field->type.kind == POLICY_T_TIMESTAMP) {
		add_value(domain, dimension, value_string(arena, "2026-01-01T00:00:00Z"));
	} else if (field->type.kind == POLICY_T_LIST) {
		add_value(domain, dimension, value_list(arena));
		if (field->type.item->kind == POLICY_T_STRING && !field->word_count)
			add_value(domain, dimension, list_of(arena, value_string(arena, other)));
	} else if (field->type.kind == POLICY_T_MAP) {
		add_value(domain, dimension, value_map(arena));
	}
	add_bounds(domain, dimension, arena);
}

struct policy_dimension *
policy_domain_dimension(struct policy_domain *domain, const struct policy *policy, const char *path,
			struct arena *arena)
{
	const struct policy_field *field = policy_find_field(&policy->inputs, path, strlen(path));

	for (size_t i = 0; i < domain->dimension_count; i++)
		if (strcmp(domain->dimensions[i].path, path) == 0)
			return &domain->dimensions[i];
	if (!field)
		return NULL;
	if (domain->dimension_count == POLICY_DIMENSIONS_MAX) {
		domain->is_cut = true;
		return NULL;
	}

	struct policy_dimension *dimension = &domain->dimensions[domain->dimension_count++];

	*dimension = (struct policy_dimension){.path = path, .field = field};
	add_usual(domain, dimension, arena);
	return dimension;
}

static void
add_integers(struct policy_domain *domain, struct policy_dimension *dimension, int64_t integer,
	     struct arena *arena)
{
	for (int step = -1; step <= 1; step++) {
		int64_t near;

		if (!__builtin_add_overflow(integer, step, &near))
			add_value(domain, dimension, value_int(arena, near));
	}
}

static void
add_duration(struct policy_domain *domain, struct policy_dimension *dimension, struct text text,
	     struct arena *arena)
{
	int64_t nanoseconds;

	if (!policy_duration_parse(text, &nanoseconds))
		return;
	for (int step = -1; step <= 1; step++) {
		int64_t near;

		if (!__builtin_add_overflow(nanoseconds, step, &near))
			add_value(domain, dimension,
				  value_string(arena, arena_format(arena, "%lldns", (long long)near)));
	}
}

/* A constant that stands beside the input. */
static void
add_constant(struct policy_domain *domain, struct policy_dimension *dimension,
	     const struct cel_value *constant, struct arena *arena)
{
	const struct policy_type *type = &dimension->field->type;
	enum policy_kind kind = type->kind == POLICY_T_LIST ? type->item->kind : type->kind;
	struct text text = {constant->as.bytes, constant->extra};

	if (constant->kind == CEL_INT && kind == POLICY_T_INT && type->kind != POLICY_T_LIST) {
		add_integers(domain, dimension, constant->as.integer, arena);
	} else if (constant->kind == CEL_DOUBLE && kind == POLICY_T_DOUBLE && type->kind != POLICY_T_LIST) {
		for (int step = -1; step <= 1; step++)
			add_value(domain, dimension, value_real(arena, constant->as.real + step));
	} else if (constant->kind == CEL_STRING && kind == POLICY_T_DURATION) {
		add_duration(domain, dimension, text, arena);
	} else if (constant->kind == CEL_STRING && kind == POLICY_T_TIMESTAMP && type->kind != POLICY_T_LIST) {
		add_value(domain, dimension, value_text(arena, text.bytes, text.length));
	} else if (constant->kind == CEL_STRING && kind == POLICY_T_STRING && !dimension->field->word_count) {
		const struct value *item = value_text(arena, text.bytes, text.length);

		add_value(domain, dimension, type->kind == POLICY_T_LIST ? list_of(arena, item) : item);
	}
}

/* ------------------------------------------------------------------ expressions */

/* What one comparison, call or loop holds. */
struct atom {
	struct arena *arena;
	const char *fields[FIELDS_MAX];
	size_t field_count;
	const struct cel_value *constants[CONSTANTS_MAX];
	size_t constant_count;
	bool is_cut;
};

const char *
policy_input_path(const struct cel_node *node, struct arena *arena)
{
	if (node->kind != CEL_N_SELECT || !node->operand)
		return NULL;
	if (node->operand->kind == CEL_N_IDENT)
		return strcmp(node->operand->name, "context") == 0 ? node->name : NULL;

	const char *above = policy_input_path(node->operand, arena);

	return above ? arena_format(arena, "%s.%s", above, node->name) : NULL;
}

static void collect(struct atom *atom, const struct cel_node *node);

static void
collect_children(struct atom *atom, const struct cel_node *node)
{
	const struct cel_node *const inner[] = {node->operand,	      node->loop.range, node->loop.init,
						node->loop.condition, node->loop.step,	node->loop.result};

	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (inner[i])
			collect(atom, inner[i]);
	for (size_t i = 0; i < node->argument_count; i++)
		collect(atom, node->arguments[i]);
}

/* The parser has bounded the depth. */
static void
collect(struct atom *atom, const struct cel_node *node)
{
	const char *path = policy_input_path(node, atom->arena);

	if (node->kind == CEL_N_LITERAL) {
		if (atom->constant_count < CONSTANTS_MAX)
			atom->constants[atom->constant_count++] = &node->value;
		else
			atom->is_cut = true;
	} else if (path) {
		if (atom->field_count < FIELDS_MAX)
			atom->fields[atom->field_count++] = path;
		else
			atom->is_cut = true;
	} else {
		collect_children(atom, node);
	}
}

static bool
is_connective(const struct cel_node *node)
{
	static const char *const names[] = {"_&&_", "_||_", "!_", "_?_:_"};

	for (size_t i = 0; node->kind == CEL_N_CALL && i < sizeof names / sizeof *names; i++)
		if (strcmp(node->name, names[i]) == 0)
			return true;
	return false;
}

static void
read_node(struct policy_domain *domain, const struct policy *policy, const struct cel_node *node,
	  struct arena *arena)
{
	struct atom atom = {.arena = arena};

	if (is_connective(node)) {
		for (size_t i = 0; i < node->argument_count; i++)
			read_node(domain, policy, node->arguments[i], arena);
		return;
	}
	collect(&atom, node);
	domain->is_cut = domain->is_cut || atom.is_cut;
	for (size_t i = 0; i < atom.field_count; i++) {
		struct policy_dimension *dimension =
		    policy_domain_dimension(domain, policy, atom.fields[i], arena);

		for (size_t j = 0; dimension && j < atom.constant_count; j++)
			add_constant(domain, dimension, atom.constants[j], arena);
	}
}

void
policy_domain_read(struct policy_domain *domain, const struct policy *policy, const char *source,
		   struct arena *arena)
{
	struct cel_faults faults = {0};
	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);

	if (tree)
		read_node(domain, policy, tree->root, arena);
}

/* ------------------------------------------------------------------ names */

static void
add_name(struct policy_domain *domain, struct policy_strings *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return;
	if (names->count == NAMES_MAX)
		domain->is_cut = true;
	else
		names->items[names->count++] = name;
}

const char *
policy_pattern_instance(struct arena *arena, const char *pattern)
{
	struct buffer name = {.arena = arena};

	for (const char *at = pattern; *at; at++) {
		if (*at != '*')
			buffer_add_byte(&name, *at);
		else if (at == pattern || at[-1] != '*')
			buffer_add_byte(&name, 'x');
	}
	return name.bytes ? name.bytes : "x";
}

static void
add_instances(struct policy_domain *domain, struct policy_strings *names,
	      const struct policy_strings *patterns, struct arena *arena)
{
	for (size_t i = 0; i < patterns->count; i++)
		add_name(domain, names, policy_pattern_instance(arena, patterns->items[i]));
}

static void
add_scope(struct policy_domain *domain, const struct policy_scope *scope, struct arena *arena)
{
	add_instances(domain, &domain->agents, &scope->agents, arena);
	add_instances(domain, &domain->targets, &scope->targets, arena);
}

/* Could a rule with these patterns be about any of the actions? */
static bool
is_near(const struct policy_domain *domain, const struct policy_scope *scope)
{
	for (size_t i = 0; i < domain->actions.count; i++)
		if (!scope->actions.count || policy_strings_match(&scope->actions, domain->actions.items[i]))
			return true;
	return false;
}

static void
add_actions(struct policy_domain *domain, const struct policy *policy,
	    const struct policy_invariant *invariant, struct arena *arena)
{
	const struct policy_strings *wanted = &invariant->match.actions;

	add_instances(domain, &domain->actions, wanted, arena);
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_strings *patterns = &policy->rules[i].match.actions;

		for (size_t j = 0; j < patterns->count; j++) {
			const char *name = policy_pattern_instance(arena, patterns->items[j]);

			if (!wanted->count || policy_strings_match(wanted, name))
				add_name(domain, &domain->actions, name);
		}
	}
	for (size_t i = 0; i < policy->class_count && !wanted->count; i++)
		add_instances(domain, &domain->actions, &policy->classes[i].actions, arena);
}

static void
read_if(struct policy_domain *domain, const struct policy *policy, const struct policy_expression *expression,
	struct arena *arena)
{
	if (expression)
		policy_domain_read(domain, policy, expression->source, arena);
}

static void
add_rule(struct policy_domain *domain, const struct policy *policy, const struct policy_rule *rule,
	 struct arena *arena)
{
	add_scope(domain, &rule->match, arena);
	if (rule->has_except)
		add_scope(domain, &rule->except, arena);
	read_if(domain, policy, rule->when, arena);
	read_if(domain, policy, rule->unless, arena);
	for (size_t j = 0; j < rule->lets.count; j++)
		read_if(domain, policy, &rule->lets.items[j].value, arena);
}

static void
add_rules(struct policy_domain *domain, const struct policy *policy, struct arena *arena)
{
	for (size_t i = 0; i < policy->lets.count; i++)
		read_if(domain, policy, &policy->lets.items[i].value, arena);
	for (size_t i = 0; i < policy->rule_count; i++)
		if (is_near(domain, &policy->rules[i].match))
			add_rule(domain, policy, &policy->rules[i], arena);
}

/* What a request must have before any rule is asked. */
static void
add_required(struct policy_domain *domain, const struct policy *policy, struct arena *arena)
{
	for (size_t i = 0; i < policy->inputs.field_count; i++)
		if (policy->inputs.fields[i].required)
			policy_domain_dimension(domain, policy, policy->inputs.fields[i].name, arena);
	for (size_t i = 0; i < policy->class_count; i++)
		for (size_t j = 0; j < policy->classes[i].requires.count; j++)
			policy_domain_dimension(domain, policy, policy->classes[i].requires.items[j], arena);
}

static struct policy_domain
open_domain(const struct policy *policy, struct arena *arena)
{
	struct policy_domain domain = {0};
	struct policy_strings *const names[] = {&domain.actions, &domain.agents, &domain.targets};

	for (size_t i = 0; i < 3; i++)
		names[i]->items = arena_take_array(arena, NAMES_MAX, sizeof(char *));
	domain.dimensions = arena_take_array(arena, POLICY_DIMENSIONS_MAX, sizeof *domain.dimensions);
	domain.tenant = strcmp(policy->tenants.items[0], "*") == 0 ? "default" : policy->tenants.items[0];
	return domain;
}

static void
close_domain(struct policy_domain *domain, const struct policy *policy, struct arena *arena)
{
	add_required(domain, policy, arena);
	add_name(domain, &domain->agents, other);
	add_name(domain, &domain->targets, other);
}

struct policy_domain
policy_domain_of(const struct policy *policy, const struct policy_invariant *invariant, struct arena *arena)
{
	struct policy_domain domain = open_domain(policy, arena);

	add_actions(&domain, policy, invariant, arena);
	add_scope(&domain, &invariant->match, arena);
	read_if(&domain, policy, invariant->assume, arena);
	policy_domain_read(&domain, policy, invariant->assertion.source, arena);
	add_rules(&domain, policy, arena);
	close_domain(&domain, policy, arena);
	return domain;
}

struct policy_domain
policy_domain_among(const struct policy *policy, const char *action, const struct policy_set *rules,
		    struct arena *arena)
{
	struct policy_domain domain = open_domain(policy, arena);

	add_name(&domain, &domain.actions, action);
	for (size_t i = 0; i < policy->lets.count; i++)
		read_if(&domain, policy, &policy->lets.items[i].value, arena);
	for (size_t i = policy_set_next(rules, 0); i != SIZE_MAX; i = policy_set_next(rules, i + 1))
		add_rule(&domain, policy, &policy->rules[i], arena);
	close_domain(&domain, policy, arena);
	return domain;
}
