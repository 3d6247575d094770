/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - which addresses of the internet may be called. Everything that could be one of our own networks may not. */
#ifndef COUNTERSIGN_NOTIFIER_ADDRESS_H
#define COUNTERSIGN_NOTIFIER_ADDRESS_H

#include "common/error/error.h"
#include "common/memory/memory.h"
#include <stdint.h>
#include <sys/socket.h>

#define ADDRESS_TEXT_SIZE 64

/* IPv4 lies in ::ffff:0:0/96, as IPv6 writes it. */
struct address {
	uint8_t bytes[16];
};

struct address_range {
	struct address first;
	unsigned bits; /* of 128 */
};

struct address_list {
	struct address_range *items;
	size_t count;
};

/*
 * Networks separated by commas: 10.1.0.0/16, fd00:1::/64; an address without a length is itself alone. INVALID
 * "address_list" for anything else, also for bits behind the length.
 */
bool address_list_parse(struct arena *arena, const char *text, struct address_list *list,
			struct error *error) CS_MUST_CHECK;
bool address_listed(const struct address *address, const struct address_list *list) CS_MUST_CHECK;

/* False for what is neither IPv4 nor IPv6. IPv4 behind a well-known NAT64 prefix is the IPv4 that it stands for. */
bool address_of(const struct sockaddr *sockaddr, struct address *address) CS_MUST_CHECK;
void address_text(const struct address *address, char text[ADDRESS_TEXT_SIZE]);

/*
 * NULL when it may be called, else what it is, for people: "loopback", "private" … What is on the list may be called whatever
 * it is; with `only_listed` nothing else may.
 */
const char *address_refusal(const struct address *address, const struct address_list *allowed,
			    bool only_listed);

#endif
