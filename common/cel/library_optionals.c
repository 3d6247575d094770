/* SPDX-License-Identifier: Apache-2.0 */
/* library_optionals.c - values that may be missing. or() and orValue() come here only when their receiver has none: the compiler jumps over
 * their argument otherwise. */
#include "common/cel/function.h"
#include "common/cel/cost.h"

static struct cel_value
none(void)
{
	return (struct cel_value){.kind = CEL_OPTIONAL};
}

static struct cel_value
of(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return cel_make_optional(machine, arguments[0]);
}

static struct cel_value
make_none(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)arguments;
	(void)count;
	return none();
}

/* What a value of its type is when nothing was ever said of it. */
static bool
is_zero(struct cel_value value)
{
	switch (value.kind) {
	case CEL_NULL:
		return true;
	case CEL_BOOL:
		return !value.as.boolean;
	case CEL_INT:
	case CEL_DURATION:
		return value.as.integer == 0;
	case CEL_TIMESTAMP:
		return value.as.integer == 0 && value.extra == 0;
	case CEL_UINT:
		return value.as.natural == 0;
	case CEL_DOUBLE:
		return value.as.real == 0;
	case CEL_STRING:
	case CEL_BYTES:
		return value.extra == 0;
	case CEL_LIST:
		return value.as.list->count == 0;
	case CEL_MAP:
		return value.as.map->present == 0;
	case CEL_OPTIONAL:
		return !value.as.optional;
	default:
		return false;
	}
}

static struct cel_value
of_non_zero(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	return is_zero(arguments[0]) ? none() : cel_make_optional(machine, arguments[0]);
}

static struct cel_value
has_value(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return cel_bool(arguments[0].as.optional != NULL);
}

static struct cel_value
value_of(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)count;
	if (!arguments[0].as.optional)
		return cel_fail(machine, CEL_NO_SUCH_FIELD, "the optional has no value");
	return *arguments[0].as.optional;
}

static struct cel_value
or_other(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return arguments[arguments[0].as.optional ? 0 : 1];
}

static struct cel_value
or_value(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	(void)machine;
	(void)count;
	return arguments[0].as.optional ? *arguments[0].as.optional : arguments[1];
}

/* The values of a list of optionals that have one. */
static struct cel_value
unwrap(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_list *list = arguments[0].as.list;
	struct cel_value *items;
	size_t kept = 0;

	(void)count;
	if (!cel_charge(machine, CEL_COST_STEP * list->count))
		return cel_fail(machine, CEL_COST, NULL);
	items = cel_take(machine, list->count * sizeof *items);
	if (!items)
		return cel_fail(machine, CEL_MEMORY, NULL);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].kind != CEL_OPTIONAL)
			return cel_fail(machine, CEL_NO_SUCH_OVERLOAD, NULL);
		if (list->items[i].as.optional)
			items[kept++] = *list->items[i].as.optional;
	}
	return cel_make_list(machine, items, kept);
}

static struct cel_value
first(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_list *list = arguments[0].as.list;

	(void)count;
	return list->count ? cel_make_optional(machine, list->items[0]) : none();
}

static struct cel_value
last(struct cel_machine *machine, const struct cel_value *arguments, size_t count)
{
	const struct cel_list *list = arguments[0].as.list;

	(void)count;
	return list->count ? cel_make_optional(machine, list->items[list->count - 1]) : none();
}

const struct cel_overload cel_library_optionals[] = {
    {"optional.of", "(A):optional<A>", of},
    {"optional.none", "():optional<A>", make_none},
    {"optional.ofNonZeroValue", "(A):optional<A>", of_non_zero},
    {"optional.unwrap", "(list<optional<A>>):list<A>", unwrap},
    {"unwrapOpt", "list<optional<A>>.():list<A>", unwrap},
    {"hasValue", "optional<A>.():bool", has_value},
    {"value", "optional<A>.():A", value_of},
    {"or", "optional<A>.(optional<A>):optional<A>", or_other},
    {"orValue", "optional<A>.(A):A", or_value},
    {"first", "list<A>.():optional<A>", first},
    {"last", "list<A>.():optional<A>", last},
    {"_?._", "(optional<A>,string):optional<B>", NULL},
    {"_?._", "(map<string,A>,string):optional<A>", NULL},
    {"_[?_]", "(list<A>,int):optional<A>", NULL},
    {"_[?_]", "(map<A,B>,A):optional<B>", NULL},
    {"_[?_]", "(optional<list<A>>,int):optional<A>", NULL},
    {"_[?_]", "(optional<map<A,B>>,A):optional<B>", NULL},
    {"_[_]", "(optional<list<A>>,int):optional<A>", NULL},
    {"_[_]", "(optional<map<A,B>>,A):optional<B>", NULL},
    {0},
};
