/* SPDX-License-Identifier: Apache-2.0 */
/* ast.h - source text to syntax tree and back. Pure. What the grammar and the macros of the Common Expression Language say,
 * `github.com/google/cel-spec/doc/langdef.md`. */
#ifndef COUNTERSIGN_CEL_AST_H
#define COUNTERSIGN_CEL_AST_H

#include "common/cel/type.h"

#define CEL_SOURCE_MAX 2048	  /* code points, unless the caller raises it */
#define CEL_NODES_MAX 512	  /* after macros */
#define CEL_DEPTH_MAX 32	  /* of nesting */
#define CEL_LITERAL_ITEMS_MAX 256 /* of one list or map literal */
#define CEL_COMPREHENSIONS_MAX 2  /* within each other */
#define CEL_FAULTS_MAX 20

/* What is wrong with a source, found before it runs. */
struct cel_fault {
	enum cel_code code; /* CEL_SYNTAX, CEL_UNDECLARED, CEL_TYPE_ERROR, CEL_NO_SUCH_OVERLOAD, CEL_NO_SUCH_FIELD, CEL_DEPTH, CEL_COST, CEL_REGEX, … */
	uint32_t position;  /* code points from 0 */
	uint32_t line, column; /* from 1, columns in code points */
	char text[256]; /* one line for people: what is wrong, what was expected, the nearest known name */
};

/* The first CEL_FAULTS_MAX of them, in the order of the source; starts zeroed. */
struct cel_faults {
	struct cel_fault items[CEL_FAULTS_MAX];
	size_t count;
};

struct cel_limits {
	uint32_t source, nodes, depth, literal_items, comprehensions; /* 0: the constants above */
};
/*
 * What is counted: `source` code points; `nodes` all that were made, macros' own and their variables included; `depth` the operators,
 * calls, literals and comprehensions around a leaf, and brackets within each other, so 32 terms in a chain of + need 31 (chains of &&
 * and || are balanced: five levels hold 32 terms); `comprehensions` loops in the bodies of loops, not in their ranges, and neither
 * cel.bind nor optMap, which run once. Over depth and comprehensions the code is CEL_DEPTH, over the others CEL_COST.
 */

enum cel_node_kind {
	CEL_N_LITERAL, /* value */
	CEL_N_IDENT,   /* name; a leading dot is part of it */
	CEL_N_SELECT,  /* operand . name; with test_only: has() */
	CEL_N_CALL, /* name, operand (receiver or NULL), arguments. Operators are calls named "_+_", "_&&_", "!_", "-_", "_?_:_",
				  * "_[_]", "_in_" spelt "@in", "_[?_]", "_?._", "_==_", "_<=_" … as in cel-spec */
	CEL_N_LIST,	     /* arguments; those at the indices in `optional` begin with ? */
	CEL_N_MAP,	     /* arguments: key, value, key, value … */
	CEL_N_STRUCT,	     /* name { field: value }: parsed, refused by the checker and the compiler */
	CEL_N_COMPREHENSION, /* what macros become */
};

struct cel_node {
	enum cel_node_kind kind;
	uint32_t id; /* 1 to the tree's node_count, distinct within a tree */
	uint32_t position; /* of its operator, name or first character, in code points from 0, as cel-spec's parser tests have it */
	uint32_t start, end; /* the stretch of source it was written as, bytes; end exclusive */
	const char *name;
	struct cel_value value;
	const struct cel_node *operand;
	const struct cel_node **arguments;
	const char **fields; /* CEL_N_STRUCT: names, parallel to the arguments */
	size_t argument_count;
	const bool *optional; /* CEL_N_LIST: parallel to the arguments; CEL_N_MAP, CEL_N_STRUCT: by entry; NULL: none */
	bool test_only;
	/* CEL_N_COMPREHENSION; as in cel-spec's syntax.proto: for iterator (and second iterator, or NULL) in range, accumulator = init;
	 * while condition: accumulator = step; the value is result */
	struct {
		const char *iterator, *second, *accumulator;
		const struct cel_node *range, *init, *condition, *step, *result;
	} loop;
	/* the macro call as it was written, or NULL: for messages and for cel_unparse. Its arguments are shared with what it became */
	const struct cel_node *macro;
};

struct cel_tree {
	struct arena *arena; /* it lies there, and so does what is only needed to look at it */
	const char *source;  /* a copy */
	size_t source_length;
	const struct cel_node *root;
	uint32_t node_count; /* the highest id; not every id need occur under the root */
};

enum cel_parse_flags {
	CEL_WITHOUT_MACROS = 1,	   /* has(), all(), … stay calls */
	CEL_WITHOUT_OPTIONALS = 2, /* .? and [? and {? are syntax errors */
};

/*
 * What macros become calls functions that no source can name, as cel-spec has it: "@not_strictly_false" (false only for false; true for
 * true and for an error), "cel.@mapInsert" (map, key, value) and (map, map), and by their qualified names "optional.of" (one argument)
 * and "optional.none" (none). Accumulators are named "@result", "@optional", or as cel.bind and optMap say; the iterator of what runs
 * once over an empty list is "#unused".
 */

/*
 * Parses a whole source (well-formed UTF-8; anything else is a fault). Macros: has, all, exists, exists_one (existsOne), map, filter;
 * two-variable all, exists, existsOne, exists_one, transformList, transformMap, transformMapEntry; cel.bind; optMap, optFlatMap. NULL with
 * at least one fault when anything is wrong. limits NULL: the constants. Never recurses deeper than limits->depth levels of the grammar.
 */
const struct cel_tree *cel_parse(struct arena *arena, const char *source, size_t length, unsigned flags,
				 const struct cel_limits *limits, struct cel_faults *faults) CS_MUST_CHECK;

/* Source that parses to an equal tree, with as few parentheses and blanks as can be read; macros as they were written. */
const char *cel_unparse(struct arena *arena, const struct cel_node *node);

/* Adds a fault at a position of the source, with line and column, kept in order; those over CEL_FAULTS_MAX are dropped. Always NULL. */
void *cel_fault_add(struct cel_faults *faults, const char *source, size_t length, enum cel_code code,
		    uint32_t position, const char *format, ...) CS_PRINTF(6, 7);

/* The top-level conjuncts of && from left to right; at most `room` are written, the count is returned whole. */
size_t cel_conjuncts(const struct cel_node *root, const struct cel_node **conjuncts, size_t room);

#endif
