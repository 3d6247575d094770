/* SPDX-License-Identifier: Apache-2.0 */
/* comments.c - whether a document says something to people alone. libyaml skips comments: they lie between its tokens, or behind the sign of
 * a block text. */
#include "common/document/document.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* The source, walked once: libyaml counts characters. */
struct walked {
	struct text source;
	size_t byte, character;
};

/* Moves to a character and says whether there was a # on the way, in the first line alone where that is asked for. */
static bool
passes_sign(struct walked *walked, size_t to, bool first_line)
{
	bool found = false, counts = true;

	while (walked->character < to && walked->byte < walked->source.length) {
		char letter = walked->source.bytes[walked->byte++];

		counts = counts && !(first_line && letter == '\n');
		found = found || (counts && letter == '#');
		walked->character += walked->byte == walked->source.length
				     || (walked->source.bytes[walked->byte] & 0xc0) != 0x80;
	}
	return found;
}

static bool
is_block_text(const yaml_token_t *token)
{
	return token->type == YAML_SCALAR_TOKEN
	       && (token->data.scalar.style == YAML_LITERAL_SCALAR_STYLE
		   || token->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

/* Up to the end of this token. */
static bool
token_passes_sign(struct walked *walked, const yaml_token_t *token)
{
	bool before = passes_sign(walked, token->start_mark.index, false);
	bool within = passes_sign(walked, token->end_mark.index, is_block_text(token));

	return before || (within && is_block_text(token));
}

bool
document_has_comments(const struct document *document)
{
	struct walked walked = {.source = document->source};
	yaml_parser_t parser;
	bool found = false, done = false;

	if (document_form(document->name, walked.source.bytes, walked.source.length) == DOCUMENT_JSON)
		return false;
	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)walked.source.bytes, walked.source.length);
	while (!found && !done) {
		yaml_token_t token;

		if (!yaml_parser_scan(&parser, &token))
			break;
		found = token_passes_sign(&walked, &token);
		done = token.type == YAML_STREAM_END_TOKEN;
		yaml_token_delete(&token);
	}
	yaml_parser_delete(&parser);
	return found;
}
