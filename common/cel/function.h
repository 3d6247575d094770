/* SPDX-License-Identifier: Apache-2.0 */
/* function.h - what a function of the language is: a row in a table, a signature for the checker, code for the machine. Pure. */
#ifndef COUNTERSIGN_CEL_FUNCTION_H
#define COUNTERSIGN_CEL_FUNCTION_H

#include "common/cel/type.h"

struct cel_machine; /* one evaluation while it runs */

/*
 * Computes a call. The arguments (receiver first) are no errors, and their kinds are those of the overload's signature (anything where
 * it says dyn or a parameter). The result is a value or cel_fail().
 */
typedef struct cel_value cel_function(struct cel_machine *machine, const struct cel_value *arguments,
				      size_t count);

struct cel_overload {
	const char *name; /* of the function: "size", "math.greatest", "_+_" */
	/* "(string,int):string" for name(a, b), "string.(int):string" for a.name(b); types as cel_type_parse reads them, upper-case
	 * letters are type parameters; "(dyn...):dyn" takes any number (at least one) of the type */
	const char *signature;
	cel_function *call;
};

/* One library: its rows end with a NULL name. Several rows may have one name. */
extern const struct cel_overload cel_library_standard[]; /* operators' functions, size, contains, startsWith, conversions … */
extern const struct cel_overload cel_library_time[]; /* getFullYear …, timestamp, duration, their arithmetic */
extern const struct cel_overload
    cel_library_strings[]; /* charAt, indexOf, join, lowerAscii, replace, split, substring, trim, format, quote, reverse */
extern const struct cel_overload cel_library_math[];	  /* math.* */
extern const struct cel_overload cel_library_encoders[];  /* base64.* */
extern const struct cel_overload cel_library_network[];	  /* ip, cidr, isIP … */
extern const struct cel_overload cel_library_optionals[]; /* optional.of, optional.none, orValue, hasValue … */
extern const struct cel_overload cel_library_lists[];	  /* ours: sum, min, max; glob */

/* --- for the functions --- */

/* The error of this call, at its position. text is literal, for people, or NULL. */
struct cel_value cel_fail(struct cel_machine *machine, enum cel_code code, const char *text);
/*
 * Counts units of work: 1 for a step, 0.1 a byte for a pass over a string (cel_charge_bytes). False when the limit or the deadline is
 * reached: return cel_fail(machine, CEL_COST, NULL).
 */
bool cel_charge(struct cel_machine *machine, uint64_t units) CS_MUST_CHECK;
bool cel_charge_bytes(struct cel_machine *machine, size_t bytes) CS_MUST_CHECK;
/* Zeroed memory that lives as long as the result; charged. NULL when the evaluation's memory is used up: cel_fail(machine, CEL_MEMORY, NULL). */
void *cel_take(struct cel_machine *machine, size_t size) CS_MUST_CHECK;
/* A string or bytes may not be longer than this: CEL_MEMORY. */
size_t cel_string_max(const struct cel_machine *machine);

/* A list or a map over items that were taken from the machine (cel_take); CEL_ERROR when memory or keys do not allow it. */
struct cel_value cel_make_list(struct cel_machine *machine, const struct cel_value *items, size_t count);
struct cel_value cel_make_map(struct cel_machine *machine, const struct cel_entry *entries, size_t count);
/* Copies the bytes; a CEL_STRING or an error. */
struct cel_value cel_make_string(struct cel_machine *machine, const char *bytes, size_t length);
struct cel_value cel_make_optional(struct cel_machine *machine, struct cel_value inner);

#endif
