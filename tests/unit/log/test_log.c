/* SPDX-License-Identifier: Apache-2.0 */
/* test_log.c - one event is one line, whatever others put into its values. */
#include "common/log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static const struct log logger = {.level = LOG_INFO, .service = "evaluator"};

/* Standard error goes into a file in memory meanwhile. */
struct capture {
	int saved;
	int file;
	char text[65536];
};
static struct capture capture;

static void
begin_capture(void)
{
	capture.file = memfd_create("stderr", MFD_CLOEXEC);
	capture.saved = dup(STDERR_FILENO);
	assert_true(capture.file >= 0 && dup2(capture.file, STDERR_FILENO) >= 0);
}

static const char *
end_capture(void)
{
	ssize_t length = pread(capture.file, capture.text, sizeof capture.text - 1, 0);

	dup2(capture.saved, STDERR_FILENO);
	close(capture.saved);
	close(capture.file);
	assert_true(length >= 0);
	capture.text[length] = '\0';
	return capture.text;
}

/* The line behind the time, which has its own test. */
static const char *
end_capture_behind_time(void)
{
	const char *text = end_capture();

	assert_memory_equal(text, "time=", 5);
	return strchr(text, ' ') + 1;
}

#define LOGGED(...) (begin_capture(), log_info(&logger, __VA_ARGS__), end_capture_behind_time())

static void
a_line_says_when_how_bad_who_what_and_about_which(void **state)
{
	(void)state;
	assert_string_equal(LOGGED("decided", log_text("request_id", "r-1"), log_number("offset", -5)),
			    "level=info service=evaluator event=decided request_id=r-1 offset=-5\n");
	assert_string_equal(LOGGED("started"), "level=info service=evaluator event=started\n");
}

static void
the_time_is_utc_with_microseconds(void **state)
{
	struct timespec before, after;
	struct tm utc = {0};
	char *rest;
	long micros;
	time_t seconds;

	(void)state;
	setenv("TZ", "Pacific/Auckland", 1);
	tzset();
	clock_gettime(CLOCK_REALTIME, &before);
	begin_capture();
	log_info(&logger, "x");
	rest = strptime(end_capture(), "time=%Y-%m-%dT%H:%M:%S", &utc);
	clock_gettime(CLOCK_REALTIME, &after);
	assert_non_null(rest);
	assert_int_equal(rest[0], '.');
	micros = strtol(rest + 1, &rest, 10);
	assert_memory_equal(rest, "Z level=", 8);
	assert_int_equal(rest - strchr(capture.text, '.'), 7);
	seconds = timegm(&utc);
	assert_true(seconds * 1000000 + micros >= before.tv_sec * 1000000 + before.tv_nsec / 1000);
	assert_true(seconds * 1000000 + micros <= after.tv_sec * 1000000 + after.tv_nsec / 1000);
	unsetenv("TZ");
	tzset();
}

static void
lines_above_the_level_are_not_written(void **state)
{
	static const struct log quiet = {.level = LOG_WARN, .service = "s"};
	const char *text;

	(void)state;
	begin_capture();
	log_debug(&quiet, "debug");
	log_info(&quiet, "info");
	log_warn(&quiet, "warn");
	log_error(&quiet, "error");
	text = end_capture();
	assert_null(strstr(text, "event=debug"));
	assert_null(strstr(text, "event=info"));
	assert_non_null(strstr(text, "level=warn service=s event=warn\n"));
	assert_non_null(strstr(text, "level=error service=s event=error\n"));
}

static void
values_are_quoted_only_where_they_must_be(void **state)
{
	(void)state;
	assert_string_equal(LOGGED("e", log_text("a", "plain-1.2:3/x,y;[z]")),
			    "level=info service=evaluator event=e a=plain-1.2:3/x,y;[z]\n");
	assert_string_equal(LOGGED("e", log_text("a", "two words")),
			    "level=info service=evaluator event=e a=\"two words\"\n");
	assert_string_equal(LOGGED("e", log_text("a", "b=c")),
			    "level=info service=evaluator event=e a=\"b=c\"\n");
	assert_string_equal(LOGGED("e", log_text("a", "")), "level=info service=evaluator event=e a=\"\"\n");
	assert_string_equal(LOGGED("e", log_text("a", NULL)),
			    "level=info service=evaluator event=e a=\"\"\n");
	assert_string_equal(LOGGED("e", log_text("a", "\xc3\xa9")),
			    "level=info service=evaluator event=e a=\"\xc3\xa9\"\n");
}

