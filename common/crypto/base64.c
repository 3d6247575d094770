/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - RFC 4648 both ways, and on reading only the one spelling that writing would have chosen. */
#include "common/crypto/crypto.h"

struct alphabet {
	const char *letters; /* 64 */
	bool padded;
};

static const struct alphabet url = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false};
static const struct alphabet standard = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
					 true};

/* One to three bytes as four characters, of which the first count + 1 mean something. */
static void
put_group(const struct alphabet *alphabet, const uint8_t *bytes, size_t count, char out[4])
{
	uint32_t bits = (uint32_t)bytes[0] << 16;

	if (count > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (count > 2)
		bits |= bytes[2];
	for (size_t i = 0; i < 4; i++)
		out[i] = i <= count ? alphabet->letters[bits >> (18 - 6 * i) & 63] : '=';
}

static char *
format(const struct alphabet *alphabet, struct arena *arena, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;
	char *text = arena_take(arena, length / 3 * 4 + 4 + 1);
	char *at = text;

	for (; length >= 3; length -= 3, from += 3, at += 4)
		put_group(alphabet, from, 3, at);
	if (length > 0) {
		put_group(alphabet, from, length, at);
		at += alphabet->padded ? 4 : length + 1;
	}
	*at = '\0';
	return text;
}

static int
letter_value(const struct alphabet *alphabet, char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return letter - 'A';
	if (letter >= 'a' && letter <= 'z')
		return letter - 'a' + 26;
	if (letter >= '0' && letter <= '9')
		return letter - '0' + 52;
	if (letter == alphabet->letters[62])
		return 62;
	if (letter == alphabet->letters[63])
		return 63;
	return -1;
}

/* Two to four characters as one to three bytes; spare bits must be zero, so that no two texts mean the same bytes. */
static bool
read_group(const struct alphabet *alphabet, const char *text, size_t count, uint8_t *out)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < 4; i++) {
		int six = i < count ? letter_value(alphabet, text[i]) : 0;

		if (six < 0)
			return false;
		bits = bits << 6 | (uint32_t)six;
	}
	for (size_t i = 0; i + 1 < count; i++)
		out[i] = (uint8_t)(bits >> (16 - 8 * i) & 0xFF);
	return count == 4 || (bits & (0xFFFFFFu >> (8 * (count - 1)))) == 0;
}

/* Takes the padding off, where there must be some; false when it is not what the length asks for. */
static bool
unpad(const struct alphabet *alphabet, const char *text, size_t *length)
{
	size_t padding = 0;

	if (!alphabet->padded)
		return *length % 4 != 1;
	if (*length % 4 != 0)
		return false;
	while (padding < 2 && padding < *length && text[*length - 1 - padding] == '=')
		padding++;
	*length -= padding;
	return true;
}

static uint8_t *
parse(const struct alphabet *alphabet, struct arena *arena, const char *text, size_t length, size_t *out_length)
{
	if (!unpad(alphabet, text, &length))
		return NULL;

	uint8_t *bytes = arena_take(arena, length / 4 * 3 + 3 + 1);
	uint8_t *at = bytes;

	for (; length >= 4; length -= 4, text += 4, at += 3)
		if (!read_group(alphabet, text, 4, at))
			return NULL;
	if (length > 0) {
		if (!read_group(alphabet, text, length, at))
			return NULL;
		at += length - 1;
	}
	*out_length = (size_t)(at - bytes);
	return bytes;
}

char *
crypto_base64url_format(struct arena *arena, const void *bytes, size_t length)
{
	return format(&url, arena, bytes, length);
}

uint8_t *
crypto_base64url_parse(struct arena *arena, const char *text, size_t length, size_t *out_length)
{
	return parse(&url, arena, text, length, out_length);
}

char *
crypto_base64_format(struct arena *arena, const void *bytes, size_t length)
{
	return format(&standard, arena, bytes, length);
}

uint8_t *
crypto_base64_parse(struct arena *arena, const char *text, size_t length, size_t *out_length)
{
	return parse(&standard, arena, text, length, out_length);
}
