/* SPDX-License-Identifier: Apache-2.0 */
/* store_connection.c - from a URI to a connection, in bounded time and without a word of the URI's password in any text. */
#include "common/store/store_private.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define CONNECT_PATIENCE INT64_C(15000000) /* for all hosts and addresses */
#define ADDRESS_PATIENCE INT64_C(6000000)  /* for one that does not answer */

int64_t
store_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int
store_await(int descriptor, short events, int64_t until)
{
	struct pollfd waiting = {.fd = descriptor, .events = events};
	int64_t left = until - store_monotonic();
	struct timespec patience = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
	int ready;

	if (left < 0)
		patience = (struct timespec){0};
	ready = ppoll(&waiting, 1, &patience, NULL);
	return ready < 0 && errno != EINTR ? 1 : ready; /* whatever else is wrong with it, using it will tell */
}

/* ------------------------------------------------------------------ the URI */

/*
 * An '@', '/' or '?' of a password that is not percent-encoded moves a part of the password into host, port or database,
 * and from there into messages. Such a URI can't mean what it says, so it is refused unseen.
 */
static bool
uri_is_unambiguous(const char *uri)
{
	const char *authority = strstr(uri, "://") + 3;
	size_t authority_length = strcspn(authority, "/?");
	const char *path = authority + authority_length;
	const char *at = memchr(authority, '@', authority_length);

	return !memchr(path, '@', strcspn(path, "?"))
	    && !(at && memchr(at + 1, '@', authority_length - (size_t)(at + 1 - authority)));
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

/* What is neither a URI nor name=value is the name of a database. */
static bool
uri_check(const char *uri, struct error *error)
{
	PQconninfoOption *options = NULL;
	bool good = true;

	if (is_uri(uri) || strchr(uri, '=')) {
		options = !is_uri(uri) || uri_is_unambiguous(uri) ? PQconninfoParse(uri, NULL) : NULL;
		good = options && ports_are_numbers(options);
	}
	PQconninfoFree(options);
	return good ? true
		    : error_set(error, ERROR_BROKEN, "database_uri",
				"the database URI can't be read: is each special character of the password percent-encoded?");
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
	return at[-1] == ' ' && at[-2] == ' ' && strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 ? at : NULL;
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
		return error_set(error, ERROR_BROKEN, "login_refused", "the database wants a password and none was given");
	one_line(PQerrorMessage(connection), line, sizeof line);
	return error_set(error, kind, code, "connect: %s", line);
}

/*
 * libpq passes on to the next address or host by itself when one fails, but outside of PQconnectdb it knows no time:
 * a silent one is made to fail.
 */
static void
give_up_address(PGconn *connection)
{
	shutdown(PQsocket(connection), SHUT_RDWR);
}

static bool
connect_all(PGconn *connection, struct error *error)
{
	int64_t end = store_monotonic() + CONNECT_PATIENCE, address_end = store_monotonic() + ADDRESS_PATIENCE;
	PostgresPollingStatusType status = PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;

	while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
		int ready = store_await(PQsocket(connection), status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
					address_end < end ? address_end : end);

		if (ready > 0) {
			status = PQconnectPoll(connection);
		} else if (store_monotonic() >= end) {
			return error_set(error, ERROR_UNAVAILABLE, "connection_lost", "connect: no answer within %d s",
					 (int)(CONNECT_PATIENCE / 1000000));
		} else if (store_monotonic() >= address_end) {
			give_up_address(connection);
			address_end = store_monotonic() + ADDRESS_PATIENCE;
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

PGconn *
store_connection_open(const char *uri, const char *application_name, const struct log *log, struct error *error)
{
	/* what stands before the URI it may change, what stands behind it it may not */
	const char *const keywords[] = {"keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
					"tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding",
					"target_session_attrs", NULL};
	const char *const values[] = {"1", "10", "5", "3", "15000", application_name, uri, "UTF8", "read-write", NULL};
	PGconn *connection = NULL;
	bool good = !uri || uri_check(uri, error);

	if (good) {
		connection = PQconnectStartParams(keywords, values, 1);
		if (connection) {
			PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE);
			PQsetNoticeReceiver(connection, on_notice, (void *)(uintptr_t)log);
		}
		good = connection ? connect_all(connection, error)
				  : error_set(error, ERROR_UNAVAILABLE, "connection_lost", "connect: out of memory");
	}
	if (!good) {
		PQfinish(connection);
		connection = NULL;
	}
	return connection;
}

static bool
is_utf8(PGconn *connection, const char *parameter, struct error *error)
{
	const char *found = PQparameterStatus(connection, parameter);

	if (found && strcmp(found, "UTF8") == 0)
		return true;
	return error_set(error, ERROR_BROKEN, "encoding", "the database has %s = %s, needed is UTF8", parameter,
			 found ? found : "nothing");
}

/* With another encoding of the server, text that is not UTF-8 could be stored or be changed on its way. */
bool
store_connection_check(PGconn *connection, struct error *error)
{
	if (PQserverVersion(connection) < 150000)
		return error_set(error, ERROR_BROKEN, "server_version", "PostgreSQL 15 or newer is needed, this is %d",
				 PQserverVersion(connection) / 10000);
	return is_utf8(connection, "server_encoding", error) && is_utf8(connection, "client_encoding", error);
}
