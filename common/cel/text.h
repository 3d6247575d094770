/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - what functions over strings share: positions in code points, and text that grows. Inside common/cel. Pure. */
#ifndef COUNTERSIGN_CEL_TEXT_H
#define COUNTERSIGN_CEL_TEXT_H

#include "common/cel/function.h"

/* Bytes of well-formed UTF-8, borrowed. */
struct cel_text {
	const char *bytes;
	size_t length;
};

static inline struct cel_text
cel_text_of(struct cel_value string)
{
	return (struct cel_text){string.as.bytes, string.extra};
}

/* How many code points. */
size_t cel_text_points(struct cel_text text);
/* The byte at which code point `index` begins, the length for the one behind the last. False outside 0 to that. */
bool cel_text_offset(struct cel_text text, int64_t index, size_t *offset) CS_MUST_CHECK;
/* The bytes of the code point that begins at this byte: 1 to 4. */
size_t cel_text_step(struct cel_text text, size_t offset);
/* Where `part` is in the text at or behind this byte; SIZE_MAX when it is not. In linear time. */
size_t cel_text_find(struct cel_text text, struct cel_text part, size_t from);

/* Text that grows in the machine's memory. Starts zeroed but for `machine`; when something fails, it stays failed. */
struct cel_writer {
	struct cel_machine *machine;
	char *bytes;
	size_t length, room;
	bool failed;
};
void cel_write(struct cel_writer *writer, const char *bytes, size_t length);
void cel_write_text(struct cel_writer *writer, const char *text);
/* The string, its bytes charged as one pass; CEL_MEMORY when it became too long. */
struct cel_value cel_written(struct cel_writer *writer);

/*
 * Fills a format (`%s`, `%.2f` …) with the items; the errors are those of format(), see library_strings.c. Here because it is long.
 */
struct cel_value cel_format(struct cel_machine *machine, struct cel_text format, const struct cel_list *items);

#endif
