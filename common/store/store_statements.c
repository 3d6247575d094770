/* SPDX-License-Identifier: Apache-2.0 */
/* store_statements.c - the texts of sql/query, as made by sql/embed.sh. */
#define STATEMENTS_TEXT
#include "common/store/store_private.h"

#include <assert.h>

const char *
store_statement_name(enum statement statement)
{
	assert(statement < STATEMENTS);
	return statement_names[statement];
}

const char *
store_statement_text(enum statement statement)
{
	assert(statement < STATEMENTS);
	return statement_texts[statement];
}
