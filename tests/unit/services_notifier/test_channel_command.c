/* SPDX-License-Identifier: Apache-2.0 */
/* test_channel_command.c - real programs: what they are given, how they end, and that nothing of them is left. */
#include "services/notifier/targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static atomic_bool abandoned;
static char body[20000], nap[16];

static int64_t
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The script by a shell of its own choice: the channel has none. */
static struct channel_result
run(const char *script, int64_t timeout)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	const struct target target = {.name = "t", .argv = argv};
	const struct channel_settings settings = {.command_timeout = timeout, .abandoned = &abandoned};
	const struct channel_send send = {
	    .settings = &settings, .target = &target, .body = body, .length = strlen(body)};
	struct channel_result result = {0};

	channel_command.send(&send, &result);
	return result;
}

#define SECOND INT64_C(1000000)

static int
prepare(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	memset(body, 'b', sizeof body - 1);
	return 0;
}

static void
the_body_comes_on_stdin_whole(void **state)
{
	struct channel_result result = run("wc -c", 10 * SECOND);

	(void)state;
	assert_int_equal(result.verdict, CHANNEL_SENT);
	assert_string_equal(result.code, "exit_0");
	assert_int_equal(strtol(result.reference, NULL, 10), 19999);
}

static void
the_first_line_is_the_reference(void **state)
{
	static const struct {
		const char *script, *reference;
	} rows[] = {
	    {"echo ticket 42; echo more", "ticket 42"},
	    {"printf 'no line feed'", "no line feed"},
	    {"true", ""},
	    {"printf '\\n second'", ""},
	    {"printf 'a\\033[31mb\\001\\342\\200\\256\\377'", "a\\u{1b}[31mb\\u{1}\\u{202e}\\xff"},
	    {"yes 0123456 | head -c 100000", "0123456"},
	};
	struct channel_result result;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		result = run(rows[i].script, 10 * SECOND);
		assert_int_equal(result.verdict, CHANNEL_SENT);
		assert_string_equal(result.reference, rows[i].reference);
	}
	result = run("head -c 300 /dev/zero | tr '\\000' x", 10 * SECOND);
	assert_int_equal(strlen(result.reference), 256);
	result = run("head -c 300 /dev/zero", 10 * SECOND);
	assert_int_equal(strlen(result.reference), 256 * strlen("\\u{0}"));
}

static void
exit_codes_say_what_to_do(void **state)
{
	static const struct {
		const char *script, *code;
		enum channel_verdict verdict;
	} rows[] = {
	    {"exit 0", "exit_0", CHANNEL_SENT},	       {"exit 1", "exit_1", CHANNEL_RETRY},
	    {"exit 99", "exit_99", CHANNEL_RETRY},     {"exit 100", "exit_100", CHANNEL_REFUSED},
	    {"exit 101", "exit_101", CHANNEL_RETRY},   {"echo x; exit 1", "exit_1", CHANNEL_RETRY},
	    {"kill -9 $$", "signal_9", CHANNEL_RETRY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct channel_result result = run(rows[i].script, 10 * SECOND);

		assert_string_equal(result.code, rows[i].code);
		assert_int_equal(result.verdict, rows[i].verdict);
		if (result.verdict != CHANNEL_SENT)
			assert_string_equal(result.reference, "");
	}
}

static void
it_gets_nothing_of_ours(void **state)
{
	struct channel_result result;
	int leaked = dup(STDERR_FILENO);

	(void)state;
	setenv("COUNTERSIGN_DATABASE_URI", "postgresql://secret", 1);
	result = run("/usr/bin/env | grep -v '^_=\\|^PWD=\\|^SHLVL=' | sort | tr '\\n' ' '", 10 * SECOND);
	assert_string_equal(result.reference, "LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin ");
	result =
	    run("for n in 0 1 2 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$n ] || printf $n; done", 10 * SECOND);
	assert_string_equal(result.reference, "012");
	result = run("read -r a b c d group e </proc/$$/stat; [ $group = $$ ] && echo own group", 10 * SECOND);
	assert_string_equal(result.reference, "own group");
	close(leaked);
}

static void
a_program_that_is_not_there_is_tried_again(void **state)
{
	static const char *const argv[] = {"/nowhere/page", NULL};
	const struct target target = {.name = "t", .argv = argv};
	const struct channel_settings settings = {.command_timeout = SECOND, .abandoned = &abandoned};
	const struct channel_send send = {.settings = &settings, .target = &target, .body = "{}", .length = 2};
	struct channel_result result = {0};

	(void)state;
	channel_command.send(&send, &result);
	assert_int_equal(result.verdict, CHANNEL_RETRY);
	assert_string_equal(result.code, "spawn");
}

/* For how long to sleep so that nobody else sleeps as long: the scripts' processes are known by it. */
static const char *
script_with_naps(const char *format)
{
	static char script[200];

	snprintf(nap, sizeof nap, "%ld", 1000000 + (long)getpid());
	snprintf(script, sizeof script, format, nap, nap);
	return script;
}

/* Whether a process "sleep ARGUMENT" is there. */
static bool
sleeps(const char *argument)
{
	char path[300], wanted[32], line[32];
	DIR *proc = opendir("/proc");
	bool found = false;

	assert_non_null(proc);
	snprintf(wanted, sizeof wanted, "sleep %s", argument);
	for (struct dirent *entry; !found && (entry = readdir(proc));) {
		snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);

		FILE *file = fopen(path, "r");
		size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;

		for (size_t i = 0; i < length; i++)
			line[i] = line[i] == '\0' && i + 1 < length ? ' ' : line[i];
		line[length] = '\0';
		found = strcmp(line, wanted) == 0;
		if (file)
			fclose(file);
	}
	closedir(proc);
	return found;
}

