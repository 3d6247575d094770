/* SPDX-License-Identifier: Apache-2.0 */
/* library_operator.c - arithmetic: integers that do not fit are errors, doubles follow IEEE 754. */
#include "common/cel/library_standard.h"

static struct cel_value
overflow(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_OVERFLOW, NULL);
}

static struct cel_value
by_zero(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_DIVISION_BY_ZERO, NULL);
}

/* Two operands of one member of the union, checked by the compiler's arithmetic. */
#define CHECKED(NAME, MEMBER, TYPE, MAKE, BUILTIN)                                                            \
	struct cel_value NAME(struct cel_machine *machine, const struct cel_value *arguments, size_t count) { \
		TYPE result;                                                                                  \
                                                                                                              \
		(void)count;                                                                                  \
		if (BUILTIN(arguments[0].as.MEMBER, arguments[1].as.MEMBER, &result))                         \
			return overflow(machine);                                                             \
		return MAKE(result);                                                                          \
	}

CHECKED(cel_int_add, integer, int64_t, cel_int, __builtin_add_overflow)
CHECKED(cel_int_subtract, integer, int64_t, cel_int, __builtin_sub_overflow)
CHECKED(cel_int_multiply, integer, int64_t, cel_int, __builtin_mul_overflow)
CHECKED(cel_uint_add, natural, uint64_t, cel_uint, __builtin_add_overflow)
CHECKED(cel_uint_subtract, natural, uint64_t, cel_uint, __builtin_sub_overflow)
CHECKED(cel_uint_multiply, natural, uint64_t, cel_uint, __builtin_mul_overflow)

struct cel_value
cel_int_negate(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return arguments[0].as.integer == INT64_MIN ? overflow(machine) : cel_int(-arguments[0].as.integer);
}

struct cel_value
cel_int_divide(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	int64_t left = arguments[0].as.integer, right = arguments[1].as.integer;

	(void)count;
	if (right == 0)
		return by_zero(machine);
	if (left == INT64_MIN && right == -1)
		return overflow(machine);
	return cel_int(left / right);
}

struct cel_value
cel_int_modulo(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	int64_t left = arguments[0].as.integer, right = arguments[1].as.integer;

	(void)count;
	if (right == 0)
		return by_zero(machine);
	if (left == INT64_MIN && right == -1)
		return overflow(machine);
	return cel_int(left % right);
}

struct cel_value
cel_uint_divide(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (arguments[1].as.natural == 0)
		return by_zero(machine);
	return cel_uint(arguments[0].as.natural / arguments[1].as.natural);
}

struct cel_value
cel_uint_modulo(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (arguments[1].as.natural == 0)
		return by_zero(machine);
	return cel_uint(arguments[0].as.natural % arguments[1].as.natural);
}

struct cel_value
cel_double_negate(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double(-arguments[0].as.real);
}

#define REAL(NAME, OPERATOR)                                                                                  \
	struct cel_value NAME(struct cel_machine *machine, const struct cel_value *arguments, size_t count) { \
		(void)machine;                                                                                \
		(void)count;                                                                                  \
		return cel_double(arguments[0].as.real OPERATOR arguments[1].as.real);                        \
	}

REAL(cel_double_add, +)
REAL(cel_double_subtract, -)
REAL(cel_double_multiply, *)

/* C leaves a division by zero open, IEEE 754 does not: infinity, or no number at all. */
struct cel_value
cel_double_divide(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	double left = arguments[0].as.real, right = arguments[1].as.real;

	(void)machine;
	(void)count;
	if (right != 0)
		return cel_double(left / right);
	if (left == 0 || left != left)
		return cel_double(__builtin_nan(""));
	return cel_double(
	    __builtin_copysign(__builtin_inf(), __builtin_copysign(1, left) * __builtin_copysign(1, right)));
}
