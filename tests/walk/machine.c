/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - preloaded into a PostgreSQL or a service: its host has another time and a full disk, as a story says in
 * the file that STORY_MACHINE names, and knows names that mean harm. Monotonic time is left alone, so waits last as long
 * as ever.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* As the story writes it; microseconds. */
struct said {
	volatile int64_t offset; /* of the clock */
	volatile int64_t frozen; /* not 0: it stands still there */
	volatile int64_t full;	 /* not 0: no file of data can grow */
};

static const struct said *
said(void)
{
	static const struct said nothing, *found;
	const char *path = getenv("STORY_MACHINE");
	int file;

	if (found)
		return found;
	file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof nothing, PROT_READ, MAP_SHARED, file, 0);

	if (file >= 0)
		close(file);
	found = mapped == MAP_FAILED ? &nothing : mapped;
	return found;
}

/* ------------------------------------------------------------------ the clock */

static int64_t
microseconds(void)
{
	const struct said *told = said();
	struct timespec real;

	if (told->frozen)
		return told->frozen;
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
	return (int64_t)real.tv_sec * 1000000 + real.tv_nsec / 1000 + told->offset;
}

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	int64_t time;

	if (clock != CLOCK_REALTIME)
		return (int)syscall(SYS_clock_gettime, clock, now);
	time = microseconds();
	now->tv_sec = time / 1000000;
	now->tv_nsec = time % 1000000 * 1000;
	return 0;
}

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	int64_t time = microseconds();

	(void)zone;
	now->tv_sec = time / 1000000;
	now->tv_usec = time % 1000000;
	return 0;
}

time_t
time(time_t *now)
{
	time_t seconds = microseconds() / 1000000;

	if (now)
		*now = seconds;
	return seconds;
}

/* ------------------------------------------------------------------ the disk */

static bool
is_full(int file, off_t end)
{
	char link[64], path[4096] = "";
	struct stat status;

	if (!said()->full || fstat(file, &status) != 0 || end <= status.st_size)
		return false;
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	return readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/base/");
}

/* The function that this one stands before. */
#define BEHIND(name, ...) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

ssize_t
pwrite64(int file, const void *bytes, size_t count, off_t offset)
{
	if (is_full(file, offset + (off_t)count)) {
		errno = ENOSPC;
		return -1;
	}
	return BEHIND(pwrite64, file, bytes, count, offset);
}

ssize_t
pwrite(int file, const void *bytes, size_t count, off_t offset)
{
	return pwrite64(file, bytes, count, offset);
}

ssize_t
pwritev64(int file, const struct iovec *parts, int count, off_t offset)
{
	off_t end = offset;

	for (int i = 0; i < count; i++)
		end += (off_t)parts[i].iov_len;
	if (is_full(file, end)) {
		errno = ENOSPC;
		return -1;
	}
	return BEHIND(pwritev64, file, parts, count, offset);
}

ssize_t
pwritev(int file, const struct iovec *parts, int count, off_t offset)
{
	return pwritev64(file, parts, count, offset);
}

int
posix_fallocate64(int file, off_t offset, off_t length)
{
	return is_full(file, offset + length) ? ENOSPC : BEHIND(posix_fallocate64, file, offset, length);
}

int
posix_fallocate(int file, off_t offset, off_t length)
{
	return posix_fallocate64(file, offset, length);
}

/* ------------------------------------------------------------------ names */

/* both.story is at a private and at a public address; turning.story is somewhere else each time that it is asked for. */
int
getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
	    struct addrinfo **restrict found)
{
	static unsigned turns;
	bool both = name && strcmp(name, "both.story") == 0;
	const char *address = both ? "127.0.0.2" : name;
	int result;

	if (name && strcmp(name, "turning.story") == 0)
		address = __atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST) % 2 == 0 ? "127.0.0.1" : "127.0.0.2";
	result = BEHIND(getaddrinfo, address, service, hints, found);
	if (result == 0 && both) {
		struct addrinfo *last = *found;

		while (last->ai_next)
			last = last->ai_next;
		result = BEHIND(getaddrinfo, "93.184.216.34", service, hints, &last->ai_next);
	}
	return result;
}
