/* SPDX-License-Identifier: Apache-2.0 */
/* store_connection.c - from a URI to a connection, in bounded time and without a word of the URI's password in any text. */
#include "common/store/store_private.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define CONNECT_PATIENCE INT64_C(15000000) /* for all hosts and addresses */
#define ADDRESS_PATIENCE INT64_C(5000000)  /* for one that does not answer */

int
store_await(int descriptor, short events, int64_t until)
{
	struct pollfd waiting = {.fd = descriptor, .events = events};
	int64_t left = until - clock_monotonic();
	struct timespec patience = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
	int ready;

	if (left < 0)
		patience = (struct timespec){0};
	ready = ppoll(&waiting, 1, &patience, NULL);
	return ready < 0 && errno != EINTR ? 1 : ready; /* whatever else is wrong with it, using it will tell */
}

/* ------------------------------------------------------------------ the URI */

/*
 * An '@' or '/' of a password that is not percent-encoded moves a part of the password into host, port or database, and
 * from there into messages. Such a URI can't mean what it says, so it is refused unseen. libpq takes what stands before
 * the first '@' for user and password, unless a '/' comes first.
 */
static bool
uri_is_unambiguous(const char *uri)
{
	const char *rest = strstr(uri, "://") + 3;
	const char *at = rest + strcspn(rest, "@/");

	if (*at == '@')
		rest = at + 1;
	return !memchr(rest, '@', strcspn(rest, "?"));
}

static bool
is_uri(const char *uri)
{
	return strncmp(uri, "postgresql://", 13) == 0 || strncmp(uri, "postgres://", 11) == 0;
}

static bool
ports_are_numbers(const PQconninfoOption *options)
{
	for (; options->keyword; options++)
		if (strcmp(options->keyword, "port") == 0 && options->val
		    && options->val[strspn(options->val, "0123456789,")] != '\0')
			return false;
	return true;
}

/* What is neither a URI nor name=value is the name of a database; NULL is what PG* variables say. */
static PQconninfoOption *
uri_parse(const char *uri, struct error *error)
{
	bool plain = !uri || (!is_uri(uri) && !strchr(uri, '='));
	PQconninfoOption *options = NULL;

	if (plain || !is_uri(uri) || uri_is_unambiguous(uri))
		options = PQconninfoParse(plain ? "" : uri, NULL);
	if (options && ports_are_numbers(options))
		return options;
	PQconninfoFree(options);
	error_set(
	    error, ERROR_BROKEN, "database_uri",
	    "the database URI can't be read: is each special character of the password percent-encoded?");
	return NULL;
}

/* ------------------------------------------------------------------ the hosts it names */

/* What a connection is asked for; a later value of a keyword counts more. */
struct request {
	const char *keywords[80], *values[80];
	size_t count;
};

static void
request_add(struct request *request, const char *keyword, const char *value)
{
	if (!value || !*value)
		return;
	assert(request->count < sizeof request->keywords / sizeof *request->keywords - 1);
	request->keywords[request->count] = keyword;
	request->values[request->count++] = value;
}

/* The host lists, and everything else that the URI says. */
struct hosts {
	struct arena *arena;
	PQconninfoOption *options, *defaults;
	const char *host, *hostaddr, *port;
	const char *dbname; /* when the URI is nothing but that */
};

static const char *
option_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options && options->keyword; options++)
		if (strcmp(options->keyword, keyword) == 0)
			return options->val;
	return NULL;
}

static const char *
list_of(const struct hosts *hosts, const char *keyword)
{
	const char *list = option_of(hosts->options, keyword);

	return list ? list : option_of(hosts->defaults, keyword);
}

static size_t
list_length(const char *list)
{
	size_t length = 1;

	for (; list && *list; list++)
		length += *list == ',';
	return length;
}

/* The i-th item; of a list of one it is always that one. */
static const char *
list_item(struct arena *arena, const char *list, size_t i)
{
	if (!list || list_length(list) == 1)
		return list;
	for (; i > 0; i--)
		list += strcspn(list, ",") + (strchr(list, ',') != NULL);
	return arena_copy(arena, list, strcspn(list, ","));
}

static bool
is_host_list(const char *keyword)
{
	return strcmp(keyword, "host") == 0 || strcmp(keyword, "hostaddr") == 0 || strcmp(keyword, "port") == 0;
}

/* Our defaults, then what the URI says, then what it can't change. */
static void
request_host(const struct hosts *hosts, size_t i, const char *application_name, struct request *request)
{
	request_add(request, "keepalives", "1");
	request_add(request, "keepalives_idle", "10");
	request_add(request, "keepalives_interval", "5");
	request_add(request, "keepalives_count", "3");
	request_add(request, "tcp_user_timeout", "15000");
	request_add(request, "fallback_application_name", application_name);
	request_add(request, "dbname", hosts->dbname);
	for (const PQconninfoOption *option = hosts->options; option->keyword; option++)
		if (!is_host_list(option->keyword))
			request_add(request, option->keyword, option->val);
	request_add(request, "host", list_item(hosts->arena, hosts->host, i));
	request_add(request, "hostaddr", list_item(hosts->arena, hosts->hostaddr, i));
	request_add(request, "port", list_item(hosts->arena, hosts->port, i));
	request_add(request, "client_encoding", "UTF8");
	request_add(request, "target_session_attrs", "read-write");
	request->keywords[request->count] = request->values[request->count] = NULL;
}

/* ------------------------------------------------------------------ connecting */

/* SQLSTATE is all that the server's part of the message holds; libpq has no accessor for it before there is a session. */
static const char *
sqlstate_at_end(const char *message)
{
	size_t length = strlen(message);
	const char *at;

	while (length > 0 && message[length - 1] == '\n')
		length--;
	if (length < 7)
		return NULL;
	at = message + length - 5;
	return at[-1] == ' ' && at[-2] == ' ' && strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5
		   ? at
		   : NULL;
}

