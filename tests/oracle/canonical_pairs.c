/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical_pairs.c - canonical_pairs SEED COUNT: random documents, one a line: plain JSON with its members shuffled, a tab, and
 * our canonical form. Another implementation reads the first half and must come to the second.
 */
#include "common/canonical/canonical.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4, ITEMS_MAX = 7, TEXT_MAX = 12, FIRST_EXPONENT = -1074, LAST_EXPONENT = 1023 };

static uint64_t random_state;

/* splitmix64 */
static uint64_t
random_bits(void)
{
	uint64_t bits = random_state += 0x9E3779B97F4A7C15;

	bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
	bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
	return bits ^ bits >> 31;
}

static unsigned
random_below(unsigned limit)
{
	return (unsigned)(random_bits() % limit);
}

/* A code point of one of the ranges where order, escapes or encoding change; never a surrogate or U+0000. */
static uint32_t
random_point(void)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0x20, 0x7F},     {'a', 'c'},	  {'0', '9'},	      {0x01, 0x1F},
	    {'"', '"'},	      {'\\', '\\'},	  {0x80, 0xFF},	      {0x7F0, 0x810},
	    {0x2020, 0x2040}, {0xD7F0, 0xD7FF},	  {0xE000, 0xE010},   {0xFFF0, 0xFFFF},
	    {0xFB30, 0xFB40}, {0x10000, 0x10010}, {0x1F600, 0x1F640}, {0x10FFF0, 0x10FFFF},
	};
	unsigned i = random_below(sizeof ranges / sizeof *ranges);

	return ranges[i].first + random_below(ranges[i].last - ranges[i].first + 1);
}

static void
put_utf8(struct buffer *out, uint32_t point)
{
	static const unsigned leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
	int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;

	buffer_add_byte(out, (char)((more ? leads[more + 1] : 0) | point >> (6 * more)));
	while (more-- > 0)
		buffer_add_byte(out, (char)(0x80 | (point >> (6 * more) & 0x3F)));
}

static const char *
random_text(struct arena *arena)
{
	struct buffer text = {.arena = arena};

	buffer_add(&text, "", 0);
	for (unsigned length = random_below(TEXT_MAX); length > 0; length--)
		put_utf8(&text, random_point());
	return text.bytes;
}

/* Any bit pattern that is finite: all exponents are equally likely. */
static double
random_double(void)
{
	double number;

	do {
		uint64_t bits = random_bits();

		memcpy(&number, &bits, sizeof number);
	} while (!isfinite(number));
	return number;
}

/* A whole number times a power of ten: what people write. */
static double
random_decimal(void)
{
	double whole = (double)(int64_t)(random_bits() >> (11 + random_below(50)));
	double number = whole * pow(10, (double)random_below(30) - 25);

	return random_below(2) ? number : -number;
}

static double
random_power_of_two(void)
{
	return ldexp(1, FIRST_EXPONENT + (int)random_below(LAST_EXPONENT - FIRST_EXPONENT + 1));
}

/* Around the borders of the layouts. */
static double
random_border(void)
{
	static const double borders[] = {
	    1e21, 1e-6, 1e-7, 0x1p53, 1e15, 1e16, 1e20, 2.2250738585072014e-308, 5e-324, 0.0, -0.0};
	double border = borders[random_below(sizeof borders / sizeof *borders)];

	for (unsigned steps = random_below(4); steps > 0; steps--)
		border = nextafter(border, random_below(2) ? INFINITY : -INFINITY);
	return border;
}

static struct value *
random_number(struct arena *arena)
{
	switch (random_below(6)) {
	case 0:
		return value_int(arena, (int64_t)random_below(2001) - 1000);
	case 1:
		return value_int(arena, (int64_t)(random_bits() >> 11) * (random_below(2) ? 1 : -1));
	case 2:
		return value_real(arena, random_double());
	case 3:
		return value_real(arena, random_decimal());
	case 4:
		return value_real(arena, random_power_of_two());
	default:
		return value_real(arena, random_border());
	}
}

static struct value *random_value(struct arena *arena, unsigned depth);

static struct value *
random_list(struct arena *arena, unsigned depth)
{
	struct value *list = value_list(arena);

	for (unsigned count = random_below(ITEMS_MAX); count > 0; count--)
		value_append(arena, list, random_value(arena, depth + 1));
	return list;
}

static struct value *
random_map(struct arena *arena, unsigned depth)
{
	struct value *map = value_map(arena);

	for (unsigned count = random_below(2 * ITEMS_MAX); count > 0; count--) {
		const char *name = random_text(arena);

		if (!value_get(map, name))
			value_set(arena, map, name, random_value(arena, depth + 1));
	}
	return map;
}

