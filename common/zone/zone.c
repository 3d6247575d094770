/* SPDX-License-Identifier: Apache-2.0 */
/* zone.c - zones by name: reading each file once and keeping what it says. Looking up takes no lock. */
#include "common/zone/zone.h"

#include "common/zone/zone_private.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/usr/share/zoneinfo/"

enum { NAME_MAX_LENGTH = 64, ZONES_MAX = 1024, SLOTS = 4096 };

/* Filled slots stay as they are for as long as the process lives; probed one after the other. */
static _Atomic(struct zone *) slots[SLOTS];
static size_t used;
static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

static bool
is_name_byte(char byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')
	       || byte == '_' || byte == '+' || byte == '-';
}

static bool
starts_with(const char *name, size_t length, const char *start)
{
	return length >= strlen(start) && memcmp(name, start, strlen(start)) == 0;
}

/*
 * One or more words of those characters between slashes, so that no path leads out of the folder. The folder's copies of itself
 * (posix/, right/) have no names of their own, and what "localtime" is differs from machine to machine.
 */
static bool
is_name(const char *name, size_t length)
{
	if (length == 0 || length > NAME_MAX_LENGTH || name[0] == '/' || name[length - 1] == '/')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_name_byte(name[i]) && (name[i] != '/' || name[i - 1] == '/'))
			return false;
	return !starts_with(name, length, "posix") && !starts_with(name, length, "right/")
	       && !starts_with(name, length, "localtime");
}

/* The whole of a regular file of at most ZONE_FILE_MAX bytes; -1 when it is none or cannot be read. */
static ssize_t
read_file(const char *path, uint8_t *bytes)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t length = 0, more = -1;

	if (file < 0)
		return -1;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= ZONE_FILE_MAX)
		while (length < ZONE_FILE_MAX
		       && (more = read(file, bytes + length, (size_t)(ZONE_FILE_MAX - length))) > 0)
			length += more;
	close(file);
	return more < 0 ? -1 : length;
}

static struct zone *
read_zone(const char *name, size_t name_length)
{
	char path[sizeof FOLDER + NAME_MAX_LENGTH];
	uint8_t *bytes = malloc(ZONE_FILE_MAX);
	struct zone *zone = NULL;
	ssize_t length;

	if (!bytes)
		abort();
	snprintf(path, sizeof path, FOLDER "%.*s", (int)name_length, name);
	length = read_file(path, bytes);
	if (length >= 0)
		zone = zone_parse(name, name_length, bytes, (size_t)length);
	free(bytes);
	return zone;
}

/* The slot that holds the zone of this name, or the empty one where it belongs. */
static _Atomic(struct zone *) *
find_slot(const char *name, size_t length)
{
	uint32_t hash = 2166136261U;
	struct zone *zone;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619U;
	for (size_t slot = hash % SLOTS;; slot = (slot + 1) % SLOTS) {
		zone = atomic_load_explicit(&slots[slot], memory_order_acquire);
		if (!zone || zone_is_named(zone, name, length))
			return &slots[slot];
	}
}

/* Keeps a zone that was read; the one that is kept already when another thread was faster. NULL when there is no room. */
static const struct zone *
keep(struct zone *take_zone, const char *name, size_t length)
{
	struct zone *kept;

	pthread_mutex_lock(&filling);
	kept = atomic_load_explicit(find_slot(name, length), memory_order_acquire);
	if (!kept && used < ZONES_MAX) {
		used++;
		kept = take_zone;
		take_zone = NULL;
		atomic_store_explicit(find_slot(name, length), kept, memory_order_release);
	}
	pthread_mutex_unlock(&filling);
	zone_free(take_zone);
	return kept;
}

const struct zone *
zone_find(const char *name, size_t length)
{
	struct zone *zone;

	if (!is_name(name, length))
		return NULL;
	zone = atomic_load_explicit(find_slot(name, length), memory_order_acquire);
	if (zone)
		return zone;
	zone = read_zone(name, length); /* not under the lock: a disk may be slow */
	return zone ? keep(zone, name, length) : NULL;
}
