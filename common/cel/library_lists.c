/* SPDX-License-Identifier: Apache-2.0 */
/* library_lists.c - our own few: sum, least and greatest of a list, which Kubernetes has too, and glob. */
#include "common/cel/text.h"

#include <string.h>

/* --- lists --- */

static struct cel_value
add(struct cel_machine *machine, struct cel_value left, struct cel_value right)
{
	struct cel_value sum = left;

	if (left.kind != right.kind)
		return cel_fail(machine, CEL_NO_SUCH_OVERLOAD, "sum takes items of one type");
	if (left.kind == CEL_DOUBLE)
		return cel_double(left.as.real + right.as.real);
	if (left.kind == CEL_UINT ? __builtin_add_overflow(left.as.natural, right.as.natural, &sum.as.natural)
				  : __builtin_add_overflow(left.as.integer, right.as.integer, &sum.as.integer))
		return cel_fail(machine, left.kind == CEL_DURATION ? CEL_RANGE : CEL_OVERFLOW,
				"the sum is too large");
	return sum;
}

static bool
can_be_added(struct cel_value value)
{
	return value.kind == CEL_INT || value.kind == CEL_UINT || value.kind == CEL_DOUBLE
	       || value.kind == CEL_DURATION;
}

static struct cel_value
sum_from(struct cel_machine *machine, const struct cel_list *list, struct cel_value zero)
{
	struct cel_value total;

	if (!cel_charge(machine, list->count))
		return cel_fail(machine, CEL_COST, NULL);
	if (list->count == 0)
		return zero;
	total = list->items[0];
	if (!can_be_added(total))
		return cel_fail(machine, CEL_NO_SUCH_OVERLOAD,
				"sum takes a list of int, uint, double or duration");
	for (size_t i = 1; i < list->count && total.kind != CEL_ERROR; i++)
		total = add(machine, total, list->items[i]);
	return total;
}

/* Of an empty list the int 0: at run time nothing is known of its items. */
static struct cel_value
sum(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return sum_from(machine, arguments[0].as.list, cel_int(0));
}

/* What the compiler makes of sum() when the type of the items is known: the sum of an empty list is a zero of that type. */
static struct cel_value
sum_of_type(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return sum_from(machine, arguments[0].as.list, arguments[1]);
}

static struct cel_value
extreme(struct cel_machine *machine, const struct cel_list *list, int ahead)
{
	struct cel_value best;
	int order;

	if (!cel_charge(machine, list->count))
		return cel_fail(machine, CEL_COST, NULL);
	if (list->count == 0)
		return cel_fail(machine, CEL_RANGE, "an empty list has no least or greatest item");
	best = list->items[0];
	for (size_t i = 0; i < list->count; i++) {
		if (!can_be_added(list->items[i]) || !cel_order(list->items[i], best, &order))
			return cel_fail(machine, CEL_NO_SUCH_OVERLOAD,
					"min and max take a list of numbers, or of durations");
		if (order == 2 && i > 0)
			return cel_fail(machine, CEL_RANGE, "NaN is neither less nor greater than a number");
		if (order == ahead)
			best = list->items[i];
	}
	return best;
}

static struct cel_value
min(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return extreme(machine, arguments[0].as.list, -1);
}

static struct cel_value
max(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return extreme(machine, arguments[0].as.list, 1);
}

/* --- glob --- */

enum { PATTERN_MAX = 255, WORDS = (PATTERN_MAX + 64) / 64 };

/*
 * All places in the pattern at once: bit i of a set says that the text so far can be what stands before the pattern's i-th byte, stars not
 * counted. So the time is that of one look at each byte of the text, whatever the pattern is.
 */
struct places {
	uint64_t words[WORDS];
};

struct glob {
	struct places bytes[256]; /* the places at which this byte goes on */
	struct places any;	  /* the places of question marks: any character goes on */
	struct places stars;	  /* the places behind a star, where any byte may follow */
	struct places questions; /* the places behind a question mark, where the rest of its character's bytes follow */
	size_t count, words;
};

static void
set(struct places *places, size_t place)
{
	places->words[place / 64] |= UINT64_C(1) << place % 64;
}

static bool
begins_point(unsigned byte)
{
	return (byte & 0xC0) != 0x80;
}

static void
read_pattern(struct glob *glob, struct cel_text pattern)
{
	memset(glob, 0, sizeof *glob);
	for (size_t i = 0; i < pattern.length; i++) {
		unsigned char byte = (unsigned char)pattern.bytes[i];

		if (byte == '*') {
			set(&glob->stars, glob->count);
			continue;
		}
		if (byte == '?')
			set(&glob->questions, glob->count + 1);
		set(byte == '?' ? &glob->any : &glob->bytes[byte], glob->count);
		glob->count++;
	}
	glob->words = glob->count / 64 + 1;
}

static bool
matches(const struct glob *glob, struct cel_text text)
{
	struct places now = {{1}};

	for (size_t i = 0; i < text.length; i++) {
		unsigned char byte = (unsigned char)text.bytes[i];
		const struct places *go_on = &glob->bytes[byte];
		uint64_t carry = 0, alive = 0;

		for (size_t word = 0; word < glob->words; word++) {
			uint64_t old = now.words[word], stay = glob->stars.words[word],
				 go = go_on->words[word], moved;

			if (begins_point(byte))
				go |= glob->any.words[word];
			else
				stay |= glob->questions.words[word];
			moved = old & go;
			now.words[word] = moved << 1 | carry | (old & stay);
			carry = moved >> 63;
			alive |= now.words[word];
		}
		if (alive == 0)
			return false;
	}
	return now.words[glob->count / 64] >> glob->count % 64 & 1;
}

/* Is the whole text what the pattern says? A star is any run of characters, none too, a question mark one, anything else itself. */
static struct cel_value
glob(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]), pattern = cel_text_of(arguments[1]);
	struct glob compiled;

	(void)count;
	if (pattern.length > PATTERN_MAX)
		return cel_fail(machine, CEL_RANGE, "a pattern has at most 255 bytes");
	if (!cel_charge_bytes(machine, text.length + pattern.length))
		return cel_fail(machine, CEL_COST, NULL);
	read_pattern(&compiled, pattern);
	return cel_bool(matches(&compiled, text));
}

const struct cel_overload cel_library_lists[] = {
    {"sum", "list<int>.():int", sum},
    {"sum", "list<uint>.():uint", sum},
    {"sum", "list<double>.():double", sum},
    {"sum", "list<duration>.():duration", sum},
    {"@sum", "list<dyn>.(dyn):dyn", sum_of_type},
    {"min", "list<int>.():int", min},
    {"min", "list<uint>.():uint", min},
    {"min", "list<double>.():double", min},
    {"min", "list<duration>.():duration", min},
    {"max", "list<int>.():int", max},
    {"max", "list<uint>.():uint", max},
    {"max", "list<double>.():double", max},
    {"max", "list<duration>.():duration", max},
    {"glob", "(string,string):bool", glob},
    {0},
};