static void
no_value_starts_a_line_or_a_field(void **state)
{
	static const struct {
		const char *value, *written;
	} cases[] = {
	    {"a\ntime=x level=info event=granted", "\"a\\ntime=x level=info event=granted\""},
	    {"a\r\nb", "\"a\\r\\nb\""},
	    {"a\" event=\"granted", "\"a\\\" event=\\\"granted\""},
	    {"a\\", "\"a\\\\\""},
	    {"a\\\" b", "\"a\\\\\\\" b\""},
	    {"a\tb", "\"a\\tb\""},
	    {"\x1b[2J\x07", "\"\\u001b[2J\\u0007\""},
	    {"\x7f", "\"\\u007f\""},
	    {"\xc2\x85"
	     "next line",
	     "\"\\u0085next line\""},
	    {"\xc2\x9b"
	     "31m",
	     "\"\\u009b31m\""},
	    {"\xe2\x80\xa8line", "\"\\u2028line\""},
	    {"\xe2\x80\xaereversed", "\"\\u202ereversed\""},
	    {"\xf3\xa0\x80\x81tag", "\"\\U000e0001tag\""},
	    {"a\xff"
	     "b",
	     "\"a\\ufffdb\""},
	    {"\xc0\x8a", "\"\\ufffd\\ufffd\""},
	    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
	    {"cut\xe2\x82", "\"cut\\ufffd\\ufffd\""},
	};
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(expected, sizeof expected, "level=info service=evaluator event=e a=%s b=1\n",
			 cases[i].written);
		assert_string_equal(LOGGED("e", log_text("a", cases[i].value), log_number("b", 1)), expected);
	}
}

static void
every_byte_leaves_one_line(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		char value[] = {'a', (char)byte, 'b', '\0'};
		const char *text = LOGGED("e", log_text("v", value));

		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
		for (const char *at = text; *at != '\n'; at++)
			assert_false((unsigned char)*at < ' ' || (unsigned char)*at == 0x7f);
	}
}

/* Counts the quotes that open and close. */
static bool
quotes_are_closed(const char *line)
{
	bool inside = false;

	for (; *line; line++) {
		if (inside && *line == '\\')
			line++;
		else if (*line == '"')
			inside = !inside;
	}
	return !inside;
}

/* Wherever the cut falls: in plain text, in the middle of an escape, of a character, before or behind a quote. */
static void
a_long_line_is_cut_and_still_a_line(void **state)
{
	static const char *const pieces[] = {
	    "x", " ", "\n", "\"", "\x01", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	static char value[9000];

	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		for (size_t shift = 0; shift < 8; shift++) {
			const char *text;

			memset(value, 'y', shift);
			value[shift] = '\0';
			for (size_t length = shift; length < 8000; length += strlen(pieces[i]))
				strcpy(value + length, pieces[i]);
			begin_capture();
			log_info(&logger, "e", log_text("v", value), log_text("lost", "x"));
			text = end_capture();
			assert_true(strlen(text) <= 4096);
			assert_true(strlen(text) > 4096 - 32);
			assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
			assert_string_equal(text + strlen(text) - strlen(" cut=true\n"), " cut=true\n");
			assert_true(quotes_are_closed(text));
			assert_null(strstr(text, "lost"));
		}
	}
}

/* All fields up to the cut, of every length around it. */
static void
what_just_fits_is_not_cut(void **state)
{
	static char value[4200];

	(void)state;
	for (size_t length = 3900; length < 4100; length++) {
		const char *text;

		memset(value, 'x', length);
		value[length] = '\0';
		begin_capture();
		log_info(&logger, "e", log_text("v", value));
		text = end_capture();
		assert_true(strlen(text) <= 4096);
		if (!strstr(text, " cut=true\n"))
			assert_memory_equal(text + strlen(text) - 1 - length, value, length);
		else
			assert_true(length > 3990);
	}
}

static void *
write_lines(void *unused)
{
	(void)unused;
	for (int i = 0; i < 500; i++)
		log_info(&logger, "thread", log_text("text", "some words of a line"), log_number("i", i));
	return NULL;
}

