/* SPDX-License-Identifier: Apache-2.0 */
/* library_math.c - the math extension of cel-go, its version 2. Of several equal numbers, also of different types, the first is taken. */
#include "common/cel/function.h"

#include <math.h>

/* --- least and greatest --- */

static bool
is_number(struct cel_value value)
{
	return value.kind == CEL_INT || value.kind == CEL_UINT || value.kind == CEL_DOUBLE;
}

/* The first that no other is ahead of. A NaN cannot be compared; alone it is what it is. */
static struct cel_value
extreme(struct cel_machine *machine, const struct cel_value *items, size_t count, int ahead)
{
	struct cel_value best;
	int order;

	if (count == 0)
		return cel_fail(machine, CEL_RANGE, "an empty list has no least or greatest number");
	if (!cel_charge(machine, count))
		return cel_fail(machine, CEL_COST, NULL);
	best = items[0];
	for (size_t i = 0; i < count; i++) {
		if (!is_number(items[i]) || !cel_order(items[i], best, &order))
			return cel_fail(machine, CEL_NO_SUCH_OVERLOAD,
					"expected numbers, or one list of numbers");
		if (order == 2 && i > 0)
			return cel_fail(machine, CEL_RANGE, "NaN is neither less nor greater than a number");
		if (order == ahead)
			best = items[i];
	}
	return best;
}

static struct cel_value
extreme_of(struct cel_machine *machine, const struct cel_value *arguments, size_t count, int ahead)
{
	if (count == 1 && arguments[0].kind == CEL_LIST)
		return extreme(machine, arguments[0].as.list->items, arguments[0].as.list->count, ahead);
	return extreme(machine, arguments, count, ahead);
}

static struct cel_value
least(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return extreme_of(machine, arguments, count, -1);
}

static struct cel_value
greatest(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	return extreme_of(machine, arguments, count, 1);
}

/* --- rounding, and what a double is --- */

static struct cel_value
math_ceil(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double(ceil(arguments[0].as.real));
}

static struct cel_value
math_floor(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double(floor(arguments[0].as.real));
}

/* Halves away from zero. */
static struct cel_value
math_round(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double(round(arguments[0].as.real));
}

static struct cel_value
math_trunc(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_double(trunc(arguments[0].as.real));
}

static struct cel_value
is_nan(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(isnan(arguments[0].as.real));
}

static struct cel_value
is_inf(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(isinf(arguments[0].as.real));
}

static struct cel_value
is_finite(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(isfinite(arguments[0].as.real));
}

static struct cel_value
square_root(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_value value = arguments[0];

	(void)machine;
	(void)count;
	if (value.kind == CEL_INT)
		return cel_double(sqrt((double)value.as.integer));
	return cel_double(sqrt(value.kind == CEL_UINT ? (double)value.as.natural : value.as.real));
}

/* --- size and sign --- */

static struct cel_value
absolute(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_value value = arguments[0];

	(void)count;
	if (value.kind == CEL_DOUBLE)
		return cel_double(fabs(value.as.real));
	if (value.kind == CEL_UINT || value.as.integer >= 0)
		return value;
	if (value.as.integer == INT64_MIN)
		return cel_fail(machine, CEL_OVERFLOW, "the least int has no positive counterpart");
	return cel_int(-value.as.integer);
}

/* -1, 0 or 1 in the type of the argument; NaN stays NaN. */
static struct cel_value
sign(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_value value = arguments[0];

	(void)machine;
	(void)count;
	if (value.kind == CEL_UINT)
		return cel_uint(value.as.natural > 0);
	if (value.kind == CEL_INT)
		return cel_int((value.as.integer > 0) - (value.as.integer < 0));
	if (isnan(value.as.real))
		return value;
	return cel_double((value.as.real > 0) - (value.as.real < 0));
}

/* --- bits: an int is its two's complement --- */

static uint64_t
bits_of(struct cel_value value)
{
	return value.kind == CEL_INT ? (uint64_t)value.as.integer : value.as.natural;
}

static struct cel_value
of_bits(uint8_t kind, uint64_t bits)
{
	return kind == CEL_INT ? cel_int((int64_t)bits) : cel_uint(bits);
}

static struct cel_value
bit_and(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return of_bits(arguments[0].kind, bits_of(arguments[0]) & bits_of(arguments[1]));
}

static struct cel_value
bit_or(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return of_bits(arguments[0].kind, bits_of(arguments[0]) | bits_of(arguments[1]));
}