/* The message in one line. */
static void
one_line(const char *message, char *line, size_t size)
{
	size_t length = strnlen(message, size - 1);

	memcpy(line, message, length);
	while (length > 0 && line[length - 1] == '\n')
		length--;
	line[length] = '\0';
	for (char *at = line; *at; at++)
		if (*at == '\n' || *at == '\t')
			*at = ' ';
}

static bool
explain(PGconn *connection, struct error *error)
{
	const char *sqlstate = sqlstate_at_end(PQerrorMessage(connection)), *code;
	enum error_kind kind = store_sqlstate_kind(sqlstate, &code);
	char line[ERROR_TEXT_SIZE];

	if (PQconnectionNeedsPassword(connection))
		return error_set(error, ERROR_BROKEN, "login_refused",
				 "the database wants a password and none was given");
	one_line(PQerrorMessage(connection), line, sizeof line);
	return error_set(error, kind, code, "connect: %s%s%s", sqlstate ? code : "", sqlstate ? ": " : "",
			 line);
}

/*
 * libpq passes on to a host's next address by itself when one fails, but outside of PQconnectdb it knows no time: a
 * silent one is made to fail.
 */
static void
give_up_address(PGconn *connection)
{
	shutdown(PQsocket(connection), SHUT_RDWR);
}

static bool
connect_addresses(PGconn *connection, int64_t end, struct error *error)
{
	int64_t address_end = clock_monotonic() + ADDRESS_PATIENCE;
	PostgresPollingStatusType status =
	    PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;

	while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
		int ready =
		    store_await(PQsocket(connection), status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
				address_end < end ? address_end : end);

		if (ready > 0) {
			status = PQconnectPoll(connection);
		} else if (clock_monotonic() >= end) {
			return error_set(error, ERROR_UNAVAILABLE, "connection_lost",
					 "connect: no answer in time");
		} else if (clock_monotonic() >= address_end) {
			give_up_address(connection);
			address_end = clock_monotonic() + ADDRESS_PATIENCE;
		}
	}
	return status == PGRES_POLLING_OK ? true : explain(connection, error);
}

/* Notices are not errors, and may quote values. */
static void
on_notice(void *context, const PGresult *result)
{
	const struct log *log = context;
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	if (log)
		log_debug(log, "database_notice", log_text("sqlstate", sqlstate));
}

static PGconn *
connect_request(const struct request *request, const struct log *log, int64_t end, struct error *error)
{
	PGconn *connection = PQconnectStartParams(request->keywords, request->values, 0);
	bool good;

	if (connection) {
		PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE);
		PQsetNoticeReceiver(connection, on_notice, (void *)(uintptr_t)log);
	}
	good = connection ? connect_addresses(connection, end, error)
			  : error_set(error, ERROR_UNAVAILABLE, "connection_lost", "connect: out of memory");
	if (!good) {
		PQfinish(connection);
		connection = NULL;
	}
	return connection;
}

/* As long as one host is merely away there is hope: a host that refuses us counts only when all of them do. */
static PGconn *
connect_hosts(const struct hosts *hosts, const char *application_name, const struct log *log,
	      struct error *error)
{
	int64_t end = clock_monotonic() + CONNECT_PATIENCE;
	size_t count = list_length(hosts->hostaddr && *hosts->hostaddr ? hosts->hostaddr : hosts->host);
	struct error worst = {0};
	PGconn *connection = NULL;

	for (size_t i = 0; !connection && i < count && clock_monotonic() < end; i++) {
		struct request request = {.count = 0};
		struct error failure = {0};

		request_host(hosts, i, application_name, &request);
		connection = connect_request(&request, log, end, &failure);
		if (worst.kind == ERROR_NONE || failure.kind == ERROR_UNAVAILABLE)
			worst = failure;
	}
	if (!connection && error->kind == ERROR_NONE)
		*error = worst;
	return connection;
}

PGconn *
store_connection_open(const char *uri, const char *application_name, const struct log *log, struct error *error)
{
	struct hosts hosts = {
	    .arena = arena_open(), .options = uri_parse(uri, error), .defaults = PQconndefaults()};
	PGconn *connection = NULL;

	if (hosts.options) {
		hosts.host = list_of(&hosts, "host");
		hosts.hostaddr = list_of(&hosts, "hostaddr");
		hosts.port = list_of(&hosts, "port");
		hosts.dbname = uri && !is_uri(uri) && !strchr(uri, '=') ? uri : NULL;
		connection = connect_hosts(&hosts, application_name, log, error);
	}
	PQconninfoFree(hosts.options);
	PQconninfoFree(hosts.defaults);
	arena_close(hosts.arena);
	return connection;
}

static bool
is_utf8(PGconn *connection, const char *parameter, struct error *error)
{
	const char *found = PQparameterStatus(connection, parameter);

	if (found && strcmp(found, "UTF8") == 0)
		return true;
	return error_set(error, ERROR_BROKEN, "encoding", "the database has %s = %s, needed is UTF8",
			 parameter, found ? found : "nothing");
}

/* With another encoding of the server, text that is not UTF-8 could be stored or be changed on its way. */
bool
store_connection_check(PGconn *connection, struct error *error)
{
	if (PQserverVersion(connection) < 150000)
		return error_set(error, ERROR_BROKEN, "server_version",
				 "PostgreSQL 15 or newer is needed, this is %d",
				 PQserverVersion(connection) / 10000);
	return is_utf8(connection, "server_encoding", error) && is_utf8(connection, "client_encoding", error);
}
