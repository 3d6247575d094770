/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cel_run.c - an expression over variables, made of choices (expression.h), or, behind a first byte '=', written out. It keeps within
 * its limits of cost, memory and lengths and within the static estimate; it has the same result twice, from its unparsed text, and
 * without the checker; the result has the deduced type; conjuncts on their own give what they give together.
 */
#include "common/cel/cel.h"
#include "services/countersign/cel_codec.h"
#include "tests/fuzz/expression.h"
#include "tests/fuzz/fuzz.h"

/* What an evaluation may take from the arena beside what it charges: the stack of the machine. */
#define MEMORY_SLACK (64 * 1024)

struct trial {
	struct arena *arena;
	struct cel_env *env;
	struct cel_value *slots;
};

struct outcome {
	struct cel_value value;
	const char *text; /* the typed form, or "error" */
};

static struct trial
declare(struct arena *arena, const struct cel_value *values)
{
	struct trial trial = {.arena = arena, .env = cel_env_open(arena)};
	struct error error = {0};

	trial.slots = arena_take_array(arena, EXPRESSION_VARIABLES, sizeof *trial.slots);
	for (size_t i = 0; i < EXPRESSION_VARIABLES; i++) {
		const struct expression_variable *variable = &expression_variables[i];
		const struct cel_type *type = cel_type_parse(arena, variable->type, &error);
		size_t slot;
		bool ok = type && cel_declare(trial.env, variable->name, type, &slot, &error);

		assert(ok);
		trial.slots[slot] = values[i];
		if (variable->size)
			cel_declare_size(trial.env, variable->name, variable->size);
	}
	cel_declare_size(trial.env, "vm[]", 64);
	return trial;
}

static bool conforms(struct cel_value value, const struct cel_type *type);

static bool
list_conforms(const struct cel_list *list, const struct cel_type *item)
{
	for (size_t i = 0; i < list->count; i++)
		if (!conforms(list->items[i], item))
			return false;
	return true;
}

static bool
map_conforms(const struct cel_map *map, const struct cel_type *key, const struct cel_type *item)
{
	const struct cel_entry *entry;

	for (size_t position = 0; (entry = cel_map_next(map, &position));)
		if (!conforms(entry->key, key) || !conforms(entry->value, item))
			return false;
	return true;
}

/* Is the value one of the type? */
static bool
conforms(struct cel_value value, const struct cel_type *type)
{
	static const uint8_t kinds[] = {[CEL_T_NULL] = CEL_NULL,
					[CEL_T_BOOL] = CEL_BOOL,
					[CEL_T_INT] = CEL_INT,
					[CEL_T_UINT] = CEL_UINT,
					[CEL_T_DOUBLE] = CEL_DOUBLE,
					[CEL_T_STRING] = CEL_STRING,
					[CEL_T_BYTES] = CEL_BYTES,
					[CEL_T_TIMESTAMP] = CEL_TIMESTAMP,
					[CEL_T_DURATION] = CEL_DURATION,
					[CEL_T_LIST] = CEL_LIST,
					[CEL_T_MAP] = CEL_MAP,
					[CEL_T_RECORD] = CEL_MAP,
					[CEL_T_OPTIONAL] = CEL_OPTIONAL,
					[CEL_T_TYPE] = CEL_TYPE,
					[CEL_T_IP] = CEL_IP,
					[CEL_T_CIDR] = CEL_CIDR};

	if (type->kind == CEL_T_DYN || type->kind == CEL_T_PARAM)
		return true;
	if (type->kind >= COUNT_OF(kinds) || value.kind != kinds[type->kind])
		return false;
	if (type->kind == CEL_T_LIST)
		return list_conforms(value.as.list, type->parameters[0]);
	if (type->kind == CEL_T_MAP)
		return map_conforms(value.as.map, type->parameters[0], type->parameters[1]);
	return type->kind != CEL_T_OPTIONAL || !value.as.optional
	       || conforms(*value.as.optional, type->parameters[0]);
}

static struct outcome
run(const struct trial *trial, const struct cel_program *program, uint64_t bound)
{
	struct cel_run run = {.slots = trial->slots};
	size_t before = arena_used(trial->arena);
	struct buffer text = {.arena = trial->arena};
	struct outcome outcome = {.value = cel_evaluate(program, &run, trial->arena), .text = "error"};

	assert(arena_used(trial->arena) - before <= CEL_MEMORY_MAX + MEMORY_SLACK);
	assert(run.cost <= CEL_COST_MAX || (outcome.value.kind == CEL_ERROR && outcome.value.code == CEL_COST));
	assert(run.cost <= bound);
	if (outcome.value.kind == CEL_STRING || outcome.value.kind == CEL_BYTES)
		assert(outcome.value.extra <= CEL_STRING_MAX);
	if (outcome.value.kind == CEL_ERROR) {
		assert(outcome.value.code != CEL_OK && outcome.value.code < CEL_CODE_COUNT);
		return outcome;
	}
	assert(outcome.value.kind != CEL_ABSENT && outcome.value.kind < CEL_KIND_COUNT);
	cel_codec_write(&text, outcome.value);
	outcome.text = text.bytes;
	return outcome;
}

