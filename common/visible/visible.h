/* SPDX-License-Identifier: Apache-2.0 */
/* visible.h - other people's text for people's eyes: nothing in it is unseen, turns the line round or begins a new one. */
#ifndef COUNTERSIGN_VISIBLE_H
#define COUNTERSIGN_VISIBLE_H

#include "common/value/value.h"

/* Is there anything in it that the others would write as an escape? */
bool visible_is_unclear(const char *bytes, size_t length);

/* \u{200b} for control, zero-width, bidi and other disguising characters, \xff for bytes that are no UTF-8. */
void visible_add(struct buffer *out, const char *bytes, size_t length);
/* The same in quotation marks, in which \ and " are escaped: where it ends is never in doubt. */
void visible_quote(struct buffer *out, const char *bytes, size_t length);
/* JSON, each string in it quoted so; numbers as RFC 8785 writes them. */
void visible_value(struct buffer *out, const struct value *value);

#endif
