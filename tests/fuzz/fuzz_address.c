/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_address.c - sixteen bytes of an address, then a list of networks. What may be called is none of ours, whichever
 * way it is written: IPv4, IPv4 in IPv6, or behind the NAT64 prefix.
 */
#include "services/notifier/address.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <netinet/in.h>

/* Networks that nobody but us can mean, told by other means than the table. */
static bool
is_inner_v4(const uint8_t four[4])
{
	return four[0] == 0 || four[0] == 10 || four[0] == 127 || four[0] >= 224
	       || (four[0] == 169 && four[1] == 254) || (four[0] == 172 && four[1] >> 4 == 1)
	       || (four[0] == 192 && four[1] == 168) || (four[0] == 100 && four[1] >> 6 == 1);
}

static bool
is_inner_v6(const struct in6_addr *six)
{
	static const uint8_t nat64[12] = {0, 0x64, 0xff, 0x9b};

	if (IN6_IS_ADDR_V4MAPPED(six) || memcmp(six->s6_addr, nat64, sizeof nat64) == 0)
		return is_inner_v4(six->s6_addr + 12);
	return IN6_IS_ADDR_LOOPBACK(six) || IN6_IS_ADDR_UNSPECIFIED(six) || IN6_IS_ADDR_LINKLOCAL(six)
	       || IN6_IS_ADDR_SITELOCAL(six) || IN6_IS_ADDR_MULTICAST(six) || IN6_IS_ADDR_V4COMPAT(six)
	       || (six->s6_addr[0] & 0xfe) == 0xfc;
}

static void
check(const struct sockaddr *sockaddr, bool is_inner, const struct address_list *list)
{
	static const struct address_list none;
	char text[ADDRESS_TEXT_SIZE] = "";
	struct address address;
	bool ok = address_of(sockaddr, &address);

	assert(ok);
	address_text(&address, text);
	assert(text[0]);
	if (is_inner)
		assert(address_refusal(&address, &none, false));
	assert(address_refusal(&address, &none, true));
	if (address_listed(&address, list)) {
		assert(!address_refusal(&address, list, false) && !address_refusal(&address, list, true));
	} else {
		assert(address_refusal(&address, list, true));
		assert(!address_refusal(&address, list, false) == !address_refusal(&address, &none, false));
	}
}

/* The list with each network written by us is the same list. */
static void
check_list(struct arena *arena, const struct address_list *list)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	struct buffer text = {.arena = arena};
	struct address_list again;
	struct error error = {0};

	buffer_add_text(&text, "");
	for (size_t i = 0; i < list->count; i++) {
		bool is_v4 = memcmp(list->items[i].first.bytes, mapped, sizeof mapped) == 0
			     && list->items[i].bits >= 96;
		char first[ADDRESS_TEXT_SIZE];

		assert(address_listed(&list->items[i].first, list) && list->items[i].bits <= 128);
		if (is_v4)
			inet_ntop(AF_INET, list->items[i].first.bytes + 12, first, sizeof first);
		else
			inet_ntop(AF_INET6, list->items[i].first.bytes, first, sizeof first);
		buffer_add_format(&text, "%s%s/%u", i ? ", " : "", first,
				  list->items[i].bits - (is_v4 ? 96 : 0));
	}

	bool ok = address_list_parse(arena, text.bytes, &again, &error);

	assert(ok && again.count == list->count);
	for (size_t i = 0; i < list->count; i++)
		assert(memcmp(&again.items[i].first, &list->items[i].first, sizeof again.items[i].first) == 0
		       && again.items[i].bits == list->items[i].bits);
}

int
FUZZ_TARGET(address)(const uint8_t *bytes, size_t length)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct address_list list = {0};
	struct error error = {0};

	if (length < sizeof six.sin6_addr)
		return 0;
	memcpy(&six.sin6_addr, bytes, sizeof six.sin6_addr);
	memcpy(&four.sin_addr, bytes + 12, sizeof four.sin_addr);

	struct arena *arena = arena_open();
	const char *text = fuzz_string(arena, bytes + sizeof six.sin6_addr, length - sizeof six.sin6_addr);

	if (text && address_list_parse(arena, text, &list, &error)) {
		check_list(arena, &list);
	} else {
		list = (struct address_list){0};
		if (text)
			fuzz_refused(&error, ERROR_INVALID);
	}
	check((const struct sockaddr *)&six, is_inner_v6(&six.sin6_addr), &list);
	check((const struct sockaddr *)&four, is_inner_v4(bytes + 12), &list);
	arena_close(arena);
	return 0;
}
