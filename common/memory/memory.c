/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - arenas out of a few malloc'ed blocks, and the malloc family that ends the process. The only malloc of the core. */
#include "common/memory/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
enum { MEMORY_GAP = 16 }; /* poisoned bytes behind each piece, so that the sanitizer sees inside an arena */
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
enum { MEMORY_GAP = 0 };
#endif

enum {
	BLOCK_FIRST = 16 * 1024,
	BLOCK_DOUBLING_ENDS = 1024 * 1024, /* larger blocks are made for one piece and never kept */
	SPARE_MOST = 8, /* blocks of that size; more would be asked of the system and given back for every batch */
	BUFFER_FIRST = 128,
};

/* Newest first. The bytes handed out follow the struct. */
struct block {
	struct block *older;
	size_t size;
	size_t used;
	_Alignas(max_align_t) unsigned char bytes[];
};

/* Lies in the arena itself. */
struct entrusted {
	struct entrusted *older;
	void (*release)(void *thing);
	void *thing;
};

struct arena {
	struct block *newest;
	struct block *spare; /* empty, of BLOCK_DOUBLING_ENDS each */
	size_t spare_count;
	size_t used;
	struct entrusted *entrusted; /* newest first */
};

/* No text: this room does no output, and a core file says more. */
static void *
or_end(void *pointer)
{
	if (!pointer)
		abort();
	return pointer;
}

static size_t
sum(size_t left, size_t right)
{
	size_t result;

	if (__builtin_add_overflow(left, right, &result))
		abort();
	return result;
}

static size_t
product(size_t count, size_t size)
{
	size_t result;

	if (__builtin_mul_overflow(count, size, &result))
		abort();
	return result;
}

void *
memory_take(size_t size)
{
	return or_end(calloc(1, size ? size : 1));
}

char *
memory_string(const char *text)
{
	assert(text);
	return or_end(strdup(text));
}

void *
memory_grow(void *take_pointer, size_t count, size_t size)
{
	size_t bytes = product(count, size);

	return or_end(realloc(take_pointer, bytes ? bytes : 1));
}

static struct block *
block_open(struct block *older, size_t size)
{
	struct block *block = or_end(malloc(sum(sizeof *block, size)));

	block->older = older;
	block->size = size;
	block->used = 0;
	ASAN_POISON_MEMORY_REGION(block->bytes, size);
	return block;
}

static void
block_close(struct block *block)
{
	ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
	free(block);
}

struct arena *
arena_open(void)
{
	struct arena *arena = memory_take(sizeof *arena);

	arena->newest = block_open(NULL, BLOCK_FIRST);
	return arena;
}

static void
close_all(struct block *block)
{
	while (block) {
		struct block *older = block->older;

		block_close(block);
		block = older;
	}
}

static void
release_all(struct arena *arena)
{
	for (struct entrusted *one = arena->entrusted; one; one = one->older)
		one->release(one->thing);
	arena->entrusted = NULL;
}

void
arena_entrust(struct arena *arena, void (*release)(void *thing), void *thing)
{
	struct entrusted *one = arena_take(arena, sizeof *one);

	*one = (struct entrusted){.older = arena->entrusted, .release = release, .thing = thing};
	arena->entrusted = one;
}

void
arena_close(struct arena *arena)
{
	if (!arena)
		return;
	release_all(arena);
	close_all(arena->newest);
	close_all(arena->spare);
	free(arena);
}

static void
block_empty(struct block *block, struct block *older)
{
	block->older = older;
	block->used = 0;
	ASAN_POISON_MEMORY_REGION(block->bytes, block->size);
}

/* Of the blocks that doubling made the largest stays in use, and some of those that are as large as it gets are set aside. */
void
arena_reset(struct arena *arena)
{
	struct block *kept = NULL, *next;

	release_all(arena);
	for (struct block *block = arena->newest; block; block = next) {
		struct block *loser = block;

		next = block->older;
		if (block->size <= BLOCK_DOUBLING_ENDS && (!kept || block->size > kept->size)) {
			loser = kept;
			kept = block;
		}
		if (loser && loser->size == BLOCK_DOUBLING_ENDS && arena->spare_count < SPARE_MOST) {
			block_empty(loser, arena->spare);
			arena->spare = loser;
			arena->spare_count++;
		} else if (loser) {
			block_close(loser);
		}
	}
	assert(kept); /* the first block is small enough */
	block_empty(kept, NULL);
	arena->newest = kept;
	arena->used = 0;
}