static bool
out_of_limits(struct outcome outcome)
{
	return outcome.value.kind == CEL_ERROR
	       && (outcome.value.code == CEL_COST || outcome.value.code == CEL_MEMORY);
}

/* From its unparsed text, and without the checker. */
static void
run_otherwise(const struct trial *trial, const struct cel_tree *tree, struct outcome expected)
{
	static const struct cel_limits wide = {.source = 1u << 20, .comprehensions = 6, .nodes = 4096};
	struct cel_faults faults = {0};
	const char *text = cel_unparse(trial->arena, tree->root);
	const struct cel_tree *again = cel_parse(trial->arena, text, strlen(text), 0, &wide, &faults);
	const struct cel_checked *checked =
	    again ? cel_check(trial->env, trial->arena, again, NULL, &faults) : NULL;
	const struct cel_program *program =
	    checked ? cel_compile(trial->env, again, again->root, checked, 0, &faults) : NULL;
	const struct cel_program *free_program = cel_compile(trial->env, tree, tree->root, NULL, 0, &faults);
	struct outcome outcome;

	assert(program && free_program);
	outcome = run(trial, program, UINT64_MAX);
	assert(strcmp(outcome.text, expected.text) == 0);
	outcome = run(trial, free_program, UINT64_MAX);
	/* unchecked, the sum of an empty list is the int 0 */
	if (!out_of_limits(outcome) && !out_of_limits(expected) && !strstr(text, ".sum("))
		assert(strcmp(outcome.text, expected.text) == 0);
}

/* Each conjunct alone: one that is false makes the whole false, else one that fails makes it fail. */
static void
run_conjuncts(const struct trial *trial, const struct cel_tree *tree, const struct cel_checked *checked,
	      struct outcome whole)
{
	const struct cel_node *conjuncts[64];
	size_t count = cel_conjuncts(tree->root, conjuncts, COUNT_OF(conjuncts));
	bool some_false = false, some_fail = false;

	if (count < 2 || count > COUNT_OF(conjuncts) || out_of_limits(whole))
		return;
	for (size_t i = 0; i < count; i++) {
		struct cel_faults faults = {0};
		const struct cel_program *program =
		    cel_compile(trial->env, tree, conjuncts[i], checked, 0, &faults);

		assert(program);

		struct cel_value value = run(trial, program, UINT64_MAX).value;

		some_false = some_false || (value.kind == CEL_BOOL && !value.as.boolean);
		some_fail = some_fail || value.kind != CEL_BOOL;
	}
	if (some_false)
		assert(whole.value.kind == CEL_BOOL && !whole.value.as.boolean);
	else
		assert(some_fail ? whole.value.kind == CEL_ERROR
				 : whole.value.kind == CEL_BOOL && whole.value.as.boolean);
}

static void
try(const struct trial *trial, const char *source, size_t length)
{
	static const struct cel_limits deep = {.comprehensions = 6, .nodes = 4096};
	struct cel_faults faults = {0};
	const struct cel_tree *tree = cel_parse(trial->arena, source, length, 0, &deep, &faults);
	const struct cel_checked *checked;
	const struct cel_program *program;

	if (!tree) {
		assert(faults.count);
		return;
	}
	checked = cel_check(trial->env, trial->arena, tree, NULL, &faults);
	program = cel_compile(trial->env, tree, tree->root, checked, UINT64_MAX, &faults);
	if (!checked || !program) {
		assert(faults.count);
		if (program)
			run(trial, program, UINT64_MAX); /* unchecked */
		return;
	}

	struct outcome outcome = run(trial, program, cel_program_cost(program));

	assert(outcome.value.kind == CEL_ERROR
	       || conforms(outcome.value, cel_checked_type(checked, tree->root)));
	assert(strcmp(outcome.text, run(trial, program, cel_program_cost(program)).text) == 0);
	run_otherwise(trial, tree, outcome);
	run_conjuncts(trial, tree, checked, outcome);
}

int
FUZZ_TARGET(cel_run)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct choices choices = {bytes, length};
	bool written = length && bytes[0] == '=';
	struct choices none = {0};
	struct cel_value values[EXPRESSION_VARIABLES];

	if (!written) {
		const char *source = expression_source(arena, &choices);

		expression_activate(arena, &choices, values);
		struct trial trial = declare(arena, values);
		try(&trial, source, strlen(source));
		cel_env_close(trial.env);
	} else {
		expression_activate(arena, &none, values);
		struct trial trial = declare(arena, values);
		try(&trial, (const char *)bytes + 1, length - 1);
		cel_env_close(trial.env);
	}
	arena_close(arena);
	return 0;
}
