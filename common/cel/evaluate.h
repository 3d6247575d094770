/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - the machine's parts among themselves. For evaluate*.c and the libraries of operators. */
#ifndef COUNTERSIGN_CEL_EVALUATE_H
#define COUNTERSIGN_CEL_EVALUATE_H

#include "common/cel/bytecode.h"
#include "common/cel/machine.h"

/* Operands that are no errors; the result is a value or cel_fail(). */

/* container[key]; optional: container[?key]. A container that is an optional makes the result one. */
struct cel_value cel_index(struct cel_machine *machine, struct cel_value container, struct cel_value key,
			   bool optional);
/* What container.name is, and container.?name, when the container is no map that has it. */
struct cel_value cel_select(struct cel_machine *machine, struct cel_value container, struct cel_value name,
			    bool optional);
struct cel_value cel_has(struct cel_machine *machine, struct cel_value container, struct cel_value name);
struct cel_value cel_in(struct cel_machine *machine, struct cel_value item, struct cel_value container);
struct cel_value cel_in_set(struct cel_machine *machine, struct cel_value item, const struct cel_set *set);
/* left == right, charged. */
struct cel_value cel_same(struct cel_machine *machine, struct cel_value left, struct cel_value right,
			  bool negated);
struct cel_value cel_relate(struct cel_machine *machine, struct cel_value left, struct cel_value right,
			    enum cel_relation relation);

/* A list of items, a map of pairs; flags: a byte for each, 1 where the item (the pair's value) is an optional that may be none; NULL: no
 * such. The first error among them is the result. */
struct cel_value cel_collect_list(struct cel_machine *machine, const struct cel_value *items, size_t count,
				  const char *flags);
struct cel_value cel_collect_map(struct cel_machine *machine, const struct cel_value *pairs, size_t count,
				 const char *flags);

/* What grows in the accumulator of a loop. Errors that are given stay: the result is the accumulator as it is then. */
struct cel_value cel_build(struct cel_machine *machine, bool map);
struct cel_value cel_build_append(struct cel_machine *machine, struct cel_value accumulator,
				  struct cel_value item);
struct cel_value cel_build_insert(struct cel_machine *machine, struct cel_value accumulator,
				  struct cel_value key, struct cel_value value);
struct cel_value cel_build_merge(struct cel_machine *machine, struct cel_value accumulator,
				 struct cel_value map);
struct cel_value cel_build_finish(struct cel_machine *machine, struct cel_value accumulator);

/* The overload of the function that takes these arguments, called; the first error among them; or CEL_NO_SUCH_OVERLOAD. */
struct cel_value cel_call(struct cel_machine *machine, const struct cel_function_entry *function, bool member,
			  const struct cel_value *arguments, size_t count);

#endif