static struct block *
take_spare(struct arena *arena)
{
	struct block *block = arena->spare;

	arena->spare = block->older;
	arena->spare_count--;
	block->older = arena->newest;
	return block;
}

static void
arena_grow(struct arena *arena, size_t wanted)
{
	size_t size = 2 * arena->newest->size;

	if (size > BLOCK_DOUBLING_ENDS)
		size = BLOCK_DOUBLING_ENDS;
	if (size == BLOCK_DOUBLING_ENDS && wanted <= size && arena->spare)
		arena->newest = take_spare(arena);
	else
		arena->newest = block_open(arena->newest, wanted > size ? wanted : size);
}

/* What a piece of so many bytes takes away from its block. */
static size_t
taken_by(size_t size)
{
	size_t alignment = _Alignof(max_align_t);

	return sum(sum(size ? size : 1, MEMORY_GAP), alignment - 1) / alignment * alignment;
}

/* Not zeroed, for those who fill it at once. */
static void *
take(struct arena *arena, size_t size)
{
	size_t wanted = taken_by(size);

	if (wanted > arena->newest->size - arena->newest->used)
		arena_grow(arena, wanted);

	unsigned char *piece = arena->newest->bytes + arena->newest->used;

	arena->newest->used += wanted;
	arena->used = sum(arena->used, size);
	ASAN_UNPOISON_MEMORY_REGION(piece, size);
	return piece;
}

/* Makes a piece larger where it lies; false when something follows it or its block ends. */
static bool
extend(struct arena *arena, const unsigned char *piece, size_t size, size_t larger)
{
	struct block *block = arena->newest;
	size_t more = taken_by(larger) - taken_by(size);

	if (!piece || piece + taken_by(size) != block->bytes + block->used || more > block->size - block->used)
		return false;
	block->used += more;
	arena->used = sum(arena->used, larger - size);
	ASAN_UNPOISON_MEMORY_REGION(piece, larger);
	return true;
}

void *
arena_take(struct arena *arena, size_t size)
{
	return memset(take(arena, size), 0, size);
}

void *
arena_take_array(struct arena *arena, size_t count, size_t size)
{
	return arena_take(arena, product(count, size));
}

char *
arena_copy(struct arena *arena, const void *bytes, size_t length)
{
	char *copy = take(arena, sum(length, 1));

	if (length)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *
arena_string(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static size_t
formatted_length(const char *format, va_list arguments)
{
	int length = vsnprintf(NULL, 0, format, arguments);

	if (length < 0)
		abort();
	return (size_t)length;
}

char *
arena_format(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);

	size_t size = formatted_length(format, arguments) + 1;
	char *text = take(arena, size);

	vsnprintf(text, size, format, again);
	va_end(again);
	va_end(arguments);
	return text;
}

size_t
arena_used(const struct arena *arena)
{
	return arena->used;
}

/* What was there stays valid in the arena, so adding from the own bytes is safe. */
static void
buffer_grow(struct buffer *buffer, size_t more)
{
	size_t wanted = sum(sum(buffer->length, more), 1);
	size_t room = buffer->room ? product(buffer->room, 2) : BUFFER_FIRST;

	if (room < wanted)
		room = wanted;
	if (extend(buffer->arena, (unsigned char *)buffer->bytes, buffer->room, room)) {
		buffer->room = room;
		return;
	}

	char *bytes = take(buffer->arena, room);

	if (buffer->length)
		memcpy(bytes, buffer->bytes, buffer->length);
	buffer->bytes = bytes;
	buffer->room = room;
}

/* Room for `more` bytes and the NUL. */
static inline void
buffer_reserve(struct buffer *buffer, size_t more)
{
	if (buffer->length >= buffer->room || more >= buffer->room - buffer->length)
		buffer_grow(buffer, more);
}

void
buffer_add(struct buffer *buffer, const void *bytes, size_t length)
{
	buffer_reserve(buffer, length);
	if (length)
		memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
	buffer->bytes[buffer->length] = '\0';
}

void
buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void
buffer_add_format(struct buffer *buffer, const char *format, ...)
{
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);

	size_t length = formatted_length(format, arguments);

	buffer_reserve(buffer, length);
	vsnprintf(buffer->bytes + buffer->length, length + 1, format, again);
	buffer->length += length;
	va_end(again);
	va_end(arguments);
}
