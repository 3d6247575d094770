/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_config.c - the text of a configuration file. What loads is within its limits and, printed without secrets, loads
 * again to the same values; what does not load leaves nothing behind. Files that the text names are not followed into /dev
 * and /proc.
 */
#include "common/config/key.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct target {
	char *uri, *list, *secret;
	int64_t integer, duration, size, choice;
	bool flag;
	struct config_pairs pairs;
};

static const struct config_key keys[] = {
    {"database.uri", CONFIG_STRING, offsetof(struct target, uri), "postgresql:///fuzz", 0, 0, NULL, "Where."},
    {"log.fields", CONFIG_LIST, offsetof(struct target, list), "", 0, 0, NULL, "Which."},
    {"database.password", CONFIG_SECRET, offsetof(struct target, secret), "", 0, 0, NULL, "Hush."},
    {"batch.records", CONFIG_INTEGER, offsetof(struct target, integer), "500", -5, 100000, NULL, "How many."},
    {"batch.wait", CONFIG_DURATION, offsetof(struct target, duration), "5ms", 1000, 3600000000, NULL, "Long."},
    {"batch.bytes", CONFIG_BYTES, offsetof(struct target, size), "4MiB", 0, 1 << 30, NULL, "How much."},
    {"log.level", CONFIG_CHOICE, offsetof(struct target, choice), "info", 0, 0, "error|warn|info|debug",
     "Loud."},
    {"log.colour", CONFIG_FLAG, offsetof(struct target, flag), "false", 0, 0, NULL, "Pretty."},
    {.name = NULL},
};
static const struct config_key *const lists[] = {keys, NULL};

static bool
load(const uint8_t *bytes, size_t length, const struct config_table *table, struct target *target,
     struct error *error)
{
	int fd = memfd_create("config", MFD_CLOEXEC);
	char path[40];
	bool ok;

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ok = config_load(table, target, path, NULL, 0, error);
	close(fd);
	return ok;
}

/* What is shown is what was meant: nothing hidden, nothing replaced. */
static bool
is_plain(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text) || *text == ':' || *text == '@')
			return false;
	return true;
}

static void
check_limits(const struct target *target)
{
	assert(target->integer >= -5 && target->integer <= 100000);
	assert(target->duration >= 1000 && target->duration <= 3600000000);
	assert(target->size >= 0 && target->size <= 1 << 30);
	assert(target->choice >= 0 && target->choice <= 3);
	assert(target->uri && target->list && target->secret);
	for (size_t i = 0; i < target->pairs.count; i++) {
		assert(target->pairs.items[i].name[0] && target->pairs.items[i].value);
		for (size_t j = 0; j < i; j++)
			assert(strcmp(target->pairs.items[i].name, target->pairs.items[j].name) != 0);
	}
}

/* No key has two lines. */
static void
check_lines(const uint8_t *bytes, size_t length)
{
	size_t counts[COUNT_OF(keys)] = {0};
	struct text rest = {(const char *)bytes, length};

	while (rest.length) {
		struct text line = fuzz_split(&rest, '\n');
		struct text name = fuzz_split(&line, '=');

		for (size_t i = 0; keys[i].name; i++)
			if (name.length == strlen(keys[i].name)
			    && memcmp(name.bytes, keys[i].name, name.length) == 0 && line.length)
				assert(++counts[i] == 1);
	}
}

static void
check_again(const struct config_table *table, const struct target *target)
{
	struct target again = {0};
	struct config_pairs pairs = {0};
	struct config_table second = *table;
	struct error error = {0};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	config_print(table, target, out);
	fclose(out);
	assert(!target->secret[0] || !strstr(text, "database.password = ") || strstr(text, "(hidden)"));
	second.through = &pairs;

	bool ok = length > 65536 || load((const uint8_t *)text, length, &second, &again, &error);

	assert(ok);
	if (length <= 65536) {
		assert(target->integer == again.integer && target->duration == again.duration);
		assert(target->size == again.size && target->choice == again.choice);
		assert(target->flag == again.flag && target->pairs.count == pairs.count);
		assert(!is_plain(target->list) || strcasestr(target->list, "password")
		       || strcmp(target->list, again.list) == 0);
		config_free(&second, &again);
	}
	free(text);
}

static bool
names_devices(const uint8_t *bytes, size_t length)
{
	return length && (memmem(bytes, length, "/dev", 4) || memmem(bytes, length, "/proc", 5));
}

int
FUZZ_TARGET(config)(const uint8_t *bytes, size_t length)
{
	struct target target = {0};
	const struct config_table table = {
	    .key_lists = lists, .through_prefix = "kafka.", .through = &target.pairs};
	struct error error = {0};

	if (names_devices(bytes, length))
		return 0;
	if (load(bytes, length, &table, &target, &error)) {
		check_limits(&target);
		check_lines(bytes, length);
		check_again(&table, &target);
		config_free(&table, &target);
	} else {
		assert(error.kind == ERROR_BROKEN && strcmp(error.code, "config") == 0 && error.text[0]);
	}
	assert(!target.uri && !target.secret && !target.list && !target.pairs.items);
	return 0;
}
