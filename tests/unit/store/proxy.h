/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.h - stands between the store and the server on a port of its own, and loses what the test wants to be lost. */
#ifndef COUNTERSIGN_TEST_PROXY_H
#define COUNTERSIGN_TEST_PROXY_H

#include "scratch.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

enum proxy_mode {
	PROXY_PASS,   /* everything through */
	PROXY_SILENT, /* the server's answers are kept back for ever */
	PROXY_CUT,    /* at the server's next answer both sides are closed, the answer lost */
	PROXY_DEAF,   /* the client's bytes are not taken either */
};

struct proxy {
	int listener, ended[2]; /* a byte in `ended` ends it */
	char port[8];
	struct sockaddr_storage server;
	socklen_t server_length;
	_Atomic enum proxy_mode mode;
	atomic_int connections;
	pthread_t thread;
};

/* One way; false: that side is gone, or both are to be closed. */
static inline bool
proxy_pass(int from, int to, bool answer, enum proxy_mode mode)
{
	char bytes[65536];
	ssize_t length = recv(from, bytes, sizeof bytes, 0);

	if (length <= 0 || (answer && mode == PROXY_CUT))
		return false;
	for (ssize_t sent = 0, n; sent < length && !(answer && mode == PROXY_SILENT); sent += n)
		if ((n = send(to, bytes + sent, (size_t)(length - sent), MSG_NOSIGNAL)) <= 0)
			return false;
	return true;
}

/* Until one side or the test ends it. */
static inline void
proxy_carry(struct proxy *proxy, int client, int server)
{
	struct pollfd ends[3] = {{.fd = client}, {.fd = server}, {.fd = proxy->ended[0], .events = POLLIN}};
	bool open = true;

	while (open) {
		enum proxy_mode mode = proxy->mode;

		ends[0].events = ends[1].events = mode == PROXY_DEAF ? 0 : POLLIN;
		poll(ends, 3, 10);
		mode = proxy->mode;
		if (ends[0].revents & ends[0].events)
			open = proxy_pass(client, server, false, mode);
		if (open && (ends[1].revents & ends[1].events))
			open = proxy_pass(server, client, true, mode);
		open = open && !(ends[2].revents & POLLIN) && !((ends[0].revents | ends[1].revents) & POLLERR);
	}
	close(client);
	close(server);
}

static inline void *
proxy_run(void *argument)
{
	struct proxy *proxy = argument;
	struct pollfd ends[2] = {{.fd = proxy->listener, .events = POLLIN},
				 {.fd = proxy->ended[0], .events = POLLIN}};

	while (poll(ends, 2, -1) >= 0 && !(ends[1].revents & POLLIN)) {
		int client = accept(proxy->listener, NULL, NULL);
		int server = socket(proxy->server.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		proxy->connections++;
		if (connect(server, (struct sockaddr *)&proxy->server, proxy->server_length) == 0) {
			proxy_carry(proxy, client, server);
		} else {
			close(client);
			close(server);
		}
	}
	return NULL;
}

/* Where the server of the environment is. */
static inline void
proxy_find_server(struct proxy *proxy, const PGconn *connection)
{
	const char *host = PQhost(connection), *port = PQport(connection);
	struct sockaddr_in *in = (struct sockaddr_in *)&proxy->server;
	struct sockaddr_un *un = (struct sockaddr_un *)&proxy->server;

	if (*host == '/') {
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof un->sun_path, "%s/.s.PGSQL.%s", host, port);
		proxy->server_length = sizeof *un;
		return;
	}
	in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)atoi(port));
	assert_int_equal(inet_pton(AF_INET, PQhostaddr(connection), &in->sin_addr), 1);
	proxy->server_length = sizeof *in;
}

/* A free loopback port that listens. */
static inline int
proxy_listen(char port[8], int backlog)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listener, backlog), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	snprintf(port, 8, "%u", (unsigned)ntohs(address.sin_port));
	return listener;
}

static inline struct proxy *
proxy_open(const PGconn *connection)
{
	struct proxy *proxy = memory_take(sizeof *proxy);

	proxy_find_server(proxy, connection);
	proxy->listener = proxy_listen(proxy->port, 16);
	assert_int_equal(pipe(proxy->ended), 0);
	assert_int_equal(pthread_create(&proxy->thread, NULL, proxy_run, proxy), 0);
	return proxy;
}

static inline void
proxy_close(struct proxy *proxy)
{
	assert_int_equal(write(proxy->ended[1], "x", 1), 1);
	pthread_join(proxy->thread, NULL);
	close(proxy->listener);
	close(proxy->ended[0]);
	close(proxy->ended[1]);
	free(proxy);
}

#endif
