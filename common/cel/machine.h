/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - one evaluation while it runs: what it may still use. For machine.c, evaluate*.c and library_standard.c. */
#ifndef COUNTERSIGN_CEL_MACHINE_H
#define COUNTERSIGN_CEL_MACHINE_H

#include "common/cel/cel.h"
#include "common/cel/function.h"

struct cel_machine {
	struct arena *arena;
	uint64_t cost;	    /* units so far */
	uint64_t cost_stop; /* above it something is due: the limit, or a look at the deadline */
	uint64_t cost_max;
	size_t memory, memory_max, string_max;
	bool (*expired)(void *context);
	void *context;
	uint32_t position;  /* of what runs now, in the source */
	enum cel_code halt; /* CEL_COST, CEL_MEMORY: nothing absorbs it, the evaluation ends */
};

void cel_machine_start(struct cel_machine *machine, const struct cel_run *run, struct arena *arena);
/* Above cost_stop: false, and halted, when the limit or the deadline is reached. */
bool cel_machine_due(struct cel_machine *machine);

/* cel_charge, inline. */
static inline bool
cel_machine_charge(struct cel_machine *machine, uint64_t units)
{
	if (__builtin_add_overflow(machine->cost, units, &machine->cost))
		machine->cost = UINT64_MAX;
	return machine->cost <= machine->cost_stop || cel_machine_due(machine);
}

#endif
