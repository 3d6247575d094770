/* SPDX-License-Identifier: Apache-2.0 */
/* test_monitor.c - the three pages as a scraper and a supervisor see them: over HTTP, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/monitor/monitor.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_SIZE = 1 << 20 };

static uint16_t
free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static int
dial(uint16_t port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

/* Sends as it is and reads until the other side closes. The answer lives until the next call of this thread. */
static const char *
talk(uint16_t port, const char *request)
{
	static _Thread_local char answer[ANSWER_SIZE];
	size_t length = 0;
	ssize_t n;
	int fd = dial(port);

	assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
	while ((n = read(fd, answer + length, sizeof answer - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	answer[length] = '\0';
	return answer;
}

static const char *
get(uint16_t port, const char *path)
{
	char request[256];

	snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
	return talk(port, request);
}

static const char *
body(const char *answer)
{
	const char *empty = strstr(answer, "\r\n\r\n");

	assert_non_null(empty);
	return empty + 4;
}

static void
expect_status(const char *answer, const char *status)
{
	char line[64];

	snprintf(line, sizeof line, "HTTP/1.1 %s ", status);
	assert_memory_equal(answer, line, strlen(line));
}

static void
expect_in(const char *answer, const char *text)
{
	if (!strstr(answer, text))
		fail_msg("%s\nis not in\n%s", text, answer);
}

static struct monitor *
listening(uint16_t *port)
{
	struct monitor *monitor = monitor_open("evaluator", "0.1.0+3f2a");
	struct error error = {0};

	*port = free_port();
	if (!monitor_listen(monitor, "127.0.0.1", *port, &error))
		fail_msg("%s", error.text);
	return monitor;
}

/* ------------------------------------------------------------------ metrics */

static void
metrics_come_in_the_text_format(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);
	const char *answer;

	(void)state;
	monitor_counter(monitor, "decisions_total", "Decisions by \\ class\nand verdict.", "class,verdict");
	monitor_gauge(monitor, "approvals_pending", "Questions that wait for people.", "");
	monitor_gauge(monitor, "unused", "Nothing yet.", "");
	monitor_add(monitor, "decisions_total", "production\nallow", 2);
	monitor_add(monitor, "decisions_total", "production\nallow", 3);
	monitor_add(monitor, "decisions_total", "a\"b\\c\nblock", 1);
	monitor_set(monitor, "approvals_pending", "", 0.1);
	answer = get(port, "/metrics");
	expect_status(answer, "200");
	expect_in(answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	expect_in(answer, "\n# HELP countersign_decisions_total Decisions by \\\\ class\\nand verdict.\n"
			  "# TYPE countersign_decisions_total counter\n"
			  "countersign_decisions_total{class=\"a\\\"b\\\\c\",verdict=\"block\"} 1\n"
			  "countersign_decisions_total{class=\"production\",verdict=\"allow\"} 5\n"
			  "# HELP countersign_approvals_pending Questions that wait for people.\n"
			  "# TYPE countersign_approvals_pending gauge\n"
			  "countersign_approvals_pending 0.1\n"
			  "# HELP countersign_unused Nothing yet.\n");
	expect_in(answer,
		  "countersign_build_info{service=\"evaluator\",version=\"0.1.0\",revision=\"3f2a\"} 1\n");
	assert_int_equal(answer[strlen(answer) - 1], '\n');
	monitor_close(monitor);
}

static double
value_of(const char *answer, const char *name)
{
	char line[128];
	const char *found;

	snprintf(line, sizeof line, "\n%s ", name);
	found = strstr(answer, line);
	if (!found)
		fail_msg("%s is missing", name);
	return found ? strtod(found + strlen(line), NULL) : 0;
}

static void
the_process_is_described_as_everywhere(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);
	const char *answer = get(port, "/metrics");

	(void)state;
	assert_true(value_of(answer, "process_cpu_seconds_total") > 0);
	assert_true(value_of(answer, "process_resident_memory_bytes") > 1e5);
	assert_true(value_of(answer, "process_virtual_memory_bytes") > 1e6);
	assert_true(value_of(answer, "process_open_fds") >= 4);
	assert_true(value_of(answer, "process_max_fds") >= 64);
	assert_true(value_of(answer, "process_start_time_seconds") > 1.7e9);
	monitor_close(monitor);
}

static void
numbers_read_back_as_they_were(void **state)
{
	static const double numbers[] = {
	    0, 1, -1, 0.1, 1.0 / 3, 1e300, 1e-300, 9007199254740993.0, 123456789012345678.0};
	uint16_t port;
	struct monitor *monitor = listening(&port);

	(void)state;
	monitor_gauge(monitor, "number", "Any.", "");
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		monitor_set(monitor, "number", "", numbers[i]);
		assert_true(value_of(get(port, "/metrics"), "countersign_number") == numbers[i]);
	}
	monitor_set(monitor, "number", "", strtod("inf", NULL));
	expect_in(get(port, "/metrics"), "\ncountersign_number +Inf\n");
	monitor_set(monitor, "number", "", strtod("-inf", NULL));
	expect_in(get(port, "/metrics"), "\ncountersign_number -Inf\n");
	monitor_set(monitor, "number", "", strtod("nan", NULL));
	expect_in(get(port, "/metrics"), "\ncountersign_number NaN\n");
	monitor_close(monitor);
}

/* Labels may come from what others wrote; one bad byte would cost the whole answer. */
static void
bytes_that_are_not_text_do_not_spoil_the_answer(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);

	(void)state;
	monitor_counter(monitor, "odd_total", "Odd.", "name");
	monitor_add(monitor, "odd_total", "a\xFF\xC3z\xE2\x82\xAC\r\x01", 1);
	expect_in(get(port, "/metrics"),
		  "countersign_odd_total{name=\"a\xEF\xBF\xBD\xEF\xBF\xBDz\xE2\x82\xAC  \"} 1\n");
	monitor_close(monitor);
}

