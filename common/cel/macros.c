/* SPDX-License-Identifier: Apache-2.0 */
/* macros.c - calls that are loops, bindings and tests of presence in truth. What they become is cel-spec's, but for optMap and
 * optFlatMap, which would put their operand into the tree twice; here it is bound to a name. */
#include "common/cel/syntax.h"

#include <string.h>

#define RESULT "@result"
#define UNUSED "#unused"
#define OPTIONAL "@optional"

struct expansion {
	struct parser *parser;
	const struct cel_node *call;
	const char *iterator, *second;	/* NULL: none */
	const struct cel_node **bodies; /* the arguments behind the variables */
	size_t body_count;
};

/* Fills init, condition, step and result. */
typedef void loop_maker(struct expansion *expansion, struct cel_node *loop);

static struct cel_node *
make(struct expansion *expansion, enum cel_node_kind kind)
{
	struct syntax *node = cel_parser_node(expansion->parser, kind, expansion->call->position);

	node->node.start = node->outer_start = expansion->call->start;
	node->node.end = node->outer_end = expansion->call->end;
	return &node->node;
}

static struct cel_node *
seal(struct expansion *expansion, struct cel_node *node)
{
	return cel_parser_seal(expansion->parser, (struct syntax *)node);
}

static const struct cel_node *
literal(struct expansion *expansion, struct cel_value value)
{
	struct cel_node *node = make(expansion, CEL_N_LITERAL);

	node->value = value;
	return node;
}

static const struct cel_node *
ident(struct expansion *expansion, const char *name)
{
	struct cel_node *node = make(expansion, CEL_N_IDENT);

	node->name = name;
	return node;
}

static const struct cel_node *
over(struct expansion *expansion, struct cel_node *node, const struct cel_node *const items[3])
{
	struct nodes nodes = {0};

	for (size_t i = 0; i < 3 && items[i]; i++)
		cel_nodes_add(expansion->parser, &nodes, items[i], false);
	node->arguments = nodes.items;
	node->argument_count = nodes.count;
	return seal(expansion, node);
}

#define ITEMS(...) ((const struct cel_node *const[3]){__VA_ARGS__})

static const struct cel_node *
call(struct expansion *expansion, const char *name, const struct cel_node *const arguments[3])
{
	struct cel_node *node = make(expansion, CEL_N_CALL);

	node->name = name;
	return over(expansion, node, arguments);
}

static const struct cel_node *
method(struct expansion *expansion, const char *operand, const char *name)
{
	struct cel_node *node = make(expansion, CEL_N_CALL);

	node->name = name;
	node->operand = ident(expansion, operand);
	return seal(expansion, node);
}

static const struct cel_node *
list(struct expansion *expansion, const struct cel_node *item)
{
	return over(expansion, make(expansion, CEL_N_LIST), ITEMS(item));
}

/* With a filter before it, what the step does is done to those only that pass. */
static const struct cel_node *
filtered(struct expansion *expansion, const struct cel_node *step)
{
	if (expansion->body_count < 2)
		return step;
	return call(expansion, "_?_:_", ITEMS(expansion->bodies[0], step, ident(expansion, RESULT)));
}

static const struct cel_node *
last_body(const struct expansion *expansion)
{
	return expansion->bodies[expansion->body_count - 1];
}

static void
make_all(struct expansion *expansion, struct cel_node *loop)
{
	loop->loop.init = literal(expansion, cel_bool(true));
	loop->loop.condition = call(expansion, "@not_strictly_false", ITEMS(ident(expansion, RESULT)));
	loop->loop.step = call(expansion, "_&&_", ITEMS(ident(expansion, RESULT), expansion->bodies[0]));
}

static void
make_exists(struct expansion *expansion, struct cel_node *loop)
{
	const struct cel_node *not = call(expansion, "!_", ITEMS(ident(expansion, RESULT)));

	loop->loop.init = literal(expansion, cel_bool(false));
	loop->loop.condition = call(expansion, "@not_strictly_false", ITEMS(not));
	loop->loop.step = call(expansion, "_||_", ITEMS(ident(expansion, RESULT), expansion->bodies[0]));
}

