/* SPDX-License-Identifier: Apache-2.0 */
/* library_standard.h - the code behind the rows of library_standard.c; each is what function.h says of cel_function. */
#ifndef COUNTERSIGN_CEL_LIBRARY_STANDARD_H
#define COUNTERSIGN_CEL_LIBRARY_STANDARD_H

#include "common/cel/function.h"

/* library_operator.c */
cel_function cel_int_negate, cel_int_add, cel_int_subtract, cel_int_multiply, cel_int_divide, cel_int_modulo;
cel_function cel_uint_add, cel_uint_subtract, cel_uint_multiply, cel_uint_divide, cel_uint_modulo;
cel_function cel_double_negate, cel_double_add, cel_double_subtract, cel_double_multiply, cel_double_divide;

/* library_text.c: what makes or looks through strings, bytes, lists, maps */
cel_function cel_string_add, cel_bytes_add, cel_list_add, cel_map_insert, cel_map_merge;
cel_function cel_string_size, cel_bytes_size, cel_list_size, cel_map_size;
cel_function cel_string_contains, cel_string_starts, cel_string_ends, cel_string_matches;

/* library_convert.c */
cel_function cel_as_it_is, cel_to_type;
cel_function cel_string_to_bool, cel_uint_to_int, cel_double_to_int, cel_string_to_int;
cel_function cel_int_to_uint, cel_double_to_uint, cel_string_to_uint;
cel_function cel_int_to_double, cel_uint_to_double, cel_string_to_double;
cel_function cel_bool_to_string, cel_int_to_string, cel_uint_to_string, cel_double_to_string;
cel_function cel_bytes_to_string, cel_string_to_bytes;

/* The shortest digits that read back as the number: "1", "0.1", "1e+06", "6.02214e+23"; "NaN", "+Inf", "-Inf". The length; at most
 * CEL_DOUBLE_TEXT - 1. */
#define CEL_DOUBLE_TEXT 32
size_t cel_double_text(double real, char text[CEL_DOUBLE_TEXT]);

#endif
