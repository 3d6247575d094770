/* SPDX-License-Identifier: Apache-2.0 */
/* activation.c - bytes to values of the variables of expression.h. */
#include "tests/fuzz/expression.h"
#include "tests/fuzz/fuzz.h"

static struct cel_value
some_int(struct choices *choices)
{
	static const int64_t pool[] = {0,	  1,	    -1, 2, 3, 5, 64, 1000, INT64_C(9007199254740993),
				       INT64_MAX, INT64_MIN};

	return cel_int(pool[choose(choices, COUNT_OF(pool))]);
}

static struct cel_value
some_string(struct choices *choices)
{
	static const char *const pool[] = {
	    "",
	    "a",
	    "b",
	    "abc",
	    "ABC",
	    "\xc3\xa9",
	    "1",
	    "-5",
	    "1.5",
	    "true",
	    "90s",
	    "2024-02-29T00:00:00Z",
	    "192.0.2.1",
	    " x ",
	    "%d %s",
	    "a,b,c",
	    "(",
	    "[a-c]+",
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	const char *text = pool[choose(choices, COUNT_OF(pool))];

	return cel_string(text, strlen(text));
}

static struct cel_value
some_list(struct arena *arena, struct choices *choices, struct cel_value (*item)(struct choices *))
{
	size_t count = choose(choices, 5);
	struct cel_value *items = arena_take_array(arena, count + 1, sizeof *items);

	for (size_t i = 0; i < count; i++)
		items[i] = item(choices);
	return cel_list(arena, items, count);
}

static struct cel_value
some_map(struct arena *arena, struct choices *choices)
{
	static const char *const keys[] = {"a", "b", "abc", ""};
	size_t count = choose(choices, COUNT_OF(keys) + 1);
	struct cel_entry *entries = arena_take_array(arena, count + 1, sizeof *entries);

	for (size_t i = 0; i < count; i++)
		entries[i] = (struct cel_entry){cel_string(keys[i], strlen(keys[i])), some_int(choices)};
	return cel_map(arena, entries, count);
}

static struct cel_value
some_double(struct choices *choices)
{
	static const double pool[] = {0.0, -0.0,      1.0,	-1.5, 1e300, 9007199254740993.0,
				      0.1, 1.0 / 0.0, 0.0 / 0.0};

	return cel_double(pool[choose(choices, COUNT_OF(pool))]);
}

static struct cel_value
some_dyn(struct arena *arena, struct choices *choices)
{
	switch (choose(choices, 8)) {
	case 0:
		return cel_null();
	case 1:
		return some_int(choices);
	case 2:
		return some_double(choices);
	case 3:
		return some_string(choices);
	case 4:
		return some_list(arena, choices, some_double);
	case 5:
		return cel_uint(choose(choices, 4));
	case 6:
		return cel_bool(true);
	default:
		return some_map(arena, choices);
	}
}

void
expression_activate(struct arena *arena, struct choices *choices, struct cel_value values[EXPRESSION_VARIABLES])
{
	static const int64_t times[] = {0, 1709251199, -62135596800, 253402300799};
	static const int64_t spans[] = {0, 1, -1500000000, INT64_C(3600000000000), INT64_MAX, INT64_MIN};
	struct cel_value *inner = arena_take(arena, sizeof *inner), bytes = some_string(choices);

	*inner = some_int(choices);
	bytes.kind = CEL_BYTES;
	bytes.extra = bytes.extra < 16 ? bytes.extra : 16;
	values[0] = cel_bool(choose(choices, 2));
	values[1] = some_int(choices);
	values[2] = cel_uint(choose(choices, 2) ? UINT64_MAX : choose(choices, 5));
	values[3] = some_double(choices);
	values[4] = some_string(choices);
	values[5] = bytes;
	values[6] = cel_timestamp(times[choose(choices, COUNT_OF(times))], choose(choices, 2) ? 999999999 : 0);
	values[7] = cel_duration(spans[choose(choices, COUNT_OF(spans))]);
	values[8] = some_list(arena, choices, some_int);
	values[9] = some_list(arena, choices, some_string);
	values[10] = some_map(arena, choices);
	values[11] = (struct cel_value){.kind = CEL_OPTIONAL, .as.optional = choose(choices, 2) ? inner : NULL};
	values[12] = some_dyn(arena, choices);
	values[13] = some_int(choices);
	values[14] = cel_null();
}
