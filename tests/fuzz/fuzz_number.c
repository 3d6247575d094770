/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_number.c - eight bytes as a double, and the whole input as the text of a number. A double is written as the fewest
 * digits that read back as it, and they are read back as it by our reader; a number that is read is the one that is meant.
 */
#include "common/canonical/canonical.h"
#include "common/message/json.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct value *
read(struct arena *arena, const char *number, struct error *error)
{
	const char *text = arena_format(arena, "[%s]", number);
	const struct value *list = json_parse(arena, text, strlen(text), &json_limits_request, error);

	return list && list->as.list.count == 1 ? list->as.list.items[0] : NULL;
}

static int
digits(const char *text)
{
	int count = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text < '0' || *text > '9' || (*text == '0' && count == 0))
			continue;
		zeros = *text == '0' ? zeros + 1 : 0;
		count++;
	}
	return count - zeros;
}

static double
double_of(const struct value *value)
{
	return value->kind == VALUE_INT ? (double)value->as.integer : value->as.real;
}

static void
check_double(struct arena *arena, double number)
{
	char text[CANONICAL_NUMBER_SIZE], shorter[40];
	struct error error = {0};

	canonical_number(text, number);
	assert(strtod(text, NULL) == number && (number != 0 || strcmp(text, "0") == 0));
	for (int precision = 1; precision < digits(text); precision++) {
		snprintf(shorter, sizeof shorter, "%.*e", precision - 1, number);
		assert(strtod(shorter, NULL) != number);
	}

	const struct value *value = read(arena, text, &error);

	if (!value)
		assert(strcmp(error.code, "number_range") == 0 && fabs(number) >= 0x1p53 && fabs(number) < 1e21);
	else
		assert(double_of(value) == number);
}

static void
check_text(struct arena *arena, const char *number)
{
	struct error error = {0};
	const struct value *value =
	    number[strspn(number, "0123456789+-.eE")] ? NULL : read(arena, number, &error);

	if (!value)
		return;
	assert(value->kind == VALUE_INT || value->kind == VALUE_REAL);
	assert(double_of(value) == strtod(number, NULL) && isfinite(double_of(value)));
	assert((double_of(value) == 0)
	       == (number[strcspn(number, "123456789eE")] == '\0'
		   || strchr("eE", number[strcspn(number, "123456789eE")])));

	struct text text = fuzz_canonical(arena, value);
	const struct value *again = read(arena, text.bytes, &error);

	assert(again && value_equal(value, again));
}

int
FUZZ_TARGET(number)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	const char *text = fuzz_string(arena, bytes, length);
	double number;

	for (size_t at = 0; at + sizeof number <= length && at < 4 * sizeof number; at += sizeof number) {
		memcpy(&number, bytes + at, sizeof number);
		if (isfinite(number))
			check_double(arena, number);
	}
	if (text)
		check_text(arena, text);
	arena_close(arena);
	return 0;
}
