/* SPDX-License-Identifier: Apache-2.0 */
/* test_notify.c - what systemd hears on its socket, and that nothing is said when nobody listens. */
#include "common/service/service_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

/* systemd's end: an abstract socket, or one in the file system. */
static int
listener(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))),
			 0);
	setenv("NOTIFY_SOCKET", path, 1);
	return fd;
}

static void
expect(int fd, const char *text)
{
	char heard[128] = "";
	ssize_t length = recv(fd, heard, sizeof heard - 1, MSG_DONTWAIT);

	assert_true(length > 0);
	assert_string_equal(heard, text);
}

static void
expect_silence(int fd)
{
	char heard[128];

	assert_true(recv(fd, heard, sizeof heard, MSG_DONTWAIT) < 0);
}

static void
an_abstract_socket_hears_ready_and_stopping(void **state)
{
	struct service_notify notify;
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof path, "@countersign-test-%ld", (long)getpid());
	fd = listener(path);
	service_notify_open(&notify);
	assert_null(getenv("NOTIFY_SOCKET"));
	service_notify_send(&notify, "READY=1");
	service_notify_send(&notify, "STOPPING=1");
	expect(fd, "READY=1");
	expect(fd, "STOPPING=1");
	service_notify_turn(&notify, 1000000);
	expect_silence(fd);
	service_notify_close(&notify);
	close(fd);
}

static void
the_watchdog_hears_at_half_its_time_and_not_more_often(void **state)
{
	struct service_notify notify;
	char path[64], pid[32];
	int fd;

	(void)state;
	snprintf(path, sizeof path, "/tmp/countersign-test-%ld", (long)getpid());
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	fd = listener(path);
	setenv("WATCHDOG_USEC", "2000000", 1);
	setenv("WATCHDOG_PID", pid, 1);
	service_notify_open(&notify);
	assert_int_equal(notify.interval, 1000000);
	service_notify_turn(&notify, 5000000);
	expect(fd, "WATCHDOG=1");
	service_notify_turn(&notify, 5999999);
	expect_silence(fd);
	service_notify_turn(&notify, 6000000);
	expect(fd, "WATCHDOG=1");
	service_notify_close(&notify);
	close(fd);
	unlink(path);
}

static void
a_watchdog_of_another_process_is_not_ours(void **state)
{
	struct service_notify notify;
	char path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof path, "@countersign-other-%ld", (long)getpid());
	fd = listener(path);
	setenv("WATCHDOG_USEC", "2000000", 1);
	setenv("WATCHDOG_PID", "1", 1);
	service_notify_open(&notify);
	assert_int_equal(notify.interval, 0);
	service_notify_close(&notify);
	close(fd);
}

static void
without_systemd_nothing_happens(void **state)
{
	struct service_notify notify;

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	service_notify_open(&notify);
	assert_int_equal(notify.socket, -1);
	service_notify_send(&notify, "READY=1");
	service_notify_turn(&notify, 1);
	service_notify_close(&notify);
	setenv("NOTIFY_SOCKET", "relative", 1);
	service_notify_open(&notify);
	assert_int_equal(notify.socket, -1);
	setenv("NOTIFY_SOCKET", "@nobody-listens-there", 1);
	service_notify_open(&notify);
	assert_int_equal(notify.socket, -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_abstract_socket_hears_ready_and_stopping),
	    cmocka_unit_test(the_watchdog_hears_at_half_its_time_and_not_more_often),
	    cmocka_unit_test(a_watchdog_of_another_process_is_not_ours),
	    cmocka_unit_test(without_systemd_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
