/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - one character of UTF-8 at a time, well-formed by the Unicode Standard's table 3-7. Pure. */
#include "common/value/value.h"

/* How long a character with this first byte is; 0 for bytes that start none. */
static size_t
length_by_lead(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xC2 || lead > 0xF4)
		return 0;
	return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static bool
is_scalar_of_length(uint32_t point, size_t length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	return point >= least[length] && point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
}

size_t
value_utf8_decode(const char *bytes, size_t length, uint32_t *point)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t wanted = length ? length_by_lead(at[0]) : 0;

	if (wanted == 0 || wanted > length)
		return 0;

	uint32_t read = wanted == 1 ? at[0] : at[0] & (0x7Fu >> wanted);

	for (size_t i = 1; i < wanted; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		read = read << 6 | (at[i] & 0x3Fu);
	}
	if (!is_scalar_of_length(read, wanted))
		return 0;
	*point = read;
	return wanted;
}