/* Into a pipe that is read meanwhile: each write arrives whole. */
static void
lines_of_threads_are_never_mixed(void **state)
{
	int ends[2], saved = dup(STDERR_FILENO), lines = 0;
	pthread_t threads[4];
	char *line = NULL;
	size_t size = 0;
	FILE *reader;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, write_lines, NULL);
	reader = fdopen(ends[0], "r");
	while (lines < 2000 && getline(&line, &size, reader) > 0) {
		assert_memory_equal(line, "time=", 5);
		assert_non_null(strstr(
		    line, " level=info service=evaluator event=thread text=\"some words of a line\" i="));
		lines++;
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(reader);
	free(line);
	assert_int_equal(lines, 2000);
}

static void
logging_does_not_disturb_errno(void **state)
{
	int saved = dup(STDERR_FILENO), found;

	(void)state;
	close(STDERR_FILENO);
	errno = EDOM;
	log_info(&logger, "nobody reads this");
	found = errno;
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(found, EDOM);
}

/* Lines of a page come out in their order, whole, and in few pieces; those that are too detailed do not come. */
static void
a_page_holds_many_lines_and_never_ends_within_one(void **state)
{
	struct log_page page = {.length = 0};
	const char *text;
	int lines = 0, ends[2];
	char piece[2 * LOG_PAGE_SIZE];
	ssize_t length;

	(void)state;
	begin_capture();
	for (int i = 0; i < 100; i++) {
		log_page_add(&page, &logger, LOG_INFO, "many", log_number("i", i), LOG_END);
		log_page_add(&page, &logger, LOG_DEBUG, "detail", LOG_END);
	}
	log_page_write(&page);
	log_page_write(&page);
	text = end_capture();
	for (const char *at = text; *at; at = strchr(at, '\n') + 1, lines++) {
		char wanted[64];

		snprintf(wanted, sizeof wanted, " event=many i=%d\n", lines);
		assert_memory_equal(strstr(at, " event="), wanted, strlen(wanted));
	}
	assert_int_equal(lines, 100);

	assert_int_equal(pipe2(ends, O_DIRECT | O_CLOEXEC | O_NONBLOCK), 0); /* keeps writes apart */
	int saved = dup(STDERR_FILENO);

	dup2(ends[1], STDERR_FILENO);
	for (int i = 0; i < 100; i++)
		log_page_add(&page, &logger, LOG_INFO, "many", log_number("i", i), LOG_END);
	log_page_write(&page);
	dup2(saved, STDERR_FILENO);
	close(saved);
	for (lines = 0; (length = read(ends[0], piece, sizeof piece)) > 0; lines++) {
		assert_true(length <= LOG_PAGE_SIZE);
		assert_int_equal(piece[length - 1], '\n');
	}
	assert_in_range(lines, 2, 4);
	close(ends[0]);
	close(ends[1]);
}

static void
levels_are_read_by_their_names(void **state)
{
	(void)state;
	assert_int_equal(log_level_parse("error"), LOG_ERROR);
	assert_int_equal(log_level_parse("warn"), LOG_WARN);
	assert_int_equal(log_level_parse("info"), LOG_INFO);
	assert_int_equal(log_level_parse("debug"), LOG_DEBUG);
	assert_int_equal(log_level_parse("Info"), -1);
	assert_int_equal(log_level_parse(""), -1);
	assert_int_equal(log_level_parse("information"), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_line_says_when_how_bad_who_what_and_about_which),
	    cmocka_unit_test(the_time_is_utc_with_microseconds),
	    cmocka_unit_test(lines_above_the_level_are_not_written),
	    cmocka_unit_test(values_are_quoted_only_where_they_must_be),
	    cmocka_unit_test(no_value_starts_a_line_or_a_field),
	    cmocka_unit_test(every_byte_leaves_one_line),
	    cmocka_unit_test(a_long_line_is_cut_and_still_a_line),
	    cmocka_unit_test(what_just_fits_is_not_cut),
	    cmocka_unit_test(lines_of_threads_are_never_mixed),
	    cmocka_unit_test(logging_does_not_disturb_errno),
	    cmocka_unit_test(a_page_holds_many_lines_and_never_ends_within_one),
	    cmocka_unit_test(levels_are_read_by_their_names),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