static void
make_exists_one(struct expansion *expansion, struct cel_node *loop)
{
	const struct cel_node *more =
	    call(expansion, "_+_", ITEMS(ident(expansion, RESULT), literal(expansion, cel_int(1))));

	loop->loop.init = literal(expansion, cel_int(0));
	loop->loop.condition = literal(expansion, cel_bool(true));
	loop->loop.step = call(expansion, "_?_:_", ITEMS(expansion->bodies[0], more, ident(expansion, RESULT)));
	loop->loop.result =
	    call(expansion, "_==_", ITEMS(ident(expansion, RESULT), literal(expansion, cel_int(1))));
}

static void
make_list(struct expansion *expansion, struct cel_node *loop)
{
	const struct cel_node *more =
	    call(expansion, "_+_", ITEMS(ident(expansion, RESULT), list(expansion, last_body(expansion))));

	loop->loop.init = list(expansion, NULL);
	loop->loop.condition = literal(expansion, cel_bool(true));
	loop->loop.step = filtered(expansion, more);
}

/* filter(x, p) is map(x, p, x) */
static void
make_filter(struct expansion *expansion, struct cel_node *loop)
{
	const struct cel_node *bodies[2] = {expansion->bodies[0], ident(expansion, expansion->iterator)};
	struct expansion as_map = *expansion;

	as_map.bodies = bodies;
	as_map.body_count = 2;
	make_list(&as_map, loop);
}

static void
make_map(struct expansion *expansion, struct cel_node *loop, const struct cel_node *insert)
{
	loop->loop.init = over(expansion, make(expansion, CEL_N_MAP), ITEMS(NULL));
	loop->loop.condition = literal(expansion, cel_bool(true));
	loop->loop.step = filtered(expansion, insert);
}

static void
make_transform_map(struct expansion *expansion, struct cel_node *loop)
{
	make_map(expansion, loop,
		 call(expansion, "cel.@mapInsert",
		      ITEMS(ident(expansion, RESULT), ident(expansion, expansion->iterator),
			    last_body(expansion))));
}

static void
make_transform_map_entry(struct expansion *expansion, struct cel_node *loop)
{
	make_map(expansion, loop,
		 call(expansion, "cel.@mapInsert", ITEMS(ident(expansion, RESULT), last_body(expansion))));
}

static const struct row {
	const char *name;
	size_t variables, bodies_min, bodies_max;
	loop_maker *make;
} loops[] = {
    {"all", 1, 1, 1, make_all},
    {"all", 2, 1, 1, make_all},
    {"exists", 1, 1, 1, make_exists},
    {"exists", 2, 1, 1, make_exists},
    {"exists_one", 1, 1, 1, make_exists_one},
    {"exists_one", 2, 1, 1, make_exists_one},
    {"existsOne", 1, 1, 1, make_exists_one},
    {"existsOne", 2, 1, 1, make_exists_one},
    {"map", 1, 1, 2, make_list},
    {"filter", 1, 1, 1, make_filter},
    {"transformList", 2, 1, 2, make_list},
    {"transformMap", 2, 1, 2, make_transform_map},
    {"transformMapEntry", 2, 1, 2, make_transform_map_entry},
};

static struct cel_node *
refuse(struct parser *parser, struct cel_node *written, const struct cel_node *argument, const char *why)
{
	cel_parser_fault(parser, argument->position, "%s", why);
	((struct syntax *)written)->bad = true;
	return written;
}

/* The name of a variable that a macro declares, or NULL with a fault. */
static const char *
variable(struct parser *parser, struct cel_node *written, size_t index)
{
	const struct cel_node *argument = written->arguments[index];

	if (argument->kind != CEL_N_IDENT || argument->name[0] == '.') {
		refuse(parser, written, argument, "a simple name is expected here: the macro's variable");
		return NULL;
	}
	/* cel-go's older name of the accumulator, which it refuses still */
	if (strcmp(argument->name, "__result__") == 0) {
		refuse(parser, written, argument, "the variable's name is reserved for the macro itself");
		return NULL;
	}
	return argument->name;
}

static struct cel_node *
expand_loop(struct parser *parser, struct cel_node *written, const struct row *row)
{
	struct expansion expansion = {
	    .parser = parser,
	    .call = written,
	    .iterator = variable(parser, written, 0),
	    .second = row->variables == 2 ? variable(parser, written, 1) : NULL,
	    .bodies = written->arguments + row->variables,
	    .body_count = written->argument_count - row->variables,
	};

	if (!expansion.iterator || (row->variables == 2 && !expansion.second))
		return written;
	if (expansion.second && strcmp(expansion.iterator, expansion.second) == 0)
		return refuse(parser, written, written->arguments[1], "the macro's variables have one name");
	struct cel_node *loop = make(&expansion, CEL_N_COMPREHENSION);
	row->make(&expansion, loop);
	loop->loop.iterator = expansion.iterator;
	loop->loop.second = expansion.second;
	loop->loop.accumulator = RESULT;
	loop->loop.range = written->operand;
	if (!loop->loop.result)
		loop->loop.result = ident(&expansion, RESULT);
	loop->macro = written;
	return seal(&expansion, loop);
}

