/* SPDX-License-Identifier: Apache-2.0 */
/* zone_parse.c - a file of the time zone database (RFC 9636, versions 1 to 4) as a table of offsets, and looking things up in it. */
#include "common/zone/zone_private.h"

#include "common/memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 44,
	TYPE = 6, /* bytes of a local time type: offset, daylight saving or not, designation */
	TYPES_MAX = 256,
};

struct zone {
	char *name;
	size_t name_length, count;
	int64_t *times;	  /* of the transitions, ascending */
	int32_t *offsets; /* from that time on; one more in front, for the time before all of them */
	bool ruled;
	struct zone_rule rule; /* from the last transition on */
};

/* The counts of a header, and its data block, which holds times of `width` bytes. */
struct block {
	uint32_t utc, standard, leaps, times, types, characters;
	size_t width;
	const uint8_t *bytes;
	size_t length;
};

static uint64_t
big_endian(const uint8_t *bytes, size_t width)
{
	uint64_t number = 0;

	for (size_t i = 0; i < width; i++)
		number = number << 8 | bytes[i];
	return number;
}

static int64_t
time_at(const struct block *block, size_t index)
{
	uint64_t number = big_endian(block->bytes + index * block->width, block->width);

	return block->width == 8 ? (int64_t)number : (int32_t)number;
}

/* Reads a header and finds its data block; both must lie within the file. */
static bool
find_block(const uint8_t *bytes, size_t length, size_t width, struct block *block)
{
	if (length < HEADER || memcmp(bytes, "TZif", 4) != 0)
		return false;
	*block = (struct block){
	    .utc = (uint32_t)big_endian(bytes + 20, 4),
	    .standard = (uint32_t)big_endian(bytes + 24, 4),
	    .leaps = (uint32_t)big_endian(bytes + 28, 4),
	    .times = (uint32_t)big_endian(bytes + 32, 4),
	    .types = (uint32_t)big_endian(bytes + 36, 4),
	    .characters = (uint32_t)big_endian(bytes + 40, 4),
	    .width = width,
	    .bytes = bytes + HEADER,
	};
	if (block->utc > ZONE_FILE_MAX || block->standard > ZONE_FILE_MAX || block->leaps > ZONE_FILE_MAX
	    || block->times > ZONE_FILE_MAX || block->types > ZONE_FILE_MAX
	    || block->characters > ZONE_FILE_MAX)
		return false;
	block->length = block->times * (width + 1) + block->types * (size_t)TYPE + block->characters
			+ block->leaps * (width + 4) + block->standard + block->utc;
	return block->length <= length - HEADER;
}

/* The offset of a local time type, by its index. */
static bool
offset_of(const struct block *block, size_t type, int32_t *offset)
{
	const uint8_t *types = block->bytes + block->times * (block->width + 1);

	if (type >= block->types)
		return false;
	*offset = (int32_t)big_endian(types + type * TYPE, 4);
	return *offset > -ZONE_OFFSET_MAX && *offset < ZONE_OFFSET_MAX;
}

/* The newline, the rule, and a newline, to the end of the file. No rule is one, too: nothing is known of that time. */
static bool
read_footer(struct zone *zone, const uint8_t *bytes, size_t length)
{
	if (length < 2 || bytes[0] != '\n' || bytes[length - 1] != '\n')
		return false;
	zone->ruled = length > 2;
	return !zone->ruled || zone_rule_parse((const char *)bytes + 1, length - 2, &zone->rule);
}

static bool
read_block(struct zone *zone, const struct block *block)
{
	if (block->types == 0 || block->types > TYPES_MAX || block->leaps > 0
	    || !offset_of(block, 0, &zone->offsets[0]))
		return false;
	for (size_t i = 0; i < block->times; i++) {
		zone->times[i] = time_at(block, i);
		if ((i > 0 && zone->times[i] <= zone->times[i - 1])
		    || !offset_of(block, block->bytes[block->times * block->width + i], &zone->offsets[i + 1]))
			return false;
	}
	return true;
}

struct zone *
zone_parse(const char *name, size_t name_length, const uint8_t *bytes, size_t length)
{
	const uint8_t *end = bytes + length;
	struct zone *zone;
	struct block block;
	bool ok;

	if (length > ZONE_FILE_MAX || !find_block(bytes, length, 4, &block))
		return NULL;
	ok = bytes[4] == '\0' || (bytes[4] >= '2' && bytes[4] <= '4');
	if (ok && bytes[4] != '\0') /* the same again with longer times, and then the rule */
		ok = find_block(block.bytes + block.length, (size_t)(end - block.bytes) - block.length, 8,
				&block);
	if (!ok)
		return NULL;
	zone = memory_take(sizeof *zone);
	zone->name = memory_take(name_length + 1);
	memcpy(zone->name, name, name_length);
	zone->name_length = name_length;
	zone->count = block.times;
	zone->times = memory_take(block.times * sizeof *zone->times + 1);
	zone->offsets = memory_take((block.times + (size_t)1) * sizeof *zone->offsets);
	if (read_block(zone, &block)
	    && (block.width == 4
		|| read_footer(zone, block.bytes + block.length, (size_t)(end - block.bytes) - block.length)))
		return zone;
	zone_free(zone);
	return NULL;
}

void
zone_free(struct zone *zone)
{
	if (!zone)
		return;
	free(zone->name);
	free(zone->times);
	free(zone->offsets);
	free(zone);
}

bool
zone_is_named(const struct zone *zone, const char *name, size_t length)
{
	return zone->name_length == length && memcmp(zone->name, name, length) == 0;
}

int32_t
zone_offset(const struct zone *zone, int64_t time)
{
	size_t low = 0, high = zone->count; /* the transitions before low are not later than the time */

	if (zone->ruled && (zone->count == 0 || time >= zone->times[zone->count - 1]))
		return zone_rule_offset(&zone->rule, time);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (zone->times[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return zone->offsets[low];
}
