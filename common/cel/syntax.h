/* SPDX-License-Identifier: Apache-2.0 */
/* syntax.h - what lexer, parser and macros share with each other and with nobody else. Pure. */
#ifndef COUNTERSIGN_CEL_SYNTAX_H
#define COUNTERSIGN_CEL_SYNTAX_H

#include "common/cel/ast.h"

enum token_kind {
	TOKEN_END,
	TOKEN_BAD, /* its fault is known already */
	TOKEN_IDENT,
	TOKEN_QUOTED_IDENT, /* in backticks, which are part of the stretch */
	TOKEN_INT,
	TOKEN_UINT,
	TOKEN_DOUBLE,
	TOKEN_STRING, /* with prefix and quotes */
	TOKEN_BYTES,
	TOKEN_TRUE,
	TOKEN_FALSE,
	TOKEN_NULL,
	TOKEN_IN,
	TOKEN_EQUAL,
	TOKEN_NOT_EQUAL,
	TOKEN_LESS,
	TOKEN_LESS_EQUAL,
	TOKEN_MORE,
	TOKEN_MORE_EQUAL,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_STAR,
	TOKEN_SLASH,
	TOKEN_PERCENT,
	TOKEN_NOT,
	TOKEN_QUESTION,
	TOKEN_COLON,
	TOKEN_COMMA,
	TOKEN_DOT,
	TOKEN_OPEN_PAREN,
	TOKEN_CLOSE_PAREN,
	TOKEN_OPEN_BRACKET,
	TOKEN_CLOSE_BRACKET,
	TOKEN_OPEN_BRACE,
	TOKEN_CLOSE_BRACE,
	TOKEN_KIND_COUNT
};

struct token {
	enum token_kind kind;
	uint32_t start, end; /* bytes */
	uint32_t position;   /* code points */
};

struct parser {
	struct arena *arena;
	const char *source;
	uint32_t length;
	unsigned flags;
	struct cel_limits limits;
	struct cel_faults *faults;

	uint32_t at, position; /* behind the current token */
	struct token token;    /* the current one */
	uint32_t previous_end; /* of the token before it, bytes */

	uint32_t nodes, level;
	bool recovering; /* a fault was found and nothing has been read as expected since: what follows from it is not told */
	bool failed;  /* at least one fault was found */
	bool stopped; /* a limit was passed: no further faults, and the source ends here */
};

/* A node and what only the parser needs to know of it. */
struct syntax {
	struct cel_node node;		 /* first, so that either pointer can be had from the other */
	uint32_t height;		 /* of the tree below */
	uint32_t loops;			 /* within each other, in it */
	uint32_t outer_start, outer_end; /* bytes, with the parentheses around it */
	bool bad;			 /* stands for something that was wrong; its fault is known */
};

/* A list of nodes that grows. */
struct nodes {
	const struct cel_node **items;
	bool *optional; /* parallel, NULL while none is */
	size_t count, room;
};

/* lexer.c: makes the next token the current one. */
void cel_parser_advance(struct parser *parser);
/* lexer.c: what a token is called in faults: "')'", "the name 'x'", "the end". */
const char *cel_token_text(const struct parser *parser, const struct token *token);
bool cel_is_identifier(const char *text, size_t length);

/* literal.c: the value of a literal token, an integer or double with a minus before it; false with a fault. */
bool cel_literal(struct parser *parser, const struct token *token, bool negative, struct cel_value *value);

/* tree.c: a node with the current number, position and stretch; what it is over is set by the caller, who then calls cel_parser_seal. */
struct syntax *cel_parser_node(struct parser *parser, enum cel_node_kind kind, uint32_t position);
/* tree.c: measures a node that is complete and holds it to the limits. Returns it. */
struct cel_node *cel_parser_seal(struct parser *parser, struct syntax *node);
/* tree.c: a node in the place of something that was wrong. */
struct cel_node *cel_parser_bad(struct parser *parser);
bool cel_node_is_bad(const struct cel_node *node);
void cel_nodes_add(struct parser *parser, struct nodes *nodes, const struct cel_node *node, bool optional);
const struct syntax *cel_syntax(const struct cel_node *node);

/* parser.c: a fault at a token or position, unless it follows from one that is known. */
void cel_parser_fault(struct parser *parser, uint32_t position, const char *format, ...) CS_PRINTF(3, 4);
/* parser.c: a limit is passed; nothing more is read. */
void cel_parser_stop(struct parser *parser, enum cel_code code, uint32_t position, const char *format, ...)
    CS_PRINTF(4, 5);

/* macros.c: what a call becomes; the call itself when it is no macro. */
struct cel_node *cel_macro(struct parser *parser, struct cel_node *call);

#endif