static struct cel_value
bit_xor(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return of_bits(arguments[0].kind, bits_of(arguments[0]) ^ bits_of(arguments[1]));
}

static struct cel_value
bit_not(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return of_bits(arguments[0].kind, ~bits_of(arguments[0]));
}

/* By 64 and more nothing is left; zeros come in from both sides. */
static struct cel_value
shift(struct cel_machine *machine, const struct cel_value *arguments, bool left)
{
	int64_t by = arguments[1].as.integer;
	uint64_t bits = bits_of(arguments[0]);

	if (by < 0)
		return cel_fail(machine, CEL_RANGE, "bits cannot be shifted by a negative number");
	if (by >= 64)
		return of_bits(arguments[0].kind, 0);
	return of_bits(arguments[0].kind, left ? bits << by : bits >> by);
}

static struct cel_value
bit_shift_left(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return shift(machine, arguments, true);
}

static struct cel_value
bit_shift_right(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return shift(machine, arguments, false);
}

const struct cel_overload cel_library_math[] = {
    {"math.least", "(list<int>):int", least},
    {"math.least", "(list<uint>):uint", least},
    {"math.least", "(list<double>):double", least},
    {"math.least", "(int):int", least},
    {"math.least", "(uint):uint", least},
    {"math.least", "(double):double", least},
    {"math.least", "(int,int):int", least},
    {"math.least", "(int,uint):dyn", least},
    {"math.least", "(int,double):dyn", least},
    {"math.least", "(uint,int):dyn", least},
    {"math.least", "(uint,uint):uint", least},
    {"math.least", "(uint,double):dyn", least},
    {"math.least", "(double,int):dyn", least},
    {"math.least", "(double,uint):dyn", least},
    {"math.least", "(double,double):double", least},
    {"math.least", "(dyn,dyn,dyn...):dyn", least},
    {"math.greatest", "(list<int>):int", greatest},
    {"math.greatest", "(list<uint>):uint", greatest},
    {"math.greatest", "(list<double>):double", greatest},
    {"math.greatest", "(int):int", greatest},
    {"math.greatest", "(uint):uint", greatest},
    {"math.greatest", "(double):double", greatest},
    {"math.greatest", "(int,int):int", greatest},
    {"math.greatest", "(int,uint):dyn", greatest},
    {"math.greatest", "(int,double):dyn", greatest},
    {"math.greatest", "(uint,int):dyn", greatest},
    {"math.greatest", "(uint,uint):uint", greatest},
    {"math.greatest", "(uint,double):dyn", greatest},
    {"math.greatest", "(double,int):dyn", greatest},
    {"math.greatest", "(double,uint):dyn", greatest},
    {"math.greatest", "(double,double):double", greatest},
    {"math.greatest", "(dyn,dyn,dyn...):dyn", greatest},
    {"math.ceil", "(double):double", math_ceil},
    {"math.floor", "(double):double", math_floor},
    {"math.round", "(double):double", math_round},
    {"math.trunc", "(double):double", math_trunc},
    {"math.isNaN", "(double):bool", is_nan},
    {"math.isInf", "(double):bool", is_inf},
    {"math.isFinite", "(double):bool", is_finite},
    {"math.sqrt", "(double):double", square_root},
    {"math.sqrt", "(int):double", square_root},
    {"math.sqrt", "(uint):double", square_root},
    {"math.abs", "(int):int", absolute},
    {"math.abs", "(uint):uint", absolute},
    {"math.abs", "(double):double", absolute},
    {"math.sign", "(int):int", sign},
    {"math.sign", "(uint):uint", sign},
    {"math.sign", "(double):double", sign},
    {"math.bitAnd", "(int,int):int", bit_and},
    {"math.bitAnd", "(uint,uint):uint", bit_and},
    {"math.bitOr", "(int,int):int", bit_or},
    {"math.bitOr", "(uint,uint):uint", bit_or},
    {"math.bitXor", "(int,int):int", bit_xor},
    {"math.bitXor", "(uint,uint):uint", bit_xor},
    {"math.bitNot", "(int):int", bit_not},
    {"math.bitNot", "(uint):uint", bit_not},
    {"math.bitShiftLeft", "(int,int):int", bit_shift_left},
    {"math.bitShiftLeft", "(uint,int):uint", bit_shift_left},
    {"math.bitShiftRight", "(int,int):int", bit_shift_right},
    {"math.bitShiftRight", "(uint,int):uint", bit_shift_right},
    {0},
};
