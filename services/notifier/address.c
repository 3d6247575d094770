/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - the special-purpose registries of IANA as one table, read every time: it is short, and it can be read. */
#include "services/notifier/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPED_BITS = 96, ALL_BITS = 128 };

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
static const uint8_t nat64_prefix[12] = {0x00, 0x64, 0xFF, 0x9B}; /* RFC 6052 */

static const struct special {
	const char *network, *what;
} specials[] = {
    {"0.0.0.0/8", "this network"},
    {"10.0.0.0/8", "private"},
    {"100.64.0.0/10", "shared between carriers"},
    {"127.0.0.0/8", "loopback"},
    {"168.63.129.16/32", "metadata of a cloud"},
    {"169.254.0.0/16", "link-local"},
    {"172.16.0.0/12", "private"},
    {"192.0.0.0/24", "protocol assignments"},
    {"192.0.2.0/24", "documentation"},
    {"192.31.196.0/24", "special"},
    {"192.52.193.0/24", "special"},
    {"192.88.99.0/24", "6to4 relay"},
    {"192.168.0.0/16", "private"},
    {"192.175.48.0/24", "special"},
    {"198.18.0.0/15", "benchmarking"},
    {"198.51.100.0/24", "documentation"},
    {"203.0.113.0/24", "documentation"},
    {"224.0.0.0/4", "multicast"},
    {"240.0.0.0/4", "reserved"},
    {"::/128", "unspecified"},
    {"::1/128", "loopback"},
    {"64:ff9b:1::/48", "local translation"},
    {"100::/64", "discarded"},
    {"2001::/23", "protocol assignments"},
    {"2001:db8::/32", "documentation"},
    {"2002::/16", "6to4"},
    {"2620:4f:8000::/48", "special"},
    {"3fff::/20", "documentation"},
    {"5f00::/16", "segment routing"},
    {"fc00::/7", "private"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
};

/* ------------------------------------------------------------------ networks */

static bool
parse_address(const char *text, struct address *address, bool *is_v4)
{
	*is_v4 = inet_pton(AF_INET, text, address->bytes + sizeof mapped_prefix) == 1;
	if (*is_v4)
		memcpy(address->bytes, mapped_prefix, sizeof mapped_prefix);
	return *is_v4 || inet_pton(AF_INET6, text, address->bytes) == 1;
}

static bool
bit(const struct address *address, unsigned at)
{
	return address->bytes[at / 8] >> (7 - at % 8) & 1;
}

static bool
parse_bits(const char *text, unsigned most, unsigned *bits)
{
	size_t length = strlen(text);

	if (length == 0 || length > 3 || strspn(text, "0123456789") != length || (length > 1 && text[0] == '0'))
		return false;
	*bits = (unsigned)strtoul(text, NULL, 10);
	return *bits <= most;
}

static bool
parse_range(const char *text, size_t length, struct address_range *range)
{
	char copy[ADDRESS_TEXT_SIZE];
	bool is_v4;

	if (length >= sizeof copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';

	char *slash = strchr(copy, '/');

	if (slash)
		*slash = '\0';
	if (!parse_address(copy, &range->first, &is_v4))
		return false;
	range->bits = is_v4 ? ALL_BITS - MAPPED_BITS : ALL_BITS;
	if (slash && !parse_bits(slash + 1, range->bits, &range->bits))
		return false;
	range->bits += is_v4 ? MAPPED_BITS : 0;
	for (unsigned at = range->bits; at < ALL_BITS; at++)
		if (bit(&range->first, at))
			return false;
	return true;
}

static bool
is_within(const struct address *address, const struct address_range *range)
{
	unsigned whole = range->bits / 8;

	if (memcmp(address->bytes, range->first.bytes, whole) != 0)
		return false;
	for (unsigned at = whole * 8; at < range->bits; at++)
		if (bit(address, at) != bit(&range->first, at))
			return false;
	return true;
}

static size_t
spaces(const char *text)
{
	return strspn(text, " \t");
}

bool
address_list_parse(struct arena *arena, const char *text, struct address_list *list, struct error *error)
{
	*list =
	    (struct address_list){.items = arena_take_array(arena, strlen(text) / 2 + 1, sizeof *list->items)};
	for (text += spaces(text); *text != '\0'; text += spaces(text)) {
		size_t length = strcspn(text, ", \t");
		size_t end = length + spaces(text + length);

		if (!parse_range(text, length, &list->items[list->count])
		    || (text[end] != ',' && text[end] != '\0'))
			return error_set(error, ERROR_INVALID, "address_list",
					 "network %zu of the list is none: write 10.1.0.0/16 or fd00:1::/64",
					 list->count + 1);
		list->count++;
		text += end + (text[end] == ',');
	}
	return true;
}

bool
address_listed(const struct address *address, const struct address_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_within(address, &list->items[i]))
			return true;
	return false;
}

/* ------------------------------------------------------------------ addresses */

bool
address_of(const struct sockaddr *sockaddr, struct address *address)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	if (sockaddr->sa_family == AF_INET) {
		memcpy(&four, sockaddr, sizeof four);
		memcpy(address->bytes, mapped_prefix, sizeof mapped_prefix);
		memcpy(address->bytes + sizeof mapped_prefix, &four.sin_addr, sizeof four.sin_addr);
		return true;
	}
	if (sockaddr->sa_family != AF_INET6)
		return false;
	memcpy(&six, sockaddr, sizeof six);
	memcpy(address->bytes, &six.sin6_addr, sizeof address->bytes);
	if (memcmp(address->bytes, nat64_prefix, sizeof nat64_prefix) == 0)
		memcpy(address->bytes, mapped_prefix, sizeof mapped_prefix);
	return true;
}

static bool
is_v4(const struct address *address)
{
	return memcmp(address->bytes, mapped_prefix, sizeof mapped_prefix) == 0;
}

void
address_text(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
	if (is_v4(address))
		inet_ntop(AF_INET, address->bytes + sizeof mapped_prefix, text, ADDRESS_TEXT_SIZE);
	else
		inet_ntop(AF_INET6, address->bytes, text, ADDRESS_TEXT_SIZE);
}

const char *
address_refusal(const struct address *address, const struct address_list *allowed, bool only_listed)
{
	struct address_range range;

	if (address_listed(address, allowed))
		return NULL;
	if (only_listed)
		return "not on the list of allowed networks";
	for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
		bool parsed = parse_range(specials[i].network, strlen(specials[i].network), &range);

		assert(parsed);
		if (is_within(address, &range))
			return specials[i].what;
	}
	/* of IPv6 only 2000::/3 is handed out to anybody */
	return is_v4(address) || address->bytes[0] >> 5 == 1 ? NULL : "not global";
}
