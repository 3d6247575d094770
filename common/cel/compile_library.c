/* SPDX-License-Identifier: Apache-2.0 */
/* compile_library.c - what library functions make of literals is made, or refused, when the program is. */
#include "common/cel/address.h"
#include "common/cel/compile.h"
#include "common/cel/time.h"

#include <string.h>

static enum cel_code
make_address(struct cel_value text, struct cel_value *value, struct cel_address *address)
{
	if (!cel_address_parse(text.as.bytes, text.extra, address))
		return CEL_CONVERSION;
	*value = (struct cel_value){.kind = CEL_IP, .as.address = address};
	return CEL_OK;
}

static enum cel_code
make_network(struct cel_value text, struct cel_value *value, struct cel_address *address)
{
	if (!cel_network_parse(text.as.bytes, text.extra, address))
		return CEL_CONVERSION;
	*value = (struct cel_value){.kind = CEL_CIDR, .as.address = address};
	return CEL_OK;
}

static enum cel_code
make_timestamp(struct cel_value text, struct cel_value *value, struct cel_address *address)
{
	(void)address;
	return cel_timestamp_parse(text.as.bytes, text.extra, value);
}

static enum cel_code
make_duration(struct cel_value text, struct cel_value *value, struct cel_address *address)
{
	(void)address;
	return cel_duration_parse(text.as.bytes, text.extra, value);
}

static const struct maker {
	const char *name;
	enum cel_code (*make)(struct cel_value text, struct cel_value *value, struct cel_address *address);
	const char *fault;
} makers[] = {
    {"timestamp", make_timestamp,
     "no timestamp of the years 1 to 9999: expected RFC 3339, like '2026-01-31T12:00:00Z'"},
    {"duration", make_duration,
     "no duration: expected numbers with the units h, m, s, ms, us, ns, like '1h30m'"},
    {"ip", make_address, "no IP address, or one with a zone or an IPv4 address within it"},
    {"cidr", make_network, "no network: expected an address, a slash and the length of the prefix"},
};

static bool
is_text(const struct cel_node *node)
{
	return node->kind == CEL_N_LITERAL && node->value.kind == CEL_STRING;
}

static const struct maker *
maker_of(const struct cel_node *node)
{
	if (node->kind != CEL_N_CALL || node->operand || node->argument_count != 1
	    || !is_text(node->arguments[0]))
		return NULL;
	for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
		if (strcmp(makers[i].name, node->name + (node->name[0] == '.')) == 0)
			return &makers[i];
	return NULL;
}

/* A name may mean another function under a container. */
static bool
is_library(struct compiler *c, const struct cel_node *node, const struct maker *maker)
{
	const struct cel_function_entry *function = compile_global(c, node);

	return function && strcmp(function->name, maker->name) == 0;
}

bool
compile_is_made(const struct cel_node *node)
{
	return maker_of(node) != NULL;
}

bool
compile_made(struct compiler *c, const struct cel_node *node, struct cel_value *value)
{
	const struct maker *maker = maker_of(node);
	struct cel_address *address;

	if (!maker || !is_library(c, node, maker))
		return false;
	address = arena_take(c->arena, sizeof *address);
	return maker->make(node->arguments[0]->value, value, address) == CEL_OK;
}

/* getHours('Europe/Paris') and its like. */
static bool
is_zone_of_getter(const struct cel_node *node)
{
	return node->operand && node->argument_count == 1 && is_text(node->arguments[0])
	       && strncmp(node->name, "get", 3) == 0 && node->name[3] >= 'A' && node->name[3] <= 'Z';
}

/*
 * Unchecked, it is an error of the evaluation, which may be absorbed; but who had the types checked will rather know of it now. A zone must be
 * in the database of this system.
 */
void
compile_refuse_literals(struct compiler *c, const struct cel_node *node)
{
	const struct maker *maker = maker_of(node);
	struct cel_address address;
	struct cel_value value;
	int32_t offset;

	if (!c->checked)
		return;
	if (maker && is_library(c, node, maker)
	    && maker->make(node->arguments[0]->value, &value, &address) != CEL_OK)
		compile_fault(c, node->arguments[0], CEL_CONVERSION, maker->fault);
	if (is_zone_of_getter(node)
	    && !cel_zone_offset(node->arguments[0]->value.as.bytes, node->arguments[0]->value.extra, 0, &offset))
		compile_fault(
		    c, node->arguments[0],
		    CEL_CONVERSION, "no time zone of this system: expected a name like 'Europe/Paris' or an offset like '+02:00'");
}

/* A zero of the type that the items of a list were found to have; false when that is int, or not known. */
static bool
zero_of_items(const struct compiler *c, const struct cel_node *list, struct cel_value *zero)
{
	const struct cel_type *type = c->checked ? cel_checked_type(c->checked, list) : NULL;

	if (!type || type->kind != CEL_T_LIST || type->parameter_count != 1)
		return false;
	switch (type->parameters[0]->kind) {
	case CEL_T_UINT:
		*zero = cel_uint(0);
		return true;
	case CEL_T_DOUBLE:
		*zero = cel_double(0);
		return true;
	case CEL_T_DURATION:
		*zero = cel_duration(0);
		return true;
	default:
		return false;
	}
}

const char *
compile_typed(const struct compiler *c, const struct cel_node *node, struct cel_value *argument)
{
	if (!node->operand || node->argument_count != 0 || strcmp(node->name, "sum") != 0
	    || !zero_of_items(c, node->operand, argument))
		return NULL;
	return "@sum";
}
