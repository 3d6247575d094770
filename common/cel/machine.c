/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - what functions ask of the evaluation that calls them: units of work, memory, values, errors. */
#include "common/cel/machine.h"
#include "common/cel/cost.h"

#include <string.h>

void
cel_machine_start(struct cel_machine *machine, const struct cel_run *run, struct arena *arena)
{
	*machine = (struct cel_machine){
	    .arena = arena,
	    .cost_max = run->cost_max ? run->cost_max : CEL_COST_MAX,
	    .memory_max = run->memory_max ? run->memory_max : CEL_MEMORY_MAX,
	    .string_max = run->string_max ? run->string_max : CEL_STRING_MAX,
	    .expired = run->expired,
	    .context = run->context,
	};
	machine->cost_stop = machine->cost_max;
	if (machine->expired && machine->cost_stop >= CEL_POLL_UNITS)
		machine->cost_stop = CEL_POLL_UNITS - 1;
}

bool
cel_machine_due(struct cel_machine *machine)
{
	uint64_t next;

	if (machine->cost > machine->cost_max || (machine->expired && machine->expired(machine->context))) {
		machine->halt = CEL_COST;
		return false;
	}
	next = machine->cost + CEL_POLL_UNITS
	       - 1; /* cost <= cost_max < UINT64_MAX: the sum can overflow only above the limit */
	machine->cost_stop =
	    !machine->expired || next > machine->cost_max || next < machine->cost ? machine->cost_max : next;
	return true;
}

bool
cel_charge(struct cel_machine *machine, uint64_t units)
{
	return cel_machine_charge(machine, units);
}

bool
cel_charge_bytes(struct cel_machine *machine, size_t bytes)
{
	return cel_machine_charge(machine, bytes / 10 * CEL_COST_STRING_TENTHS + (bytes % 10 > 0));
}

struct cel_value
cel_fail(struct cel_machine *machine, enum cel_code code, const char *text)
{
	struct cel_value error = cel_error(code, machine->position);

	if (code == CEL_COST || code == CEL_MEMORY)
		machine->halt = code;
	error.as.text = text;
	return error;
}

void *
cel_take(struct cel_machine *machine, size_t size)
{
	size_t rounded; /* as the arena does, so that many small pieces are not free */

	if (__builtin_add_overflow(size, (size_t)15, &rounded)
	    || (rounded &= ~(size_t)15) > machine->memory_max - machine->memory) {
		machine->halt = CEL_MEMORY;
		return NULL;
	}
	machine->memory += rounded;
	return arena_take(machine->arena, size);
}

size_t
cel_string_max(const struct cel_machine *machine)
{
	return machine->string_max;
}

struct cel_value
cel_make_list(struct cel_machine *machine, const struct cel_value *items, size_t count)
{
	struct cel_list *list = cel_take(machine, sizeof *list);

	if (!list)
		return cel_fail(machine, CEL_MEMORY, NULL);
	*list = (struct cel_list){.count = count, .items = items};
	return (struct cel_value){.kind = CEL_LIST, .as.list = list};
}

/* What cel_map takes on top of the entries: the struct, and an index of at most four numbers an entry. */
struct cel_value
cel_make_map(struct cel_machine *machine, const struct cel_entry *entries, size_t count)
{
	size_t before = arena_used(machine->arena), used;
	struct cel_value map;

	if (count > machine->memory_max / sizeof *entries)
		return cel_fail(machine, CEL_MEMORY, NULL);
	map = cel_map(machine->arena, entries, count);
	used = arena_used(machine->arena) - before;
	if (used > machine->memory_max - machine->memory)
		return cel_fail(machine, CEL_MEMORY, NULL);
	machine->memory += used;
	if (map.kind == CEL_ERROR)
		return cel_fail(machine, map.code, map.as.text);
	return map;
}

struct cel_value
cel_make_string(struct cel_machine *machine, const char *bytes, size_t length)
{
	char *copy;

	if (length > machine->string_max || length > UINT32_MAX || !(copy = cel_take(machine, length)))
		return cel_fail(machine, CEL_MEMORY, NULL);
	if (length > 0)
		memcpy(copy, bytes, length);
	return cel_string(copy, length);
}

struct cel_value
cel_make_optional(struct cel_machine *machine, struct cel_value inner)
{
	struct cel_value *held = cel_take(machine, sizeof *held);

	if (!held)
		return cel_fail(machine, CEL_MEMORY, NULL);
	*held = inner;
	return (struct cel_value){.kind = CEL_OPTIONAL, .as.optional = held};
}
