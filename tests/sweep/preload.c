/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preload.c - put before a service by LD_PRELOAD, counts the calls by which data leaves and enters its process, and kills it at
 * one of them. What leaves has two sides, before and after. What enters has one, and several of a kind in a row count once: until
 * the process says something, the world can't tell what it has heard.
 *
 * What libpq is given is on its way when it is flushed, so flushes and syncs are counted, named by the last statement in them.
 * A transaction that learns and changes nothing is an idle look; from its end on nothing counts, until there is news: a record,
 * a report, an answer, an exit, or rows other than those that the same statement gave before.
 *
 *   SWEEP_REPORT  a file; each call that counts is appended as "number name", the last one as "killed number side name"
 *   SWEEP_AT      the number of the call at which to die; none: never
 *   SWEEP_SIDE    before or after it
 *   SWEEP_PATH    names, parted by '>': each but the last is waited for in its turn, then the SWEEP_AT-th call with the last
 *                 one's name is the one, whether or not it counts
 */
#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NAME_SIZE = 96,
	OWED_MAX = 1024,
	CONNECTIONS_MAX = 4,
	ANSWERS_MAX = 256,
	STEPS_MAX = 8,
	VALUES_MAX = 32
};

/* The next definition of the function whose name it is given. */
#define REAL(name) ((__typeof__(&name))next_definition(#name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int inside; /* libraries call their own functions through the same door */

