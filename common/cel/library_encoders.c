/* SPDX-License-Identifier: Apache-2.0 */
/* library_encoders.c - the encoders extension of cel-go: base64 (RFC 4648, 4). */
#include "common/cel/text.h"

static struct cel_value
encode(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *bytes = (const unsigned char *)arguments[0].as.bytes;
	size_t length = arguments[0].extra, text_length = (length + 2) / 3 * 4;
	char *text;

	(void)count;
	if (!cel_charge_bytes(machine, length) || !cel_charge_bytes(machine, text_length))
		return cel_fail(machine, CEL_COST, NULL);
	text = text_length <= cel_string_max(machine) ? cel_take(machine, text_length) : NULL;
	if (!text)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0, at = 0; i < length; i += 3, at += 4) {
		size_t have = length - i < 3 ? length - i : 3;
		uint32_t bits = (uint32_t)bytes[i] << 16;

		bits |= have > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
		bits |= have > 2 ? bytes[i + 2] : 0;
		text[at] = digits[bits >> 18];
		text[at + 1] = digits[bits >> 12 & 63];
		text[at + 2] = have > 1 ? digits[bits >> 6 & 63] : '=';
		text[at + 3] = have > 2 ? digits[bits & 63] : '=';
	}
	return cel_string(text, text_length);
}

/* 0 to 63, or -1. */
static int
value_of(char digit)
{
	if (digit >= 'A' && digit <= 'Z')
		return digit - 'A';
	if (digit >= 'a' && digit <= 'z')
		return digit - 'a' + 26;
	if (digit >= '0' && digit <= '9')
		return digit - '0' + 52;
	return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

/* The length without padding; SIZE_MAX when the padding is not what the length asks for, or no text has that length. */
static size_t
without_padding(struct cel_text text)
{
	size_t length = text.length;

	while (length > 0 && text.length - length < 2 && text.bytes[length - 1] == '=')
		length--;
	if (length < text.length && text.length % 4 != 0)
		return SIZE_MAX;
	return length % 4 == 1 ? SIZE_MAX : length;
}

/*
 * With the padding or without any. Each sequence of bytes has one text: bits that belong to no byte must be zero, no other character may
 * occur, line ends included.
 */
static struct cel_value
decode(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_text text = cel_text_of(arguments[0]);
	size_t length = without_padding(text), put = 0;
	uint32_t bits = 0;
	char *bytes;

	(void)count;
	if (!cel_charge_bytes(machine, text.length) || !cel_charge_bytes(machine, text.length / 4 * 3))
		return cel_fail(machine, CEL_COST, NULL);
	if (length == SIZE_MAX)
		return cel_fail(machine, CEL_CONVERSION, "no base64");
	bytes = cel_take(machine, length / 4 * 3 + 3);
	if (!bytes)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0; i < length; i++) {
		int value = value_of(text.bytes[i]);

		if (value < 0)
			return cel_fail(machine, CEL_CONVERSION, "no base64");
		bits = (bits << 6 | (uint32_t)value) & 0xFFFFFF;
		if (i % 4 > 0)
			bytes[put++] = (char)(bits >> (6 - i % 4 * 2) & 0xFF);
	}
	if ((length % 4 == 2 && (bits & 15) != 0) || (length % 4 == 3 && (bits & 3) != 0))
		return cel_fail(machine, CEL_CONVERSION, "no base64");
	return cel_bytes(bytes, put);
}

const struct cel_overload cel_library_encoders[] = {
    {"base64.decode", "(string):bytes", decode},
    {"base64.encode", "(bytes):string", encode},
    {0},
};
