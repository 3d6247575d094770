/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - Internet addresses and networks from text and back. */
#include "common/cel/address.h"

#include <stdio.h>
#include <string.h>

enum { GROUPS = 8 };

/* What is left to be read. */
struct text {
	const char *at, *end;
};

static bool
next_is(struct text *text, char byte)
{
	if (text->at == text->end || *text->at != byte)
		return false;
	text->at++;
	return true;
}

/* A decimal number without leading zeros. */
static bool
read_decimal(struct text *text, unsigned most, unsigned *number)
{
	const char *start = text->at;

	*number = 0;
	while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
		*number = *number * 10 + (unsigned)(*text->at++ - '0');
		if (*number > most)
			return false;
	}
	return text->at > start && (*start != '0' || text->at == start + 1);
}

static bool
read_dotted(struct text *text, uint8_t bytes[4])
{
	unsigned number;

	for (int i = 0; i < 4; i++) {
		if ((i > 0 && !next_is(text, '.')) || !read_decimal(text, 255, &number))
			return false;
		bytes[i] = (uint8_t)number;
	}
	return text->at == text->end;
}

static int
hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* One to four hexadecimal digits. */
static bool
read_group(struct text *text, uint8_t bytes[2])
{
	unsigned number = 0;
	int digits = 0;

	for (; text->at < text->end && hex_value(*text->at) >= 0; text->at++, digits++) {
		if (digits == 4)
			return false;
		number = number << 4 | (unsigned)hex_value(*text->at);
	}
	bytes[0] = (uint8_t)(number >> 8);
	bytes[1] = (uint8_t)number;
	return digits > 0;
}

/* Are the next characters, up to the end, an IPv4 address? */
static bool
ends_dotted(const struct text *text)
{
	const char *colon = memchr(text->at, ':', (size_t)(text->end - text->at));

	return !colon && memchr(text->at, '.', (size_t)(text->end - text->at));
}

/* The groups as they stand, and how many of their bytes stand before a "::" (-1: there is none). */
struct groups {
	uint8_t bytes[16];
	size_t length;
	ptrdiff_t gap;
	bool dotted;
};

static bool
read_groups(struct text *text, struct groups *groups)
{
	*groups = (struct groups){.gap = -1};
	if (text->end - text->at >= 2 && text->at[0] == ':' && text->at[1] == ':') {
		text->at += 2;
		groups->gap = 0;
	}
	while (text->at < text->end) {
		if (groups->length <= 12 && ends_dotted(text)) {
			groups->dotted = true;
			groups->length += 4;
			return read_dotted(text, groups->bytes + groups->length - 4);
		}
		if (groups->length == 16 || !read_group(text, groups->bytes + groups->length))
			return false;
		groups->length += 2;
		if (text->at == text->end)
			return true;
		if (!next_is(text, ':') || text->at == text->end)
			return false;
		if (*text->at == ':') {
			if (groups->gap >= 0)
				return false;
			groups->gap = (ptrdiff_t)groups->length;
			text->at++;
		}
	}
	return true;
}

/* A "::" stands for one group of zeros or more. */
static bool
read_long(struct text *text, struct cel_address *address, bool *dotted)
{
	struct groups groups;
	size_t before, after;

	if (!read_groups(text, &groups) || (groups.gap < 0 ? groups.length != 16 : groups.length > 14))
		return false;
	before = groups.gap < 0 ? 16 : (size_t)groups.gap;
	after = groups.gap < 0 ? 0 : groups.length - before;
	*address = (struct cel_address){.length = 16};
	memcpy(address->bytes, groups.bytes, before);
	memcpy(address->bytes + 16 - after, groups.bytes + before, after);
	*dotted = groups.dotted;
	return true;
}

static bool
is_mapped(const struct cel_address *address)
{
	static const uint8_t prefix[12] = {[10] = 0xFF, [11] = 0xFF};

	return address->length == 16 && memcmp(address->bytes, prefix, sizeof prefix) == 0;
}

