/* SPDX-License-Identifier: Apache-2.0 */
/* canonical.h - the JSON Canonicalization Scheme of RFC 8785. Pure. Everything we write or digest is in this form. */
#ifndef COUNTERSIGN_CANONICAL_H
#define COUNTERSIGN_CANONICAL_H

#include "common/value/value.h"

/*
 * Appends the RFC 8785 form: members by UTF-16 code units of their names (3.2.3), numbers as ECMAScript writes them
 * (3.2.2.3), strings with the short escapes and lower-case \u00xx (3.2.2.2). Integers outside +-(2^53-1), reals that
 * are not finite and ill-formed UTF-8 are ERROR_INVALID ("number_range", "encoding") with the field's path.
 */
bool canonical_format(struct buffer *out, const struct value *value, struct error *error) CS_MUST_CHECK;

/* The ECMAScript text of a finite double in 32 bytes at most with its NUL (RFC 8785 3.2.2.3, appendix B). */
#define CANONICAL_NUMBER_SIZE 32
void canonical_number(char text[CANONICAL_NUMBER_SIZE], double number);

/* Order of two names by UTF-16 code units: <0, 0, >0. Both well-formed UTF-8. */
int canonical_compare(struct text left, struct text right);

#endif
