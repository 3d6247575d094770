/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.c - the registry: families and their series, readiness, the sign of life. One lock, held for a few copies. */
#include "common/monitor/monitor_private.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct monitor *
monitor_open(const char *service, const char *version)
{
	struct monitor *monitor = memory_take(sizeof *monitor);

	pthread_mutex_init(&monitor->lock, NULL);
	monitor->service = memory_string(service);
	monitor->version = memory_string(version);
	atomic_init(&monitor->alive_at, clock_monotonic());
	atomic_init(&monitor->stall_us, 0);
	return monitor;
}

/* ------------------------------------------------------------------ families */

static void
drop_series(struct monitor_family *family)
{
	for (size_t i = 0; i < family->count; i++)
		free(family->series[i].label_values);
	free(family->series);
	family->series = NULL;
	family->count = 0;
}

static struct monitor_family *
find_family(struct monitor *monitor, const char *name)
{
	for (size_t i = 0; i < monitor->family_count; i++)
		if (strcmp(monitor->families[i].name, name) == 0)
			return &monitor->families[i];
	return NULL;
}

/* 'a'-'z', '0'-'9' and '_', not beginning with a digit. */
static bool
is_name(const char *name, size_t length)
{
	return length > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") >= length
	       && !(name[0] >= '0' && name[0] <= '9');
}

static size_t
count_labels(const char *labels)
{
	size_t count = 0;

	for (const char *at = labels; *at; count++) {
		size_t length = strcspn(at, ",");

		assert(is_name(at, length));
		at += length + (at[length] == ',');
	}
	return count;
}

static void
declare(struct monitor *monitor, const struct monitor_family *wanted)
{
	struct monitor_family *family;

	assert(is_name(wanted->name, strlen(wanted->name)));
	pthread_mutex_lock(&monitor->lock);
	assert(!find_family(monitor, wanted->name));
	monitor->families =
	    memory_grow(monitor->families, monitor->family_count + 1, sizeof *monitor->families);
	family = &monitor->families[monitor->family_count++];
	*family = (struct monitor_family){
	    .name = memory_string(wanted->name),
	    .help = memory_string(wanted->help),
	    .labels = memory_string(wanted->labels),
	    .label_count = count_labels(wanted->labels),
	    .counts = wanted->counts,
	};
	pthread_mutex_unlock(&monitor->lock);
}

void
monitor_counter(struct monitor *monitor, const char *name, const char *help, const char *labels)
{
	size_t length = strlen(name);

	assert(length > 6 && strcmp(name + length - 6, "_total") == 0);
	declare(monitor, &(struct monitor_family){.name = (char *)(uintptr_t)name,
						  .help = (char *)(uintptr_t)help,
						  .labels = (char *)(uintptr_t)labels,
						  .counts = true});
}

void
monitor_gauge(struct monitor *monitor, const char *name, const char *help, const char *labels)
{
	declare(monitor, &(struct monitor_family){.name = (char *)(uintptr_t)name,
						  .help = (char *)(uintptr_t)help,
						  .labels = (char *)(uintptr_t)labels});
}

/* ------------------------------------------------------------------ series */

static size_t
count_values(const char *label_values)
{
	size_t count = 1;

	for (const char *at = label_values; *at; at++)
		count += *at == '\n';
	return count;
}