/* result, where the name stands for the value: a loop over nothing. */
static struct cel_node *
bind(struct expansion *expansion, const char *name, const struct cel_node *value, const struct cel_node *result)
{
	struct cel_node *loop = make(expansion, CEL_N_COMPREHENSION);

	loop->loop.iterator = UNUSED;
	loop->loop.accumulator = name;
	loop->loop.range = list(expansion, NULL);
	loop->loop.init = value;
	loop->loop.condition = literal(expansion, cel_bool(false));
	loop->loop.step = ident(expansion, name);
	loop->loop.result = result;
	return seal(expansion, loop);
}

static struct cel_node *
expand_bind(struct parser *parser, struct cel_node *written)
{
	struct expansion expansion = {.parser = parser, .call = written};
	const char *name = variable(parser, written, 0);

	if (!name)
		return written;
	struct cel_node *node = bind(&expansion, name, written->arguments[1], written->arguments[2]);
	node->macro = written;
	return node;
}

/* o.optMap(x, e): bind @optional = o in (@optional.hasValue() ? optional.of(bind x = @optional.value() in e) : optional.none()) */
static struct cel_node *
expand_optional(struct parser *parser, struct cel_node *written, bool flat)
{
	struct expansion expansion = {.parser = parser, .call = written};
	const char *name = variable(parser, written, 0);

	if (!name)
		return written;
	const struct cel_node *value =
	    bind(&expansion, name, method(&expansion, OPTIONAL, "value"), written->arguments[1]);
	if (!flat)
		value = call(&expansion, "optional.of", ITEMS(value));
	const struct cel_node *choice = call(&expansion, "_?_:_",
					     ITEMS(method(&expansion, OPTIONAL, "hasValue"), value,
						   call(&expansion, "optional.none", ITEMS(NULL))));
	struct cel_node *node = bind(&expansion, OPTIONAL, written->operand, choice);
	node->macro = written;
	return node;
}

static struct cel_node *
expand_has(struct parser *parser, struct cel_node *written)
{
	struct expansion expansion = {.parser = parser, .call = written};
	const struct cel_node *argument = written->arguments[0];

	if (argument->kind != CEL_N_SELECT || argument->test_only)
		return refuse(parser, written, argument, "has() tests a field: has(a.b)");
	struct cel_node *node = make(&expansion, CEL_N_SELECT);
	node->operand = argument->operand;
	node->name = argument->name;
	node->test_only = true;
	node->macro = written;
	return seal(&expansion, node);
}

static bool
is_called(const struct cel_node *written, const char *name, size_t arguments)
{
	return strcmp(written->name, name) == 0 && written->argument_count == arguments;
}

static bool
is_sound(const struct cel_node *written)
{
	if (written->operand && cel_node_is_bad(written->operand))
		return false;
	for (size_t i = 0; i < written->argument_count; i++)
		if (cel_node_is_bad(written->arguments[i]))
			return false;
	return true;
}

static struct cel_node *
expand_method(struct parser *parser, struct cel_node *written)
{
	const struct cel_node *operand = written->operand;

	for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
		const struct row *row = &loops[i];

		if (strcmp(row->name, written->name) == 0
		    && written->argument_count >= row->variables + row->bodies_min
		    && written->argument_count <= row->variables + row->bodies_max)
			return expand_loop(parser, written, row);
	}
	if (is_called(written, "optMap", 2) || is_called(written, "optFlatMap", 2))
		return expand_optional(parser, written, written->name[3] == 'F');
	if (is_called(written, "bind", 3) && operand->kind == CEL_N_IDENT && strcmp(operand->name, "cel") == 0)
		return expand_bind(parser, written);
	return written;
}

struct cel_node *
cel_macro(struct parser *parser, struct cel_node *written)
{
	if (!is_sound(written))
		return written;
	if (written->operand)
		return expand_method(parser, written);
	return is_called(written, "has", 1) ? expand_has(parser, written) : written;
}
