/* SPDX-License-Identifier: Apache-2.0 */
/* library_network.c - the network extension of cel-go, version 1, which is that of Kubernetes: addresses and networks. */
#include "common/cel/address.h"
#include "common/cel/text.h"

#include <string.h>

static struct cel_value
no_address(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_CONVERSION,
			"no IP address, or one with a zone or an IPv4 address within it");
}

static struct cel_value
no_network(struct cel_machine *machine)
{
	return cel_fail(machine, CEL_CONVERSION,
			"no network: expected an address, a slash and the length of the prefix");
}

static struct cel_value
make(struct cel_machine *machine, uint8_t kind, const struct cel_address *address)
{
	struct cel_address *held = cel_take(machine, sizeof *held);

	if (!held)
		return cel_fail(machine, CEL_MEMORY, NULL);
	*held = *address;
	return (struct cel_value){.kind = kind, .as.address = held};
}

static bool
parse_address(struct cel_value string, struct cel_address *address)
{
	return cel_address_parse(string.as.bytes, string.extra, address);
}

static bool
parse_network(struct cel_value string, struct cel_address *network)
{
	return cel_network_parse(string.as.bytes, string.extra, network);
}

/* --- from text and back --- */

static struct cel_value
ip_of_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address address;

	(void)count;
	return parse_address(arguments[0], &address) ? make(machine, CEL_IP, &address) : no_address(machine);
}

static struct cel_value
cidr_of_string(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address network;

	(void)count;
	return parse_network(arguments[0], &network) ? make(machine, CEL_CIDR, &network) : no_network(machine);
}

static struct cel_value
is_ip(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address address;

	(void)machine;
	(void)count;
	return cel_bool(parse_address(arguments[0], &address));
}

static struct cel_value
is_cidr(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address network;

	(void)machine;
	(void)count;
	return cel_bool(parse_network(arguments[0], &network));
}

static struct cel_value
is_canonical(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[CEL_ADDRESS_TEXT_SIZE];
	struct cel_address address;
	size_t length;

	(void)count;
	if (!parse_address(arguments[0], &address))
		return no_address(machine);
	length = cel_address_text(&address, text);
	return cel_bool(length == arguments[0].extra && memcmp(text, arguments[0].as.bytes, length) == 0);
}

static struct cel_value
string_of_ip(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[CEL_ADDRESS_TEXT_SIZE];

	(void)count;
	return cel_make_string(machine, text, cel_address_text(arguments[0].as.address, text));
}

static struct cel_value
string_of_cidr(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	char text[CEL_ADDRESS_TEXT_SIZE];

	(void)count;
	return cel_make_string(machine, text, cel_network_text(arguments[0].as.address, text));
}

/* --- what an address is --- */

/* Does it lie in the network whose first bytes these are? */
static bool
begins(const struct cel_address *address, uint8_t length, unsigned bits, const uint8_t first[2])
{
	struct cel_address network = {.bytes = {first[0], first[1]}};

	return address->length == length && cel_address_matches(address, &network, bits);
}

static bool
unspecified(const struct cel_address *address)
{
	static const uint8_t zero[16];

	return memcmp(address->bytes, zero, sizeof zero) == 0;
}

static bool
loopback(const struct cel_address *address)
{
	static const uint8_t one[16] = {[15] = 1};

	return address->length == 4 ? address->bytes[0] == 127 : memcmp(address->bytes, one, sizeof one) == 0;
}

static bool
link_local_unicast(const struct cel_address *address)
{
	return begins(address, 4, 16, (const uint8_t[]){169, 254})
	       || begins(address, 16, 10, (const uint8_t[]){0xFE, 0x80});
}

static bool
link_local_multicast(const struct cel_address *address)
{
	return address->length == 4 ? cel_address_matches(address, &(struct cel_address){.bytes = {224}}, 24)
				    : address->bytes[0] == 0xFF && (address->bytes[1] & 0x0F) == 2;
}

static bool
multicast(const struct cel_address *address)
{
	return begins(address, 4, 4, (const uint8_t[]){224, 0})
	       || begins(address, 16, 8, (const uint8_t[]){0xFF, 0});
}

