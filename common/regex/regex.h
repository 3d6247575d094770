/* SPDX-License-Identifier: Apache-2.0 */
/* regex.h - regular expressions of RE2's syntax, in time linear in the text. The one room that knows C++. */
#ifndef COUNTERSIGN_REGEX_H
#define COUNTERSIGN_REGEX_H

#include "common/error/error.h"
#include <stddef.h>

#define REGEX_MEMORY_MAX (1024 * 1024) /* bytes of one compiled expression, its caches included */

struct regex; /* immutable; may be used by several threads */

/* NULL: ERROR_INVALID "regex" and what is wrong with it. */
struct regex *regex_open(const char *pattern, size_t length, struct error *error) CS_MUST_CHECK;
void regex_close(struct regex *regex); /* NULL is fine */
/* Does it match anywhere in the text (unanchored)? */
bool regex_search(const struct regex *regex, const char *text, size_t length);

#endif
