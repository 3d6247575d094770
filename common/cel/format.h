/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - one call of format() while it runs: for format.c and format_number.c alone. Pure. */
#ifndef COUNTERSIGN_CEL_FORMAT_H
#define COUNTERSIGN_CEL_FORMAT_H

#include "common/cel/text.h"

struct formatter {
	struct cel_writer out; /* what became too long is found out at the end */
	enum cel_code code;    /* what is wrong, once something is */
	const char *text;
};

/* Both so that `return` reads well: always false, always true. */
bool format_refuse(struct formatter *formatter, enum cel_code code, const char *text);
bool format_put(struct formatter *formatter, const char *text);

/* The fewest digits that read back equal, never with an exponent; "NaN", "Infinity". */
bool format_real(struct formatter *formatter, double real);
/* An int or a uint in base 2, 8, 10 or 16. */
bool format_integer(struct formatter *formatter, struct cel_value value, unsigned base, bool capital);

/* %d; %f and %e; %b; %o; %x and %X. False when the value is of no type that they take. */
bool format_decimal(struct formatter *formatter, struct cel_value value);
bool format_rounded(struct formatter *formatter, struct cel_value value, char conversion, int precision);
bool format_binary(struct formatter *formatter, struct cel_value value);
bool format_octal(struct formatter *formatter, struct cel_value value);
bool format_hex(struct formatter *formatter, struct cel_value value, bool capital);

#endif
