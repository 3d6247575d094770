/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the three pages over HTTP, by libmicrohttpd's own thread. Reads the registry, changes nothing. */
#include "common/monitor/monitor_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>

enum { CONNECTIONS = 16, IDLE_SECONDS = 5, MEMORY_PER_CONNECTION = 16384 };

struct answer {
	unsigned status;
	const char *type;
	struct buffer body;
};

/* ------------------------------------------------------------------ pages */

static void
answer_metrics(struct monitor *monitor, struct answer *answer)
{
	answer->type = "text/plain; version=0.0.4; charset=utf-8";
	monitor_format_metrics(monitor, &answer->body);
}

static void
answer_ready(struct monitor *monitor, struct answer *answer)
{
	answer->type = "application/json";
	if (!monitor_format_conditions(monitor, &answer->body))
		answer->status = MHD_HTTP_SERVICE_UNAVAILABLE;
}

static void
answer_alive(struct monitor *monitor, struct answer *answer)
{
	bool alive = monitor_is_alive(monitor);

	if (!alive)
		answer->status = MHD_HTTP_SERVICE_UNAVAILABLE;
	buffer_add_text(&answer->body, alive ? "alive\n" : "stalled\n");
}

struct page {
	const char *path;
	void (*answer)(struct monitor *monitor, struct answer *answer);
};

static const struct page pages[] = {
    {"/metrics", answer_metrics},
    {"/readyz", answer_ready},
    {"/livez", answer_alive},
};

static void
choose(struct monitor *monitor, const char *path, const char *method, struct answer *answer)
{
	const struct page *page = NULL;

	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		if (strcmp(pages[i].path, path) == 0)
			page = &pages[i];
	if (!page) {
		answer->status = MHD_HTTP_NOT_FOUND;
		buffer_add_text(&answer->body, "There are /metrics, /readyz and /livez.\n");
	} else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		answer->status = MHD_HTTP_METHOD_NOT_ALLOWED;
		buffer_add_text(&answer->body, "GET and HEAD only.\n");
	} else {
		page->answer(monitor, answer);
	}
}

/* ------------------------------------------------------------------ HTTP */

static enum MHD_Result
send_answer(struct MHD_Connection *connection, const struct answer *answer)
{
	struct MHD_Response *response =
	    MHD_create_response_from_buffer(answer->body.length, answer->body.bytes, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return result;
}

/* A body that somebody sends along is not read: the answer comes first and the connection is closed. */
static enum MHD_Result
on_request(void *context, struct MHD_Connection *connection, const char *path, const char *method,
	   const char *version, const char *body, size_t *body_length, void **state)
{
	struct arena *arena = arena_open();
	struct answer answer = {.status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8", .body.arena = arena};
	enum MHD_Result result;

	(void)version, (void)body, (void)body_length, (void)state;
	choose(context, path, method, &answer);
	result = send_answer(connection, &answer);
	arena_close(arena);
	return result;
}

/* ------------------------------------------------------------------ listen, close */

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* Returns libmicrohttpd's flag for the family; -1 when it is no literal address. */
static int
parse_address(const char *text, uint16_t port, union address *address)
{
	memset(address, 0, sizeof *address);
	if (inet_pton(AF_INET, text, &address->four.sin_addr) == 1) {
		address->four.sin_family = AF_INET;
		address->four.sin_port = htons(port);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &address->six.sin6_addr) != 1)
		return -1;
	address->six.sin6_family = AF_INET6;
	address->six.sin6_port = htons(port);
	return MHD_USE_IPv6;
}

/* All signals are blocked in the server's thread: they are the main thread's. */
static struct MHD_Daemon *
start(struct monitor *monitor, int family, const union address *address)
{
	struct MHD_Daemon *server;
	sigset_t all, before;
	int reason;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = 0;
	server = MHD_start_daemon(
	    MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | (unsigned)family, 0, NULL, NULL, on_request,
	    monitor, MHD_OPTION_SOCK_ADDR, &address->any, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
	    (size_t)MEMORY_PER_CONNECTION, MHD_OPTION_END);
	reason = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = reason;
	return server;
}

bool
monitor_listen(struct monitor *monitor, const char *address, uint16_t port, struct error *error)
{
	union address parsed;
	int family;

	if (port == 0)
		return true;
	family = parse_address(address, port, &parsed);
	if (family < 0)
		return error_set_field(error, ERROR_BROKEN, "config", "monitor.address",
				       "the monitor's address must be an IP address, not a name");
	monitor->server = start(monitor, family, &parsed);
	if (!monitor->server)
		return error_set_field(error, ERROR_BROKEN, "config", "monitor.port",
				       "the monitor can not listen on %s port %u: %s", address,
				       (unsigned)port, errno ? strerror(errno) : "no reason given");
	return true;
}

void
monitor_close(struct monitor *monitor)
{
	if (!monitor)
		return;
	if (monitor->server)
		MHD_stop_daemon(monitor->server);
	monitor_free(monitor);
}