/* A process that was killed takes a moment to be gone. */
static void
assert_gone(const char *argument)
{
	for (int i = 0; i < 200 && sleeps(argument); i++)
		usleep(10000);
	assert_false(sleeps(argument));
}

static void
who_takes_too_long_is_ended_with_all_it_started(void **state)
{
	int64_t begun = milliseconds();
	struct channel_result result = run(script_with_naps("sleep %s & sleep %s"), SECOND / 5);

	(void)state;
	assert_int_equal(result.verdict, CHANNEL_RETRY);
	assert_string_equal(result.code, "timeout");
	assert_true(milliseconds() - begun < 1500);
	assert_gone(nap);
}

static void
who_does_not_heed_sigterm_is_killed(void **state)
{
	int64_t begun = milliseconds();
	struct channel_result result =
	    run(script_with_naps("trap '' TERM; sleep %s & while :; do sleep 0.05; done"), SECOND / 5);

	(void)state;
	assert_string_equal(result.code, "timeout");
	assert_true(milliseconds() - begun >= 2000 && milliseconds() - begun < 4000);
	assert_gone(nap);
}

static void
who_reads_nothing_and_writes_much_is_not_waited_for(void **state)
{
	struct channel_result result = run("exec 0<&-; head -c 1000000 /dev/zero; exit 3", 10 * SECOND);

	(void)state;
	assert_string_equal(result.code, "exit_3");
}

static void
what_it_leaves_in_the_background_is_not_waited_for(void **state)
{
	int64_t begun = milliseconds();
	struct channel_result result = run("sleep 3 & echo done", 10 * SECOND);

	(void)state;
	assert_string_equal(result.reference, "done");
	assert_true(milliseconds() - begun < 1000);
}

static void
it_ends_when_the_notifier_does(void **state)
{
	int64_t begun = milliseconds();
	struct channel_result result;

	(void)state;
	atomic_store(&abandoned, true);
	result = run(script_with_naps("sleep %s"), 10 * SECOND);
	atomic_store(&abandoned, false);
	assert_string_equal(result.code, "abandoned");
	assert_int_equal(result.verdict, CHANNEL_UNTRIED);
	assert_true(milliseconds() - begun < 1000);
	assert_gone(nap);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_body_comes_on_stdin_whole),
	    cmocka_unit_test(the_first_line_is_the_reference),
	    cmocka_unit_test(exit_codes_say_what_to_do),
	    cmocka_unit_test(it_gets_nothing_of_ours),
	    cmocka_unit_test(a_program_that_is_not_there_is_tried_again),
	    cmocka_unit_test(who_takes_too_long_is_ended_with_all_it_started),
	    cmocka_unit_test(who_does_not_heed_sigterm_is_killed),
	    cmocka_unit_test(who_reads_nothing_and_writes_much_is_not_waited_for),
	    cmocka_unit_test(what_it_leaves_in_the_background_is_not_waited_for),
	    cmocka_unit_test(it_ends_when_the_notifier_does),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
