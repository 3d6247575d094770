/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - the arena of one message or one batch. An allocation that fails ends the process: it is supervised and replays. */
#ifndef COUNTERSIGN_MEMORY_H
#define COUNTERSIGN_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

struct arena; /* grows in blocks; everything in it dies at once */

struct arena *arena_open(void);
void arena_close(struct arena *arena); /* NULL is fine */

/* Empties the arena but keeps some blocks, 9 MiB at most, for the next batch. */
void arena_reset(struct arena *arena);

/* Calls release(thing) when everything in the arena dies, at its reset or close, the newest first: for what a library made of its own
 * and something in the arena holds. */
void arena_entrust(struct arena *arena, void (*release)(void *thing), void *thing);

/* Zeroed memory, aligned for any type; never NULL. size 0 gives a valid pointer. */
void *arena_take(struct arena *arena, size_t size);
/* count * size with overflow check (ends the process). */
void *arena_take_array(struct arena *arena, size_t count, size_t size);
/* Copies; the result is always NUL-terminated (one byte more than length). */
char *arena_copy(struct arena *arena, const void *bytes, size_t length);
char *arena_string(struct arena *arena, const char *text); /* NULL gives NULL */
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes handed out since the last reset, for limits and metrics. */
size_t arena_used(const struct arena *arena);

/* A byte string that grows inside an arena; `bytes` is always NUL-terminated once something was added. Start zeroed but for `arena`. */
struct buffer {
	struct arena *arena;
	char *bytes;
	size_t length;
	size_t room;
};
void buffer_add(struct buffer *buffer, const void *bytes, size_t length);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Here, since what is formatted consists of many. */
static inline void
buffer_add_byte(struct buffer *buffer, char byte)
{
	if (buffer->room - buffer->length < 2) {
		buffer_add(buffer, &byte, 1);
		return;
	}
	buffer->bytes[buffer->length++] = byte;
	buffer->bytes[buffer->length] = '\0';
}

/* malloc family for what outlives a message; never NULL. Freed with free(). */
void *memory_take(size_t size); /* zeroed */
char *memory_string(const char *text);
void *memory_grow(void *take_pointer, size_t count, size_t size);

#endif
