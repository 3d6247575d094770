/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h - the compiler's parts among themselves. For compile*.c alone. */
#ifndef COUNTERSIGN_CEL_COMPILE_H
#define COUNTERSIGN_CEL_COMPILE_H

#include "common/cel/bytecode.h"

/* A variable of a comprehension: where it lies in the frame. Innermost first; the structs lie in the C stack of compile_loop. */
struct local {
	const char *name; /* NULL: hidden, named nowhere */
	uint32_t place;
	const struct local *outer;
};

/* An array that begins in the compiler itself and grows in the environment's arena only when it must. */
struct growing {
	void *items;
	size_t count, room;
};

enum { CODE_FIRST = 256, CONSTANTS_FIRST = 64, FEW_FIRST = 32 };

struct compiler {
	struct cel_env *env;
	struct arena *arena; /* the environment's */
	const struct cel_tree *tree;
	const struct cel_checked *checked; /* NULL: unchecked */
	struct cel_faults *faults;
	const struct local *locals;
	struct growing code, constants, functions, regexes, sets, reads;
	size_t depth, depth_max; /* of the stack where the code stands */
	bool failed;		 /* a fault was added */
	struct cel_instruction code_first[CODE_FIRST];
	struct cel_value constants_first[CONSTANTS_FIRST];
	const struct cel_function_entry *functions_first[FEW_FIRST];
	const struct regex *regexes_first[FEW_FIRST];
	struct cel_set sets_first[FEW_FIRST];
	const char *reads_first[FEW_FIRST];
};

/* --- compile_emit.c --- */

/* Room for one more item of this size, zeroed. */
void *compile_grow(struct compiler *c, struct growing *array, size_t size);
/* Adds an instruction that moves the top of the stack by `effect`; its number. */
size_t compile_emit(struct compiler *c, const struct cel_node *node, struct cel_instruction instruction,
		    int effect);
/* Where the next instruction will stand. */
size_t compile_here(const struct compiler *c);
/* Lets a or b of an earlier instruction be here. */
void compile_patch_a(struct compiler *c, size_t instruction);
void compile_patch_b(struct compiler *c, size_t instruction);
/* The number of a constant, interned; strings are copied. */
uint32_t compile_constant(struct compiler *c, struct cel_value value);
uint32_t compile_text(struct compiler *c, const char *text);
/* Pushes an error that happens when this is run. */
void compile_error(struct compiler *c, const struct cel_node *node, enum cel_code code, const char *text);
void compile_fault(struct compiler *c, const struct cel_node *node, enum cel_code code, const char *text);

/* --- compile_constant.c --- */

/* The value of a node that is a literal, what compile_made makes, or a list or map of such; false for anything else and for what fails. */
bool compile_folded(struct compiler *c, const struct cel_node *node, struct cel_value *value);
/* The number of the set of a constant list's items. */
uint32_t compile_set(struct compiler *c, const struct cel_list *list);

/* --- compile_library.c --- */

/* timestamp('…') and other calls that make a value of a literal; the value, false when it is no such call or the function refuses it. */
bool compile_is_made(const struct cel_node *node);
bool compile_made(struct compiler *c, const struct cel_node *node, struct cel_value *value);
/* A fault, in what was checked, when a function will always refuse the literal it is called with: those, and the zones of getHours('…'). */
void compile_refuse_literals(struct compiler *c, const struct cel_node *node);
/* A method whose result depends on a type that only the checker knows: the function that stands for it and its argument. NULL for others. */
const char *compile_typed(const struct compiler *c, const struct cel_node *node, struct cel_value *argument);

/* --- compile_name.c --- */

void compile_ident(struct compiler *c, const struct cel_node *node);
void compile_select(struct compiler *c, const struct cel_node *node);
/* The function that a call with a receiver names, when the receiver is a namespace; NULL when it is a value. */
const struct cel_function_entry *compile_qualified(struct compiler *c, const struct cel_node *call);
/* The function that a call without a receiver names, or NULL. */
const struct cel_function_entry *compile_global(struct compiler *c, const struct cel_node *call);
/* Is all of the node the name of a variable? */
bool compile_variable(const struct compiler *c, const struct cel_node *node, size_t *slot);
const struct local *compile_local(const struct compiler *c, const char *name);

/* --- compile_reads.c --- */

/* Collects the paths that the node can read into c->reads: "context.branch". */
void compile_reads(struct compiler *c, const struct cel_node *node);

/* --- compile_call.c, compile_loop.c, compile.c --- */

void compile_call(struct compiler *c, const struct cel_node *node);
void compile_loop(struct compiler *c, const struct cel_node *node);
void compile_node(struct compiler *c, const struct cel_node *node);

#endif
