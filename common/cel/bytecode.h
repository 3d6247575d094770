/* SPDX-License-Identifier: Apache-2.0 */
/* bytecode.h - what a tree is compiled to, and what the machine runs: a stack of values whose depth is known beforehand, every
 * instruction as long as every other. For compile*.c and evaluate*.c. Pure. */
#ifndef COUNTERSIGN_CEL_BYTECODE_H
#define COUNTERSIGN_CEL_BYTECODE_H

#include "common/cel/env.h"

struct regex;

/* An operand that is an error stays the result, the leftmost first, unless it says otherwise. `a`, `b`, `count`: of the instruction. */
enum cel_op {
	OP_CONSTANT,	   /* pushes constants[a], which may be an error */
	OP_SLOT,	   /* pushes the variable in slot a */
	OP_SLOT_FIELD,	   /* slot a, then field constants[b]; likely the entry `count` */
	OP_LOCAL,	   /* pushes what lies at a in the frame */
	OP_FIELD,	   /* top: its field constants[a], likely the entry `count` */
	OP_HAS,		   /* top: has it field constants[a], likely the entry `count`? */
	OP_FIELD_OPTIONAL, /* top .? constants[a] */
	OP_INDEX,	   /* pops a key; top [key] */
	OP_INDEX_OPTIONAL, /* pops a key; top [?key] */
	OP_NOT,
	OP_EQUAL,	   /* with count 1: not equal */
	OP_EQUAL_CONSTANT, /* top == constants[a]; with count 1: != */
	OP_ORDER,	   /* pops right; left against it, by enum cel_relation in count */
	OP_ORDER_CONSTANT, /* top against constants[a] */
	OP_IN,
	OP_IN_SET,  /* top in sets[a] */
	OP_CALL,    /* functions[a] with count arguments, b: the receiver is one */
	OP_MATCHES, /* top matches regexes[a], whose pattern has b bytes */
	OP_LIST, /* of the a values on top; b is a constant with a byte for each, 1: optional, or NO_FLAGS */
	OP_MAP,	 /* of the a pairs on top; b likewise by pair */
	OP_IF_FALSE, /* top false: goes on at a, leaving it */
	OP_IF_TRUE,  /* top true: goes on at a, leaving it */
	OP_AND,	     /* pops right; absorbs errors */
	OP_OR,
	OP_OR_ELSE, /* top an optional that has a value: goes on at a, with count 1 after taking the value out */
	OP_BRANCH, /* pops a condition; false: goes on at a; no bool: pushes the error and goes on at b */
	OP_JUMP,   /* goes on at a */
	OP_NOT_STRICTLY_FALSE, /* false only for false: errors are true */
	/* comprehensions; the frame at a: range, accumulator, cursor, first variable, second variable */
	OP_BUILDER, /* pushes an empty list (count 0) or map (1) that grows in place */
	OP_LOOP, /* range and accumulator are on top; a range that cannot be walked is the result: goes on at b */
	OP_NEXT,  /* the next element into one (count 1) or two variables; at the end goes on at b */
	OP_WHILE, /* pops a condition; false: goes on at b */
	OP_GUARD, /* pops a condition; false: goes on at b; no bool: the accumulator is the error, goes on at b */
	OP_STORE,  /* pops into the accumulator */
	OP_APPEND, /* pops an item onto the list that the accumulator builds */
	OP_INSERT, /* pops a value and a key, or with count 1 a map of entries, into the map that the accumulator builds */
	OP_FINISH, /* what was built becomes a map */
	OP_SLIDE,  /* top moves down to a, where the range was */
	OP_RETURN,
};

enum cel_relation { RELATION_LESS, RELATION_LESS_EQUAL, RELATION_GREATER, RELATION_GREATER_EQUAL };

#define NO_FLAGS UINT32_MAX
#define NO_HINT UINT16_MAX

enum { FRAME_RANGE, FRAME_ACCUMULATOR, FRAME_CURSOR, FRAME_FIRST, FRAME_SECOND, FRAME_SIZE };

struct cel_instruction {
	uint8_t op;
	uint16_t count;
	uint32_t a, b;
	uint32_t position; /* in the source, for errors */
};

/* Constants to look a value up in. */
struct cel_set {
	const struct cel_value *items;
	size_t count;
	bool strings; /* all of them are */
	const uint32_t *table; /* of a large set of strings: by hash, 1 + the item's number; 0: empty. mask + 1 places */
	size_t mask;
};

struct cel_program {
	const struct cel_instruction *code;
	const struct cel_value *constants;
	const struct cel_function_entry *const *functions;
	const struct regex *const *regexes;
	const struct cel_set *sets;
	size_t depth;	   /* values on the stack at most */
	size_t slot_count; /* of the environment when it was compiled */
	const char *const *reads;
	size_t read_count;
	uint64_t cost;
};

/* The hash that a set's table is laid out by. */
static inline uint32_t
cel_set_hash(const char *bytes, size_t length)
{
	uint32_t hash = 2166136261u ^ (uint32_t)length;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
	return hash ^ hash >> 15;
}

#endif
