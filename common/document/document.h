/* SPDX-License-Identifier: Apache-2.0 */
/* document.h - a document that people write, in JSON or YAML: its values with their places, and what is wrong with it in words. */
#ifndef COUNTERSIGN_DOCUMENT_H
#define COUNTERSIGN_DOCUMENT_H

#include "common/finding/finding.h"
#include "common/message/policy_document.h"

enum document_form { DOCUMENT_JSON, DOCUMENT_YAML };

/* By the name's ending .json, .yaml or .yml; else JSON when the text begins with {, YAML when not. */
enum document_form document_form(const char *name, const void *bytes, size_t length);

struct document {
	const char *name; /* of the file, for messages */
	struct text source;
	const struct value *value; /* NULL: it could not be read */
	const struct spot *spot;   /* of the value */
};

/*
 * Reads a text whole. Name and bytes are borrowed for as long as the document is used; the rest lives in the arena. Limits and data model are those of
 * json_parse with json_limits_policy, in both forms: what one form takes, the same data take in the other, and what is read here
 * is read by json_parse from its canonical form.
 *
 * YAML is read by libyaml with the JSON data model and no more. Plain scalars (unquoted) are by the core schema of YAML 1.2
 * null (nothing, ~, null, Null, NULL), true and false (also True, TRUE …) and decimal numbers ([-+]?digits, a fraction, an exponent).
 * Everything else is a string: yes, no, on, off, 1_000, 2026-01-01, 12:30, and also 0x1F, 0o7, .inf and .nan, which the core schema has for
 * numbers, but JSON can't write. Refused: anchors, aliases, tags, directives, merge keys, a second document, names that are no strings, and all that JSON
 * refuses (duplicate names, U+0000, numbers beyond 2^53-1 …).
 *
 * Findings are of code E01 (E04 for a limit), words: "empty", "too_large", "encoding", "syntax", "duplicate_key", "number_range", "too_deep",
 * "too_many_members", "too_many_items", "string_too_long", "key_too_long", "not_an_object", "yaml_form". After "syntax" there is
 * no other, as nothing behind it is certain.
 */
bool document_read(struct arena *arena, const char *name, const void *bytes, size_t length,
		   enum document_form form, struct document *document, struct findings *findings) CS_MUST_CHECK;

/* Findings inside of strings get the place in the text that is meant (document_within). */
void document_place(const struct document *document, struct findings *findings);

/*
 * A policy as its author wrote it: document_read, policy_load_whole, and the digest of the canonical form, which is stored. False with
 * findings, placed and in the order of the text, when it is no good policy; `out` is as much as there is then. What this version does
 * not honour is told by policy_gaps.
 */
bool document_policy(struct arena *arena, const char *name, const void *bytes, size_t length,
		     struct document *document, struct policy_document *out,
		     struct findings *findings) CS_MUST_CHECK;

/* Does it hold comments? The document was read. */
bool document_has_comments(const struct document *document);

/*
 * Where the n-th character (from 0) of a string value stands in the text, `at` being the value's stretch: escapes, folded lines and
 * indentation of either form are seen through. Where that can't be told, the value's own place.
 */
struct stretch document_within(const struct document *document, struct stretch at, size_t character);

/*
 * Appends "name:line:column: E01 path: text", the line of the text and a caret below its place, each line ended. Control and invisible
 * characters of the text are shown as ? (tabs as blanks); a long line is shown around its place.
 */
void document_explain(struct buffer *out, const struct document *document, const struct finding *finding);

#endif