static int
count_lines(const char *answer, const char *beginning)
{
	int count = 0;

	for (const char *at = strstr(answer, beginning); at; at = strstr(at + 1, beginning))
		count += at[-1] == '\n';
	return count;
}

static void
a_family_never_has_more_than_a_thousand_series(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);
	char values[64];
	const char *answer;

	(void)state;
	monitor_counter(monitor, "many_total", "Many.", "one,two");
	for (int i = 0; i < 5000; i++) {
		snprintf(values, sizeof values, "%d\nx", i);
		monitor_add(monitor, "many_total", values, 1);
	}
	monitor_add(monitor, "many_total", "7\nx", 1); /* one that is there goes on */
	answer = get(port, "/metrics");
	assert_int_equal(count_lines(answer, "countersign_many_total{"), 1000);
	expect_in(answer, "countersign_many_total{one=\"other\",two=\"other\"} 4001\n");
	expect_in(answer, "countersign_many_total{one=\"7\",two=\"x\"} 2\n");
	monitor_close(monitor);
}

static void
a_cleared_gauge_has_no_series_left(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);

	(void)state;
	monitor_gauge(monitor, "lag", "Behind.", "partition");
	monitor_set(monitor, "lag", "0", 5);
	monitor_set(monitor, "lag", "1", 6);
	monitor_clear(monitor, "lag");
	assert_int_equal(count_lines(get(port, "/metrics"), "countersign_lag{"), 0);
	monitor_set(monitor, "lag", "1", 7);
	assert_int_equal(count_lines(get(port, "/metrics"), "countersign_lag{partition=\"1\"} 7"), 1);
	monitor_close(monitor);
}

/* ------------------------------------------------------------------ readiness, life */

static void
ready_is_when_something_was_looked_at_and_all_is_good(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);
	const char *answer = get(port, "/readyz");

	(void)state;
	expect_status(answer, "503");
	assert_string_equal(body(answer), "[]\n");
	monitor_ready(monitor, "database", true, NULL);
	expect_status(get(port, "/readyz"), "200");
	monitor_ready(monitor, "kafka", false, "no \"broker\"\n\x02");
	answer = get(port, "/readyz?verbose");
	expect_status(answer, "503");
	expect_in(answer, "Content-Type: application/json\r\n");
	assert_string_equal(body(answer),
			    "[{\"name\":\"database\",\"ready\":true},\n"
			    " {\"name\":\"kafka\",\"ready\":false,\"why\":\"no \\\"broker\\\"\\n \"}]\n");
	monitor_ready(monitor, "kafka", true, "");
	answer = get(port, "/readyz");
	expect_status(answer, "200");
	assert_string_equal(
	    body(answer),
	    "[{\"name\":\"database\",\"ready\":true},\n {\"name\":\"kafka\",\"ready\":true}]\n");
	monitor_close(monitor);
}

static void
alive_is_who_turned_lately(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);

	(void)state;
	expect_status(get(port, "/livez"), "200");
	monitor_stall_limit(monitor, 200000);
	monitor_alive(monitor);
	expect_status(get(port, "/livez"), "200");
	usleep(300000);
	expect_status(get(port, "/livez"), "503");
	monitor_alive(monitor);
	expect_status(get(port, "/livez"), "200");
	monitor_close(monitor);
}

/* ------------------------------------------------------------------ HTTP */

