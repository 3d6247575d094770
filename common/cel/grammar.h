/* SPDX-License-Identifier: Apache-2.0 */
/* grammar.h - the parts of the parser to each other: parser.c (operators), member.c (operands), collection.c (lists, maps, structs). Pure. */
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
/* member.c: what was expected at the current token is not there: a fault, and on to where reading can go on. */
struct cel_node *cel_parser_missing(struct parser *parser, const char *expected);
/* member.c: the bracket that closes what this token opened. */
void cel_parser_close(struct parser *parser, enum token_kind closing, const struct token *open);
/* member.c: a node that began at this token and ended with the token before the current one. */
struct syntax *cel_parser_spanning(struct parser *parser, enum cel_node_kind kind, const struct token *first);
/* member.c: takes the ? of something optional if it is there; with a fault at this position where the caller wants none. */
bool cel_parser_optional(struct parser *parser, uint32_t position);
/* member.c: the name that a token is, without backticks. */
char *cel_token_name(const struct parser *parser, const struct token *token);

/* collection.c: from their opening bracket; a struct's name, which starts at this byte, has been read. */
struct cel_node *cel_parser_list(struct parser *parser);
struct cel_node *cel_parser_map(struct parser *parser);
struct cel_node *cel_parser_struct(struct parser *parser, const char *name, uint32_t start);

#endif