/* The place of the values, or where they belong. */
static size_t
place_of(const struct monitor_family *family, const char *label_values, bool *found)
{
	size_t low = 0, high = family->count;

	*found = false;
	while (low < high && !*found) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(label_values, family->series[middle].label_values);

		*found = order == 0;
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

static struct monitor_series *
insert_series(struct monitor_family *family, size_t place, const char *label_values)
{
	struct monitor_series *at;

	family->series = memory_grow(family->series, family->count + 1, sizeof *family->series);
	at = &family->series[place];
	memmove(at + 1, at, (family->count - place) * sizeof *at);
	*at = (struct monitor_series){.label_values = memory_string(label_values)};
	family->count++;
	return at;
}

static char *
others(const struct monitor_family *family)
{
	char *values = memory_take(family->label_count * sizeof "other" + 1);

	for (size_t i = 0; i < family->label_count; i++)
		strcat(strcat(values, i ? "\n" : ""), "other");
	return values;
}

/* The series of these values; a new one while there is room, else the one that all others share. */
static struct monitor_series *
series_of(struct monitor *monitor, const char *name, const char *label_values, bool counts)
{
	struct monitor_family *family = find_family(monitor, name);
	char *shared = NULL;
	struct monitor_series *series;
	bool found;
	size_t place;

	assert(family && family->counts == counts);
	assert(family->label_count == (*label_values || family->label_count ? count_values(label_values) : 0));
	place = place_of(family, label_values, &found);
	if (!found && family->count >= MONITOR_MOST_SERIES - 1) {
		shared = others(family);
		label_values = shared;
		place = place_of(family, label_values, &found);
	}
	series = found ? &family->series[place] : insert_series(family, place, label_values);
	free(shared);
	return series;
}

void
monitor_add(struct monitor *monitor, const char *name, const char *label_values, int64_t n)
{
	assert(n >= 0);
	pthread_mutex_lock(&monitor->lock);
	series_of(monitor, name, label_values, true)->count += n;
	pthread_mutex_unlock(&monitor->lock);
}

void
monitor_set(struct monitor *monitor, const char *name, const char *label_values, double value)
{
	pthread_mutex_lock(&monitor->lock);
	series_of(monitor, name, label_values, false)->value = value;
	pthread_mutex_unlock(&monitor->lock);
}

void
monitor_clear(struct monitor *monitor, const char *name)
{
	struct monitor_family *family;

	pthread_mutex_lock(&monitor->lock);
	family = find_family(monitor, name);
	assert(family && !family->counts);
	drop_series(family);
	pthread_mutex_unlock(&monitor->lock);
}

/* ------------------------------------------------------------------ ready, alive */

static struct monitor_condition *
condition_of(struct monitor *monitor, const char *name)
{
	struct monitor_condition *condition;

	for (size_t i = 0; i < monitor->condition_count; i++)
		if (strcmp(monitor->conditions[i].name, name) == 0)
			return &monitor->conditions[i];
	assert(monitor->condition_count < MONITOR_MOST_CONDITIONS);
	condition = &monitor->conditions[monitor->condition_count++];
	condition->name = memory_string(name);
	return condition;
}

void
monitor_ready(struct monitor *monitor, const char *name, bool good, const char *why)
{
	struct monitor_condition *condition;

	pthread_mutex_lock(&monitor->lock);
	condition = condition_of(monitor, name);
	condition->good = good;
	free(condition->why);
	condition->why = memory_string(why ? why : "");
	pthread_mutex_unlock(&monitor->lock);
}

void
monitor_alive(struct monitor *monitor)
{
	atomic_store(&monitor->alive_at, clock_monotonic());
}

void
monitor_stall_limit(struct monitor *monitor, int64_t stall_us)
{
	atomic_store(&monitor->stall_us, stall_us);
}

bool
monitor_is_alive(struct monitor *monitor)
{
	int64_t limit = atomic_load(&monitor->stall_us);

	return limit <= 0 || clock_monotonic() - atomic_load(&monitor->alive_at) <= limit;
}

void
monitor_free(struct monitor *monitor)
{
	for (size_t i = 0; i < monitor->family_count; i++) {
		drop_series(&monitor->families[i]);
		free(monitor->families[i].name);
		free(monitor->families[i].help);
		free(monitor->families[i].labels);
	}
	for (size_t i = 0; i < monitor->condition_count; i++) {
		free(monitor->conditions[i].name);
		free(monitor->conditions[i].why);
	}
	pthread_mutex_destroy(&monitor->lock);
	free(monitor->families);
	free(monitor->service);
	free(monitor->version);
	free(monitor);
}