static void *
next_definition(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* ------------------------------------------------------------------ where to die */

static struct {
	bool read, after;
	unsigned long at, seen;
	char steps[STEPS_MAX][NAME_SIZE];
	size_t step, step_count;
	int report;
} plan = {.report = -1};

static void
read_steps(const char *path)
{
	while (path && *path && plan.step_count < STEPS_MAX) {
		size_t length = strcspn(path, ">");

		snprintf(plan.steps[plan.step_count++], NAME_SIZE, "%.*s", (int)length, path);
		path += length + (path[length] == '>');
	}
}

static void
read_plan(void)
{
	const char *report = getenv("SWEEP_REPORT"), *at = getenv("SWEEP_AT"), *side = getenv("SWEEP_SIDE");

	plan.read = true;
	plan.at = at ? strtoul(at, NULL, 10) : 0;
	plan.after = side && strcmp(side, "after") == 0;
	read_steps(getenv("SWEEP_PATH"));
	if (report)
		plan.report = open(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Whether this is the call at which to die. */
static bool
is_chosen(const char *name, unsigned long number)
{
	if (plan.step_count == 0)
		return number != 0 && number == plan.at;
	if (strcmp(plan.steps[plan.step], name) != 0)
		return false;
	if (plan.step + 1 < plan.step_count) {
		plan.step++;
		return false;
	}
	return ++plan.seen == plan.at;
}

static void
report(const char *format, ...)
{
	char line[NAME_SIZE + 48];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (plan.report >= 0 && write(plan.report, line, (size_t)length) != length)
		abort();
}

/* ------------------------------------------------------------------ counting */

static unsigned long counted;
static bool busy = true, news = true;
static const char *heard; /* what entered last, with nothing said since */

struct crossing {
	char name[NAME_SIZE];
	unsigned long number; /* 0: it does not count */
	bool chosen;
};

static void
die(const struct crossing *crossing, const char *side)
{
	report("killed %lu %s %s\n", crossing->number, side, crossing->name);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* Under the lock. */
static struct crossing
count(bool enters, const char *what, const char *detail)
{
	struct crossing crossing = {.number = 0};

	if (!plan.read)
		read_plan();
	snprintf(crossing.name, sizeof crossing.name, "%s%s%.80s", what, *detail ? " " : "", detail);
	if (busy && !(enters && heard && strcmp(heard, what) == 0)) {
		crossing.number = ++counted;
		report("%lu %s\n", crossing.number, crossing.name);
	}
	heard = enters ? what : NULL;
	crossing.chosen = is_chosen(crossing.name, crossing.number);
	return crossing;
}

static void
hear_news(void)
{
	busy = news = true;
}

static struct crossing
leaving(const char *what, const char *detail)
{
	struct crossing crossing;

	pthread_mutex_lock(&lock);
	crossing = count(false, what, detail);
	pthread_mutex_unlock(&lock);
	if (crossing.chosen && !plan.after)
		die(&crossing, "before");
	return crossing;
}

static void
left(const struct crossing *crossing)
{
	if (crossing->chosen)
		die(crossing, "after");
}

static void
entered(const char *what, const char *detail)
{
	struct crossing crossing;

	pthread_mutex_lock(&lock);
	hear_news();
	crossing = count(true, what, detail);
	pthread_mutex_unlock(&lock);
	if (crossing.chosen)
		die(&crossing, "at");
}

/* ------------------------------------------------------------------ libpq: what is asked */

/* What a connection was asked and has not answered yet. */
static struct connection {
	const PGconn *handle;
	char owed[OWED_MAX][NAME_SIZE];
	size_t first, end;
	bool unsent, answered;
	char last[NAME_SIZE];
} connections[CONNECTIONS_MAX];

static struct connection *
connection_of(const PGconn *handle)
{
	struct connection *free_one = NULL;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		if (connections[i].handle == handle)
			return &connections[i];
		if (!connections[i].handle)
			free_one = &connections[i];
	}
	if (!free_one)
		abort();
	memset(free_one, 0, sizeof *free_one);
	free_one->handle = handle;
	return free_one;
}

static void
owe(const PGconn *handle, const char *what, const char *detail)
{
	struct connection *connection;

	pthread_mutex_lock(&lock);
	connection = connection_of(handle);
	if (connection->end - connection->first == OWED_MAX)
		abort();
	snprintf(connection->last, NAME_SIZE, "%s%.80s", what, detail);
	memcpy(connection->owed[connection->end++ % OWED_MAX], connection->last, NAME_SIZE);
	connection->unsent = true;
	pthread_mutex_unlock(&lock);
}

static struct crossing
sending(const PGconn *handle, const char *what)
{
	char last[NAME_SIZE];

	pthread_mutex_lock(&lock);
	memcpy(last, connection_of(handle)->last, NAME_SIZE);
	pthread_mutex_unlock(&lock);
	return leaving(what, last);
}

/* `call` gives the statement to libpq; without a pipeline it is on its way with that. */
#define ASK(handle, what, detail, call)                                                                      \
	do {                                                                                                 \
		bool flies = !inside && PQpipelineStatus(handle) == PQ_PIPELINE_OFF;                         \
		struct crossing crossing = {.number = 0};                                                    \
		int done;                                                                                    \
                                                                                                             \
		if (!inside)                                                                                 \
			owe(handle, what, detail);                                                           \
		if (flies)                                                                                   \
			crossing = sending(handle, "send");                                                  \
		inside++;                                                                                    \
		done = call;                                                                                 \
		inside--;                                                                                    \
		left(&crossing);                                                                             \
		return done;                                                                                 \
	} while (false)

int
PQsendQuery(PGconn *conn, const char *query)
{
	ASK(conn, "", "text", REAL(PQsendQuery)(conn, query));
}

int
PQsendQueryParams(PGconn *conn, const char *command, int nParams, const Oid *paramTypes,
		  const char *const *paramValues, const int *paramLengths, const int *paramFormats,
		  int resultFormat)
{
	ASK(conn, "", "text",
	    REAL(PQsendQueryParams)(conn, command, nParams, paramTypes, paramValues, paramLengths,
				    paramFormats, resultFormat));
}

int
PQsendQueryPrepared(PGconn *conn, const char *stmtName, int nParams, const char *const *paramValues,
		    const int *paramLengths, const int *paramFormats, int resultFormat)
{
	ASK(conn, "", stmtName,
	    REAL(PQsendQueryPrepared)(conn, stmtName, nParams, paramValues, paramLengths, paramFormats,
				      resultFormat));
}

int
PQsendPrepare(PGconn *conn, const char *stmtName, const char *query, int nParams, const Oid *paramTypes)
{
	ASK(conn, "prepare ", stmtName, REAL(PQsendPrepare)(conn, stmtName, query, nParams, paramTypes));
}

int
PQsendDescribePrepared(PGconn *conn, const char *stmt)
{
	ASK(conn, "describe ", stmt, REAL(PQsendDescribePrepared)(conn, stmt));
}

static void
sent(const PGconn *handle)
{
	pthread_mutex_lock(&lock);
	connection_of(handle)->unsent = false;
	pthread_mutex_unlock(&lock);
}

int
PQpipelineSync(PGconn *conn)
{
	struct crossing crossing = {.number = 0};
	int done;

	if (!inside) {
		crossing = sending(conn, "sync");
		pthread_mutex_lock(&lock);
		struct connection *connection = connection_of(conn);

		snprintf(connection->owed[connection->end++ % OWED_MAX], NAME_SIZE, "sync");
		pthread_mutex_unlock(&lock);
	}
	inside++;
	done = REAL(PQpipelineSync)(conn);
	inside--;
	sent(conn);
	left(&crossing);
	return done;
}

int
PQflush(PGconn *conn)
{
	struct crossing crossing = {.number = 0};
	bool unsent;
	int more;

	pthread_mutex_lock(&lock);
	unsent = !inside && connection_of(conn)->unsent;
	pthread_mutex_unlock(&lock);
	if (unsent)
		crossing = sending(conn, "send");
	more = REAL(PQflush)(conn);
	if (unsent && more == 0)
		sent(conn);
	left(&crossing);
	return more;
}

void
PQfinish(PGconn *conn)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; conn && i < CONNECTIONS_MAX; i++)
		if (connections[i].handle == conn)
			connections[i].handle = NULL;
	pthread_mutex_unlock(&lock);
	REAL(PQfinish)(conn);
}

/* ------------------------------------------------------------------ libpq: what is answered */

static uint64_t
mix(uint64_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t
digest(const PGresult *result)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (int row = 0; row < PQntuples(result); row++)
		for (int column = 0; column < PQnfields(result); column++)
			hash = mix(hash, PQgetvalue(result, row, column),
				   (size_t)PQgetlength(result, row, column));
	return hash;
}

/* Rows that the statement gave the last time as well are none. Under the lock. */
static bool
tells_something(const char *name, const PGresult *result)
{
	static struct {
		uint64_t name, rows;
	} answers[ANSWERS_MAX];
	uint64_t key = mix(UINT64_C(0xcbf29ce484222325), name, strlen(name)) | 1, rows = digest(result);
	size_t i = 0;
	bool same;

	if (PQntuples(result) == 0)
		return strtol(PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10) > 0;
	while (i < ANSWERS_MAX && answers[i].name && answers[i].name != key)
		i++;
	if (i == ANSWERS_MAX)
		abort();
	same = answers[i].name == key && answers[i].rows == rows;
	answers[i].name = key;
	answers[i].rows = rows;
	return !same;
}

/* Under the lock. */
static void
settle(struct connection *connection, const PGconn *handle)
{
	connection->first++;
	connection->answered = false;
	if (connection->first != connection->end || PQtransactionStatus(handle) != PQTRANS_IDLE)
		return;
	busy = news;
	news = false;
}

static struct crossing
take(const PGconn *handle, const PGresult *result)
{
	struct connection *connection = connection_of(handle);
	const char *name = connection->owed[connection->first % OWED_MAX];
	bool ends = result && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
	struct crossing crossing = {.number = 0};

	if (result && !ends && tells_something(name, result))
		hear_news();
	if (result)
		crossing = count(true, "answer", name);
	if (ends || (!result && connection->answered))
		settle(connection, handle);
	else
		connection->answered = result != NULL;
	return crossing;
}

PGresult *
PQgetResult(PGconn *conn)
{
	PGresult *result;
	struct crossing crossing;

	inside++;
	result = REAL(PQgetResult)(conn);
	inside--;
	if (inside)
		return result;
	pthread_mutex_lock(&lock);
	crossing = take(conn, result);
	pthread_mutex_unlock(&lock);
	if (crossing.chosen)
		die(&crossing, "at");
	return result;
}

/* ------------------------------------------------------------------ librdkafka */

/* Without the prefix. */
static const char *
topic_of(const char *name)
{
	const char *dot = name ? strrchr(name, '.') : NULL;

	return dot ? dot + 1 : name ? name : "";
}

rd_kafka_message_t *
rd_kafka_consumer_poll(rd_kafka_t *rk, int timeout_ms)
{
	rd_kafka_message_t *message = REAL(rd_kafka_consumer_poll)(rk, timeout_ms);

	if (message && !message->err)
		entered("poll", topic_of(rd_kafka_topic_name(message->rkt)));
	return message;
}

static rd_kafka_error_t *
produce(rd_kafka_t *rk, const rd_kafka_vu_t *values, size_t value_count)
{
	const char *topic = "";
	struct crossing crossing;
	rd_kafka_error_t *error;

	for (size_t i = 0; i < value_count; i++)
		if (values[i].vtype == RD_KAFKA_VTYPE_TOPIC)
			topic = topic_of(values[i].u.cstr);
	crossing = leaving("produce", topic);
	error = REAL(rd_kafka_produceva)(rk, values, value_count);
	left(&crossing);
	return error;
}

rd_kafka_error_t *
rd_kafka_produceva(rd_kafka_t *rk, const rd_kafka_vu_t *vus, size_t cnt)
{
	return produce(rk, vus, cnt);
}

rd_kafka_resp_err_t
rd_kafka_producev(rd_kafka_t *rk, ...)
{
	rd_kafka_vu_t values[VALUES_MAX];
	size_t length = 0;
	rd_kafka_vtype_t type;
	rd_kafka_error_t *error;
	rd_kafka_resp_err_t code;
	va_list arguments;

	va_start(arguments, rk);
	while ((type = va_arg(arguments, rd_kafka_vtype_t)) != RD_KAFKA_VTYPE_END) {
		rd_kafka_vu_t *value = &values[length++];

		value->vtype = type;
		switch (type) {
		case RD_KAFKA_VTYPE_TOPIC:
			value->u.cstr = va_arg(arguments, const char *);
			break;
		case RD_KAFKA_VTYPE_KEY:
		case RD_KAFKA_VTYPE_VALUE:
			value->u.mem.ptr = va_arg(arguments, void *);
			value->u.mem.size = va_arg(arguments, size_t);
			break;
		case RD_KAFKA_VTYPE_MSGFLAGS:
			value->u.i = va_arg(arguments, int);
			break;
		case RD_KAFKA_VTYPE_PARTITION:
			value->u.i32 = va_arg(arguments, int32_t);
			break;
		case RD_KAFKA_VTYPE_HEADERS:
			value->u.headers = va_arg(arguments, rd_kafka_headers_t *);
			break;
		case RD_KAFKA_VTYPE_OPAQUE:
			value->u.ptr = va_arg(arguments, void *);
			break;
		default:
			abort(); /* the product has learned a new one */
		}
		if (length == VALUES_MAX)
			abort();
	}
	va_end(arguments);
	error = produce(rk, values, length);
	code = error ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR;
	rd_kafka_error_destroy(error);
	return code;
}

static void (*on_report)(rd_kafka_t *, const rd_kafka_message_t *, void *);

static void
reported(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
	entered("report", topic_of(rd_kafka_topic_name(message->rkt)));
	on_report(rk, message, opaque);
}

void
rd_kafka_conf_set_dr_msg_cb(rd_kafka_conf_t *conf,
			    void (*dr_msg_cb)(rd_kafka_t *, const rd_kafka_message_t *, void *))
{
	on_report = dr_msg_cb;
	REAL(rd_kafka_conf_set_dr_msg_cb)(conf, reported);
}

rd_kafka_resp_err_t
rd_kafka_commit(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *offsets, int async)
{
	struct crossing crossing =
	    leaving("commit", offsets && offsets->cnt > 0 ? topic_of(offsets->elems[0].topic) : "");
	rd_kafka_resp_err_t code = REAL(rd_kafka_commit)(rk, offsets, async);

	left(&crossing);
	return code;
}

rd_kafka_resp_err_t
rd_kafka_query_watermark_offsets(rd_kafka_t *rk, const char *topic, int32_t partition, int64_t *low,
				 int64_t *high, int timeout_ms)
{
	struct crossing crossing = leaving("ask", topic_of(topic));
	rd_kafka_resp_err_t code =
	    REAL(rd_kafka_query_watermark_offsets)(rk, topic, partition, low, high, timeout_ms);

	left(&crossing);
	return code;
}

/* ------------------------------------------------------------------ the notifier's channels */

CURLcode
curl_easy_perform(CURL *curl)
{
	struct crossing crossing;
	CURLcode code;

	pthread_mutex_lock(&lock);
	hear_news();
	pthread_mutex_unlock(&lock);
	crossing = leaving("perform", "");
	code = REAL(curl_easy_perform)(curl);
	left(&crossing);
	return code;
}

int
posix_spawn(pid_t *restrict pid, const char *restrict path,
	    const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
	    char *const argv[restrict], char *const environment[restrict])
{
	struct crossing crossing;
	int fault;

	pthread_mutex_lock(&lock);
	hear_news();
	pthread_mutex_unlock(&lock);
	crossing = leaving("spawn", "");
	fault = REAL(posix_spawn)(pid, path, actions, attributes, argv, environment);
	left(&crossing);
	return fault;
}

pid_t
waitpid(pid_t pid, int *status, int options)
{
	pid_t ended = REAL(waitpid)(pid, status, options);

	if (ended > 0)
		entered("exit", "");
	return ended;
}