static void
only_three_pages_and_two_methods_are_there(void **state)
{
	uint16_t port;
	struct monitor *monitor = listening(&port);
	const char *answer;

	(void)state;
	expect_status(get(port, "/"), "404");
	expect_status(get(port, "/metrics/"), "404");
	expect_status(get(port, "/%2e%2e/etc/passwd"), "404");
	answer = talk(port,
		      "POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
	expect_status(answer, "405");
	expect_in(answer, "Allow: GET, HEAD\r\n");
	expect_status(talk(port, "DELETE /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), "405");
	answer = talk(port, "HEAD /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	expect_status(answer, "200");
	expect_in(answer, "Content-Length: 6\r\n");
	assert_string_equal(body(answer), "");
	expect_status(talk(port, "GET /livez HTTP/1.0\r\n\r\n"), "200");
	monitor_close(monitor);
}

/* Whoever opens connections and says nothing is sent away, and others get through afterwards. */
static void
silent_connections_are_limited_in_number_and_time(void **state)
{
	enum { MANY = 40 };
	uint16_t port;
	struct monitor *monitor = listening(&port);
	int fds[MANY];
	char byte;

	(void)state;
	for (int i = 0; i < MANY; i++)
		fds[i] = dial(port);
	for (int i = 0; i < MANY; i++) {
		struct pollfd ended = {.fd = fds[i], .events = POLLIN};

		assert_int_equal(poll(&ended, 1, 9000), 1);
		assert_true(read(fds[i], &byte, 1) <= 0);
		close(fds[i]);
	}
	expect_status(get(port, "/livez"), "200");
	monitor_close(monitor);
}

static void
an_address_that_is_taken_or_no_address_is_said(void **state)
{
	uint16_t port;
	struct monitor *first = listening(&port), *second = monitor_open("x", "1");
	struct error error = {0};

	(void)state;
	assert_false(monitor_listen(second, "127.0.0.1", port, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.field, "monitor.port");
	error_clear(&error);
	assert_false(monitor_listen(second, "localhost", port, &error));
	assert_string_equal(error.field, "monitor.address");
	error_clear(&error);
	assert_true(monitor_listen(second, "127.0.0.1", 0, &error)); /* does not listen */
	monitor_close(first);
	assert_true(monitor_listen(second, "127.0.0.1", port, &error)); /* free again at once */
	expect_status(get(port, "/livez"), "200");
	monitor_close(second);
}

/* ------------------------------------------------------------------ threads */

struct worker {
	struct monitor *monitor;
	int number;
};

static void *
work(void *context)
{
	const struct worker *worker = context;
	char values[32];

	for (int i = 0; i < 2000; i++) {
		snprintf(values, sizeof values, "%d", i % 50);
		monitor_add(worker->monitor, "work_total", values, 1);
		monitor_set(worker->monitor, "level", values, i);
		monitor_ready(worker->monitor, "database", i % 2, "why");
		monitor_alive(worker->monitor);
		if (i % 100 == 0)
			monitor_clear(worker->monitor, "level");
	}
	return NULL;
}

static void
many_threads_write_while_others_read(void **state)
{
	enum { WORKERS = 4 };
	uint16_t port;
	struct monitor *monitor = listening(&port);
	struct worker workers[WORKERS];
	pthread_t threads[WORKERS];

	(void)state;
	monitor_counter(monitor, "work_total", "Work.", "kind");
	monitor_gauge(monitor, "level", "Level.", "kind");
	monitor_stall_limit(monitor, 60000000);
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){monitor, i};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < 50; i++) {
		get(port, "/metrics");
		get(port, "/readyz");
		expect_status(get(port, "/livez"), "200");
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	expect_in(get(port, "/metrics"), "countersign_work_total{kind=\"7\"} 160\n");
	monitor_close(monitor);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(metrics_come_in_the_text_format),
	    cmocka_unit_test(the_process_is_described_as_everywhere),
	    cmocka_unit_test(numbers_read_back_as_they_were),
	    cmocka_unit_test(bytes_that_are_not_text_do_not_spoil_the_answer),
	    cmocka_unit_test(a_family_never_has_more_than_a_thousand_series),
	    cmocka_unit_test(a_cleared_gauge_has_no_series_left),
	    cmocka_unit_test(ready_is_when_something_was_looked_at_and_all_is_good),
	    cmocka_unit_test(alive_is_who_turned_lately),
	    cmocka_unit_test(only_three_pages_and_two_methods_are_there),
	    cmocka_unit_test(silent_connections_are_limited_in_number_and_time),
	    cmocka_unit_test(an_address_that_is_taken_or_no_address_is_said),
	    cmocka_unit_test(many_threads_write_while_others_read),
	};

	return cmocka_run_group_tests_name("monitor/monitor", tests, NULL, NULL);
}