static bool
broadcast(const struct cel_address *address)
{
	static const uint8_t ones[4] = {255, 255, 255, 255};

	return address->length == 4 && memcmp(address->bytes, ones, sizeof ones) == 0;
}

static struct cel_value
family(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.address->length == 4 ? 4 : 6);
}

static struct cel_value
is_unspecified(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(unspecified(arguments[0].as.address));
}

static struct cel_value
is_loopback(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(loopback(arguments[0].as.address));
}

static struct cel_value
is_link_local_unicast(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(link_local_unicast(arguments[0].as.address));
}

static struct cel_value
is_link_local_multicast(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(link_local_multicast(arguments[0].as.address));
}

/* Private addresses are, too. */
static struct cel_value
is_global_unicast(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_address *address = arguments[0].as.address;

	(void)machine;
	(void)count;
	return cel_bool(!unspecified(address) && !broadcast(address) && !loopback(address)
			&& !multicast(address) && !link_local_unicast(address));
}

/* --- networks --- */

static bool
contains(const struct cel_address *network, const struct cel_address *address)
{
	return network->length == address->length && cel_address_matches(network, address, network->prefix);
}

static struct cel_value
contains_ip(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address address;

	(void)count;
	if (arguments[1].kind == CEL_IP)
		return cel_bool(contains(arguments[0].as.address, arguments[1].as.address));
	if (!parse_address(arguments[1], &address))
		return no_address(machine);
	return cel_bool(contains(arguments[0].as.address, &address));
}

static struct cel_value
contains_cidr(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_address *network = arguments[0].as.address;
	struct cel_address other;

	(void)count;
	if (arguments[1].kind == CEL_CIDR)
		other = *arguments[1].as.address;
	else if (!parse_network(arguments[1], &other))
		return no_network(machine);
	return cel_bool(contains(network, &other) && network->prefix <= other.prefix);
}

static struct cel_value
ip_of_cidr(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address address = *arguments[0].as.address;

	(void)count;
	address.prefix = 0;
	return make(machine, CEL_IP, &address);
}

static struct cel_value
masked(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address network = cel_network_masked(arguments[0].as.address);

	(void)count;
	return make(machine, CEL_CIDR, &network);
}

static struct cel_value
is_mask(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	struct cel_address network = cel_network_masked(arguments[0].as.address);

	(void)machine;
	(void)count;
	return cel_bool(memcmp(network.bytes, arguments[0].as.address->bytes, sizeof network.bytes) == 0);
}

static struct cel_value
prefix_length(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_int(arguments[0].as.address->prefix);
}

const struct cel_overload cel_library_network[] = {
    {"cidr", "(string):net.CIDR", cidr_of_string},
    {"containsCIDR", "net.CIDR.(net.CIDR):bool", contains_cidr},
    {"containsCIDR", "net.CIDR.(string):bool", contains_cidr},
    {"containsIP", "net.CIDR.(net.IP):bool", contains_ip},
    {"containsIP", "net.CIDR.(string):bool", contains_ip},
    {"family", "net.IP.():int", family},
    {"ip", "(string):net.IP", ip_of_string},
    {"ip", "net.CIDR.():net.IP", ip_of_cidr},
    {"ip.isCanonical", "(string):bool", is_canonical},
    {"isCIDR", "(string):bool", is_cidr},
    {"isGlobalUnicast", "net.IP.():bool", is_global_unicast},
    {"isIP", "(string):bool", is_ip},
    {"isLinkLocalMulticast", "net.IP.():bool", is_link_local_multicast},
    {"isLinkLocalUnicast", "net.IP.():bool", is_link_local_unicast},
    {"isLoopback", "net.IP.():bool", is_loopback},
    {"isMask", "net.CIDR.():bool", is_mask},
    {"isUnspecified", "net.IP.():bool", is_unspecified},
    {"masked", "net.CIDR.():net.CIDR", masked},
    {"prefixLength", "net.CIDR.():int", prefix_length},
    {"string", "(net.IP):string", string_of_ip},
    {"string", "(net.CIDR):string", string_of_cidr},
    {0},
};
