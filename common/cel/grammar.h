/* SPDX-License-Identifier: Apache-2.0 */
/* grammar.h - the two halves of the parser to each other: parser.c (operators) and member.c (operands). Pure. */
#ifndef COUNTERSIGN_CEL_GRAMMAR_H
#define COUNTERSIGN_CEL_GRAMMAR_H

#include "common/cel/syntax.h"

/* parser.c: a whole expression, one level deeper. */
struct cel_node *cel_parser_expression(struct parser *parser);
/* parser.c: the current token was expected: on to the next. */
void cel_parser_take(struct parser *parser);
/* parser.c: on to where reading can go on: a closing bracket that was not opened on the way, or (not with to_close) what parts
 * expressions. */
void cel_parser_recover(struct parser *parser, bool to_close);
/* parser.c: a call from its first argument or the current token to the token before. */
struct cel_node *cel_parser_call(struct parser *parser, const char *name, uint32_t position,
				 const struct nodes *arguments);

/* member.c: an operand with the ! or - before it and the selections, calls and indices behind it. */
struct cel_node *cel_parser_unary(struct parser *parser);

#endif
