/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - the process_* series that every Prometheus client has, from /proc. */
#include "common/monitor/monitor_private.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void
format(struct buffer *buffer, const char *name, const char *type, const char *help, double value)
{
	buffer_add_format(buffer, "# HELP process_%s %s\n# TYPE process_%s %s\nprocess_%s ", name, help, name,
			  type, name);
	monitor_format_number(buffer, value);
	buffer_add_byte(buffer, '\n');
}

static void
format_cpu(struct buffer *buffer)
{
	struct timespec spent;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0)
		format(buffer, "cpu_seconds_total", "counter",
		       "Total user and system CPU time spent in seconds.",
		       (double)spent.tv_sec + (double)spent.tv_nsec / 1e9);
}

static void
format_memory(struct buffer *buffer)
{
	unsigned long virtual = 0, resident = 0;
	double page = (double)sysconf(_SC_PAGESIZE);
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return;
	if (fscanf(file, "%lu %lu", &virtual, &resident) == 2) {
		format(buffer, "virtual_memory_bytes", "gauge", "Virtual memory size in bytes.",
		       (double)virtual * page);
		format(buffer, "resident_memory_bytes", "gauge", "Resident memory size in bytes.",
		       (double)resident * page);
	}
	fclose(file);
}

static void
format_files(struct buffer *buffer)
{
	struct rlimit limit;
	DIR *folder = opendir("/proc/self/fd");
	int open = -3; /* ".", ".." and the folder's own */

	if (folder) {
		while (readdir(folder))
			open++;
		closedir(folder);
		format(buffer, "open_fds", "gauge", "Number of open file descriptors.", open);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		format(buffer, "max_fds", "gauge", "Maximum number of open file descriptors.",
		       (double)limit.rlim_cur);
}

/* Seconds since 1970 at which the machine started; 0 when it can't be read. */
static double
boot_time(void)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long seconds = 0;
	char line[256];

	while (file && seconds == 0 && fgets(line, sizeof line, file))
		if (sscanf(line, "btime %llu", &seconds) != 1)
			seconds = 0;
	if (file)
		fclose(file);
	return (double)seconds;
}

/* The 22nd field, in clock ticks since boot; the second one is the program's name in brackets and may hold anything. */
static void
format_start(struct buffer *buffer)
{
	FILE *file = fopen("/proc/self/stat", "re");
	unsigned long long ticks = 0;
	char line[1024] = "", *rest = NULL;
	double boot = boot_time();

	if (file) {
		if (fgets(line, sizeof line, file))
			rest = strrchr(line, ')');
		fclose(file);
	}
	for (int field = 2; rest && field < 22; field++)
		rest = strchr(rest + 1, ' ');
	if (rest && boot > 0 && sscanf(rest, "%llu", &ticks) == 1)
		format(buffer, "start_time_seconds", "gauge",
		       "Start time of the process since unix epoch in seconds.",
		       boot + (double)ticks / (double)sysconf(_SC_CLK_TCK));
}

void
monitor_format_process(struct buffer *buffer)
{
	format_cpu(buffer);
	format_memory(buffer);
	format_files(buffer);
	format_start(buffer);
}
