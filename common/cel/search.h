/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - a string of bytes within another, in time linear in both. For the libraries of common/cel. Pure. */
#ifndef COUNTERSIGN_CEL_SEARCH_H
#define COUNTERSIGN_CEL_SEARCH_H

#include <stddef.h>

/* Where the pattern first begins in the text, or SIZE_MAX; an empty one at 0. No memory is taken. */
size_t cel_search(const char *text, size_t length, const char *pattern, size_t pattern_length);

#endif
