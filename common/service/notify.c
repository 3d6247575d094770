/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - the few words that systemd wants to hear (sd_notify(3)): ready, stopping, still turning. */
#include "common/service/service_private.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Half of what systemd waits for, if it waits for this process. */
static int64_t
watchdog_interval(void)
{
	const char *microseconds = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!microseconds || (pid && strtoll(pid, NULL, 10) != getpid()))
		return 0;
	return strtoll(microseconds, NULL, 10) / 2;
}

static int
connected_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = path ? strlen(path) : 0;
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	int fd;

	if (length < 2 || length >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@'))
		return -1;
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* an abstract one */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void
service_notify_open(struct service_notify *notify)
{
	*notify = (struct service_notify){.socket = connected_socket(getenv("NOTIFY_SOCKET"))};
	notify->interval = notify->socket >= 0 ? watchdog_interval() : 0;
	unsetenv("NOTIFY_SOCKET"); /* programs that we start are not the service */
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
service_notify_close(struct service_notify *notify)
{
	if (notify->socket >= 0)
		close(notify->socket);
	notify->socket = -1;
}

/* Never waits: whoever does not read is not worth a stalled loop. */
void
service_notify_send(const struct service_notify *notify, const char *state)
{
	if (notify->socket >= 0 && send(notify->socket, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return; /* nothing that we could do about it */
}

void
service_notify_turn(struct service_notify *notify, int64_t now)
{
	if (notify->interval == 0 || now < notify->next)
		return;
	notify->next = now + notify->interval;
	service_notify_send(notify, "WATCHDOG=1");
}
