/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - Internet addresses and networks as text. Inside common/cel. Pure. */
#ifndef COUNTERSIGN_CEL_ADDRESS_H
#define COUNTERSIGN_CEL_ADDRESS_H

#include "common/cel/value.h"

#define CEL_ADDRESS_TEXT_SIZE 48 /* eight groups, a prefix length and a NUL */

/*
 * "192.168.0.1" (four decimal numbers without leading zeros) or an IPv6 address by RFC 4291, 2.2, without a zone. An IPv4 address within
 * IPv6 (::ffff:0:0/96) is that IPv4 address; written with dots, "::ffff:192.168.0.1", it is refused, as others refuse it. *address is
 * set only when it is one.
 */
bool cel_address_parse(const char *text, size_t length, struct cel_address *address) CS_MUST_CHECK;
/* An address, "/", and 0 to 32 or 128 without leading zeros. Bits behind the prefix are kept. No IPv4 address within IPv6. */
bool cel_network_parse(const char *text, size_t length, struct cel_address *network) CS_MUST_CHECK;
/* As RFC 5952 has it; its length, NUL-terminated. */
size_t cel_address_text(const struct cel_address *address, char text[CEL_ADDRESS_TEXT_SIZE]);
size_t cel_network_text(const struct cel_address *network, char text[CEL_ADDRESS_TEXT_SIZE]);
/* Are the first bits of both, which are of one family, the same? */
bool cel_address_matches(const struct cel_address *left, const struct cel_address *right, unsigned bits);
/* The network with all bits behind its prefix cleared. */
struct cel_address cel_network_masked(const struct cel_address *network);

#endif