static struct value *
random_value(struct arena *arena, unsigned depth)
{
	switch (random_below(depth < DEPTH_MAX ? 9 : 5)) {
	case 0:
		return random_below(2) ? value_null(arena) : value_bool(arena, random_below(2));
	case 1:
		return value_string(arena, random_text(arena));
	case 2:
	case 3:
	case 4:
		return random_number(arena);
	case 5:
	case 6:
		return random_list(arena, depth);
	default:
		return random_map(arena, depth);
	}
}

/* The first documents go through all powers of two with their neighbours, so that no seed misses one. */
static struct value *
document(struct arena *arena, int number)
{
	int exponent = FIRST_EXPONENT + number;
	struct value *list = value_list(arena);

	if (exponent > LAST_EXPONENT)
		return random_value(arena, 0);
	value_append(arena, list, value_real(arena, ldexp(1, exponent)));
	value_append(arena, list, value_real(arena, nextafter(ldexp(1, exponent), 0)));
	value_append(arena, list, value_real(arena, -nextafter(ldexp(1, exponent), INFINITY)));
	value_append(arena, list, random_value(arena, 0));
	return list;
}

/* ------------------------------------------------------------------ the plain text */

static void
print_space(void)
{
	if (random_below(8) == 0)
		putchar(random_below(2) ? ' ' : '\r');
}

static void
print_escaped(uint32_t point)
{
	if (point > 0xFFFF)
		printf("\\u%04X\\u%04x", (unsigned)(0xD800 + ((point - 0x10000) >> 10)),
		       (unsigned)(0xDC00 + (point & 0x3FF)));
	else
		printf("\\u%04x", (unsigned)point);
}

/* Each character as itself where it may stand so, or escaped. */
static void
print_text(struct text text)
{
	uint32_t point = 0;
	size_t taken;

	putchar('"');
	for (size_t at = 0; at < text.length; at += taken) {
		taken = value_utf8_decode(text.bytes + at, text.length - at, &point);
		assert(taken > 0);
		if (point < 0x20 || point == '"' || point == '\\' || random_below(2))
			print_escaped(point);
		else
			fwrite(text.bytes + at, 1, taken, stdout);
	}
	putchar('"');
}

static void print_plain(const struct value *value);

static void
print_list(const struct value *list)
{
	putchar('[');
	for (size_t i = 0; i < list->as.list.count; i++) {
		if (i)
			putchar(',');
		print_plain(list->as.list.items[i]);
	}
	putchar(']');
}

/* In another order every time. */
static void
print_map(const struct value *map)
{
	struct value_member *members = map->as.map.members;

	putchar('{');
	for (size_t left = map->as.map.count; left > 0; left--) {
		size_t i = random_below((unsigned)left);
		struct value_member member = members[i];

		members[i] = members[left - 1];
		members[left - 1] = member;
		print_text(member.name);
		print_space();
		putchar(':');
		print_plain(member.value);
		if (left > 1)
			putchar(',');
	}
	putchar('}');
}

static void
print_plain(const struct value *value)
{
	print_space();
	switch (value->kind) {
	case VALUE_NULL:
		printf("null");
		break;
	case VALUE_BOOL:
		printf(value->as.boolean ? "true" : "false");
		break;
	case VALUE_INT:
		printf("%" PRId64, value->as.integer);
		break;
	case VALUE_REAL:
		printf("%.17g", value->as.real);
		break;
	case VALUE_STRING:
		print_text(value->as.string);
		break;
	case VALUE_LIST:
		print_list(value);
		break;
	case VALUE_MAP:
		print_map(value);
		break;
	}
	print_space();
}

static bool
print_pair(struct arena *arena, int number)
{
	struct value *value = document(arena, number);
	struct buffer canonical = {.arena = arena};
	struct error error = {0};

	print_plain(value);
	if (!canonical_format(&canonical, value, &error)) {
		fprintf(stderr, "document %d: %s: %s\n", number, error.field, error.text);
		return false;
	}
	printf("\t%s\n", canonical.bytes);
	return true;
}

int
main(int argc, char **argv)
{
	struct arena *arena = arena_open();
	bool ok = argc == 3;

	if (!ok)
		fprintf(stderr, "usage: canonical_pairs SEED COUNT\n");
	else
		random_state = strtoull(argv[1], NULL, 10);
	for (int number = 0; ok && number < atoi(argv[2]); number++) {
		ok = print_pair(arena, number);
		arena_reset(arena);
	}
	arena_close(arena);
	return ok ? 0 : 1;
}
