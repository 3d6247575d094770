/* SPDX-License-Identifier: Apache-2.0 */
/* policy_load_condition.c - the expressions of a document, checked against its inputs and compiled; what is wrong with them points into the
 * document. Comes after everything else of the document was read. */
#include "common/policy/policy_compile.h"
#include "common/policy/policy_facts.h"
#include "common/policy/policy_read.h"

#include <string.h>

enum { FAULT_TEXT = 512 };

/* Which check of the manual a fault belongs to. */
static const char *
check_of(enum cel_code code)
{
	switch (code) {
	case CEL_SYNTAX:
		return "E01";
	case CEL_COST:
	case CEL_DEPTH:
	case CEL_MEMORY:
	case CEL_REGEX:
		return "E04";
	default:
		return "E02";
	}
}

static void
report(const struct policy_reader *reader, const struct policy_expression *expression,
       const struct cel_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct cel_fault *fault = &faults->items[i];
		struct finding finding = {.code = check_of(fault->code),
					  .word = cel_code_name(fault->code),
					  .path = expression->path,
					  .text = fault->text,
					  .at = expression->at,
					  .inside = fault->position + 1};

		findings_add(reader->findings, finding);
	}
}

static void
load_lets(const struct policy_reader *reader, struct policy_compiler *compiler, const char *container,
	  const struct policy_lets *lets)
{
	const char **names = arena_take_array(compiler->scratch, lets->count, sizeof *names);
	const char **sources = arena_take_array(compiler->scratch, lets->count, sizeof *sources);
	struct cel_faults *faults = arena_take_array(compiler->scratch, lets->count, sizeof *faults);

	for (size_t i = 0; i < lets->count; i++) {
		names[i] = lets->items[i].name;
		sources[i] = lets->items[i].value.source;
	}
	if (!policy_compile_bindings(compiler, container, names, sources, lets->count, faults))
		for (size_t i = 0; i < lets->count; i++)
			report(reader, &lets->items[i].value, &faults[i]);
}

static void
load_rule(const struct policy_reader *reader, struct policy_compiler *compiler, struct policy_rule *rule)
{
	struct cel_faults when = {0}, unless = {0};
	const char *container = NULL;

	if (!rule->when && !rule->unless && rule->lets.count == 0)
		return;
	if (rule->lets.count) {
		container = arena_format(reader->arena, "let_%zu", rule->position);
		cel_set_container(compiler->env, container);
		load_lets(reader, compiler, container, &rule->lets);
	}
	if (!policy_compile_condition(compiler, rule->when ? rule->when->source : NULL,
				      rule->unless ? rule->unless->source : NULL, &rule->condition, &when,
				      &unless)) {
		if (rule->when)
			report(reader, rule->when, &when);
		if (rule->unless)
			report(reader, rule->unless, &unless);
	}
	cel_set_container(compiler->env, NULL);
}

static void
load_limit(const struct policy_reader *reader, struct policy_compiler *compiler, struct policy_limit *limit)
{
	struct cel_faults when = {0}, unless = {0};

	if (limit->when
	    && !policy_compile_condition(compiler, limit->when->source, NULL, &limit->condition, &when, &unless))
		report(reader, limit->when, &when);
}

static void
load_claim(const struct policy_reader *reader, struct policy_compiler *compiler,
	   const struct policy_expression *expression, struct policy_program *program)
{
	struct policy_conjunct conjunct = {0};
	struct cel_faults faults = {0};

	if (!policy_compile_expression(compiler, expression->source, cel_type_simple(CEL_T_BOOL), &conjunct,
				       &faults))
		report(reader, expression, &faults);
	*program = conjunct.ask;
}

/* After the rules, which can't name what these can: the outcome. */
static void
load_invariants(const struct policy_reader *reader, struct policy_compiler *compiler, struct policy_names *names)
{
	struct policy *policy = reader->policy;
	const struct cel_type *text = cel_type_simple(CEL_T_STRING);
	struct error error = {0};

	if (policy->invariant_count == 0)
		return;
	if (!cel_declare(compiler->env, "decision", text, &names->decision_slot, &error)
	    || !cel_declare(compiler->env, "approvals", cel_type_list(reader->arena, text),
			    &names->approvals_slot, &error)) {
		findings_add(reader->findings,
			     (struct finding){
				 .code = "E02", .word = "duplicate_name", .path = "let", .text = error.text});
		return;
	}
	for (size_t i = 0; i < policy->invariant_count; i++) {
		struct policy_invariant *invariant = &policy->invariants[i];

		if (invariant->assume)
			load_claim(reader, compiler, invariant->assume, &invariant->assumes);
		load_claim(reader, compiler, &invariant->assertion, &invariant->asserts);
	}
}

static struct cel_value
params_of(struct arena *arena, const struct policy *policy)
{
	struct cel_entry *entries = arena_take_array(arena, policy->param_count, sizeof *entries);

	for (size_t i = 0; i < policy->param_count; i++) {
		const struct policy_param *param = &policy->params[i];

		entries[i].key = cel_string(param->field.name, strlen(param->field.name));
		entries[i].value = policy_facts_value(arena, &param->field.type, &param->value);
	}
	return cel_map(arena, entries, policy->param_count);
}

void
policy_load_conditions(const struct place *root)
{
	const struct policy_reader *reader = root->reader;
	struct policy *policy = reader->policy;
	struct policy_names *names = arena_take(reader->arena, sizeof *names);
	struct policy_compiler compiler = {.arena = reader->arena, .scratch = arena_open()};

	compiler.env = policy_facts_declare(reader->arena, policy);
	load_lets(reader, &compiler, NULL, &policy->lets);
	for (size_t i = 0; i < policy->rule_count && !policy_reader_is_full(root); i++) {
		arena_reset(compiler.scratch);
		load_rule(reader, &compiler, &policy->rules[i]);
	}
	for (size_t i = 0; i < policy->limit_count; i++)
		load_limit(reader, &compiler, &policy->limits[i]);
	load_invariants(reader, &compiler, names);
	arena_close(compiler.scratch);
	names->env = compiler.env;
	names->bindings = compiler.bindings;
	names->params = params_of(reader->arena, policy);
	policy->names = names;
}
