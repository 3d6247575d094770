/* SPDX-License-Identifier: Apache-2.0 */
/* cel_trial.c - an environment for one expression, and what becomes of it there. */
#include "services/countersign/cel_trial.h"
#include <stdio.h>
#include <string.h>

const char *
cel_stage_name(enum cel_stage stage)
{
	static const char *const names[] = {"parse", "check", "compile", "evaluate", "value"};

	return names[stage];
}

/* The value of each variable at its slot. */
static const struct cel_value *
declare_variables(struct arena *arena, struct cel_env *env, const struct cel_trial *trial, struct error *error)
{
	struct cel_value *slots = arena_take_array(arena, trial->variable_count + 1, sizeof *slots);

	for (size_t i = 0; i < trial->variable_count; i++) {
		const struct cel_variable *variable = &trial->variables[i];
		const struct cel_type *type =
		    cel_type_parse(arena, variable->type ? variable->type : "dyn", error);
		size_t slot;

		if (!type || !cel_declare(env, variable->name, type, &slot, error)) {
			error_wrap(error, "%s", variable->name);
			return NULL;
		}
		slots[slot] = variable->value;
	}
	return slots;
}

static bool
declare_functions(struct cel_env *env, const struct cel_trial *trial, struct error *error)
{
	for (size_t i = 0; i < trial->signature_count; i++)
		if (!cel_declare_function(env, trial->signatures[i].function, trial->signatures[i].signature,
					  error))
			return error_wrap(error, "%s", trial->signatures[i].function);
	return true;
}

static void
evaluate(struct arena *arena, const struct cel_program *program, struct cel_trial *trial,
	 const struct cel_value *slots)
{
	struct cel_run run = {.slots = slots, .cost_max = trial->cost_max, .memory_max = trial->memory_max};

	trial->value = cel_evaluate(program, &run, arena);
	trial->stage = trial->value.kind == CEL_ERROR ? CEL_STAGE_EVALUATE : CEL_STAGE_VALUE;
	trial->cost = run.cost;
}

static void
go(struct arena *arena, struct cel_env *env, struct cel_trial *trial, const struct cel_value *slots)
{
	const struct cel_checked *checked = NULL;
	const struct cel_program *program;

	trial->stage = CEL_STAGE_PARSE;
	trial->tree =
	    cel_parse(arena, trial->source, trial->length, trial->flags, &trial->limits, &trial->faults);
	if (!trial->tree || trial->last == CEL_STAGE_PARSE)
		return;
	trial->stage = CEL_STAGE_CHECK;
	if (!trial->unchecked) {
		checked = cel_check(env, arena, trial->tree, NULL, &trial->faults);
		if (!checked)
			return;
		trial->type = cel_checked_type(checked, trial->tree->root);
	}
	if (trial->last == CEL_STAGE_CHECK)
		return;
	trial->stage = CEL_STAGE_COMPILE;
	program = cel_compile(env, trial->tree, trial->tree->root, checked, UINT64_MAX, &trial->faults);
	if (!program)
		return;
	trial->bound = checked ? cel_program_cost(program) : UINT64_MAX;
	evaluate(arena, program, trial, slots);
}

bool
cel_try(struct arena *arena, struct cel_trial *trial, struct error *error)
{
	struct cel_env *env = cel_env_open(arena);
	const struct cel_value *slots = declare_variables(arena, env, trial, error);
	bool ok = slots && declare_functions(env, trial, error);

	if (ok) {
		cel_set_container(env, trial->container);
		go(arena, env, trial, slots);
	}
	cel_env_close(env);
	return ok;
}

/* How many bytes the first characters of a text take. */
static size_t
bytes_before(const char *text, size_t length, uint32_t characters)
{
	size_t at = 0;

	for (; at < length && characters; characters--)
		for (at++; at < length && ((unsigned char)text[at] & 0xc0) == 0x80;)
			at++;
	return at;
}

struct cel_fault
cel_trial_fault(const struct cel_trial *trial)
{
	struct cel_fault fault = {
	    .code = trial->value.code, .position = trial->value.extra, .line = 1, .column = 1};
	size_t end = bytes_before(trial->source, trial->length, fault.position);

	for (size_t i = 0; i < end; i++) {
		if (trial->source[i] == '\n') {
			fault.line++;
			fault.column = 1;
		} else if (((unsigned char)trial->source[i] & 0xc0) != 0x80) {
			fault.column++;
		}
	}
	snprintf(fault.text, sizeof fault.text, "%s",
		 trial->value.as.text ? trial->value.as.text : cel_code_name(fault.code));
	return fault;
}
