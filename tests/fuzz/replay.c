/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - every kept input of every target once more, a file at a time: tests/fuzz/corpus/<name>/. Among them are those that
 * once broke something.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define CORPUS "tests/fuzz/corpus"

static char current[512]; /* the file that is being replayed, for whoever reads why it ended */

static void
say_which(int signal_number)
{
	static const char before[] = "replay: ";

	if (write(STDERR_FILENO, before, sizeof before - 1) > 0
	    && write(STDERR_FILENO, current, strlen(current)) > 0 && write(STDERR_FILENO, "\n", 1) > 0)
		signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static int
is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Exactly as many bytes as the file has: one behind them is a fault. */
static uint8_t *
read_input(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	long size;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_true(size >= 0);
	rewind(file);
	*length = (size_t)size;

	uint8_t *bytes = malloc(*length ? *length : 1);

	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *length, file), *length);
	fclose(file);
	return bytes;
}

static void
replay(const char *name, int (*target)(const uint8_t *bytes, size_t length))
{
	struct dirent **entries;
	char folder[256];
	int count;

	snprintf(folder, sizeof folder, "%s/%s", CORPUS, name);
	count = scandir(folder, &entries, is_input, alphasort);
	if (count <= 0)
		fail_msg("%s: no inputs", folder);
	for (int i = 0; i < count; i++) {
		size_t length;

		snprintf(current, sizeof current, "%s/%s", folder, entries[i]->d_name);

		uint8_t *bytes = read_input(current, &length);

		assert_int_equal(target(bytes, length), 0);
		free(bytes);
		free(entries[i]);
	}
	free(entries);
	print_message("%s: %d inputs\n", name, count);
}

#define TEST(name)                                                                                           \
	static void the_inputs_of_##name##_hold(void **state)                                                \
	{                                                                                                    \
		(void)state;                                                                                 \
		replay(#name, FUZZ_TARGET(name));                                                            \
	}
FUZZ_EACH(TEST)

/* A folder of inputs without a target, or a target without one, would be passed over in silence. */
static void
every_target_is_replayed(void **state)
{
#define NAME(name) #name,
	static const char *const names[] = {FUZZ_EACH(NAME)};
	struct dirent **entries;
	int folders = scandir(CORPUS, &entries, is_input, alphasort);
	size_t files = 0;
	DIR *sources = opendir("tests/fuzz");

	(void)state;
	assert_non_null(sources);
	for (struct dirent *entry; (entry = readdir(sources));)
		files += strncmp(entry->d_name, "fuzz_", 5) == 0 && strstr(entry->d_name, ".c");
	closedir(sources);
	for (int i = 0; i < folders; i++)
		free(entries[i]);
	free(entries);
	assert_int_equal(files, COUNT_OF(names));
	assert_int_equal(folders, COUNT_OF(names));
}

int
main(void)
{
#define ENTRY(name) cmocka_unit_test(the_inputs_of_##name##_hold),
	const struct CMUnitTest tests[] = {FUZZ_EACH(ENTRY) cmocka_unit_test(every_target_is_replayed)};

	signal(SIGABRT, say_which);
	return cmocka_run_group_tests_name("fuzz replay", tests, NULL, NULL);
}