bool
cel_address_parse(const char *bytes, size_t length, struct cel_address *address)
{
	struct text text = {bytes, bytes + length};
	struct cel_address read = {.length = 4};
	bool dotted = false;

	if (length == 0 || length >= CEL_ADDRESS_TEXT_SIZE)
		return false;
	if (!memchr(bytes, ':', length)) {
		if (!read_dotted(&text, read.bytes))
			return false;
	} else if (!read_long(&text, &read, &dotted)) {
		return false;
	}
	if (is_mapped(&read)) {
		if (dotted)
			return false;
		memmove(read.bytes, read.bytes + 12, 4);
		memset(read.bytes + 4, 0, 12);
		read.length = 4;
	}
	*address = read;
	return true;
}

bool
cel_network_parse(const char *bytes, size_t length, struct cel_address *network)
{
	const char *slash = length ? memchr(bytes, '/', length) : NULL;
	struct text text = {slash ? slash + 1 : bytes, bytes + length};
	struct cel_address read;
	unsigned prefix;

	if (!slash || !cel_address_parse(bytes, (size_t)(slash - bytes), &read)
	    || (read.length == 4 && memchr(bytes, ':', (size_t)(slash - bytes)))
	    || !read_decimal(&text, read.length * 8U, &prefix) || text.at != text.end)
		return false;
	*network = read;
	network->prefix = (uint8_t)prefix;
	return true;
}

static unsigned
group(const struct cel_address *address, int index)
{
	return (unsigned)address->bytes[index * 2] << 8 | address->bytes[index * 2 + 1];
}

/* The first of the longest runs of two zero groups or more; its length is 0 when there is none. */
static int
longest_gap(const struct cel_address *address, int *first)
{
	int longest = 1, run;

	*first = GROUPS;
	for (int i = 0; i < GROUPS; i += run + 1) {
		for (run = 0; i + run < GROUPS && group(address, i + run) == 0; run++)
			;
		if (run > longest) {
			longest = run;
			*first = i;
		}
	}
	return *first < GROUPS ? longest : 0;
}

size_t
cel_address_text(const struct cel_address *address, char text[CEL_ADDRESS_TEXT_SIZE])
{
	const uint8_t *b = address->bytes;
	int first, gap, length = 0;

	if (address->length == 4)
		return (size_t)snprintf(text, CEL_ADDRESS_TEXT_SIZE, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
	gap = longest_gap(address, &first);
	text[0] = '\0';
	for (int i = 0; i < GROUPS; i++) {
		if (gap > 0 && i == first) {
			text[length++] = ':';
			i += gap - 1;
			if (i == GROUPS - 1)
				text[length++] = ':';
			continue;
		}
		length += snprintf(text + length, (size_t)(CEL_ADDRESS_TEXT_SIZE - length), "%s%x",
				   i > 0 ? ":" : "", group(address, i));
	}
	text[length] = '\0';
	return (size_t)length;
}

size_t
cel_network_text(const struct cel_address *network, char text[CEL_ADDRESS_TEXT_SIZE])
{
	size_t length = cel_address_text(network, text);

	return length + (size_t)snprintf(text + length, CEL_ADDRESS_TEXT_SIZE - length, "/%u", network->prefix);
}

bool
cel_address_matches(const struct cel_address *left, const struct cel_address *right, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return memcmp(left->bytes, right->bytes, whole) == 0
	       && (rest == 0 || (left->bytes[whole] ^ right->bytes[whole]) >> (8 - rest) == 0);
}

struct cel_address
cel_network_masked(const struct cel_address *network)
{
	struct cel_address masked = *network;

	for (unsigned bit = network->prefix; bit < network->length * 8U; bit++)
		masked.bytes[bit / 8] &= (uint8_t)~(0x80U >> bit % 8);
	return masked;
}
