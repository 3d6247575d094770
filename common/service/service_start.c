/* SPDX-License-Identifier: Apache-2.0 */
/* service_start.c - opening everything in the order in which it can be checked, and closing it in reverse. */
#include "common/service/service_private.h"
#include "common/clock/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICE = 100 * 1000, SHORTEST_CLOSE = 1000 * 1000, LONGEST_CLOSE = 8 * 1000 * 1000 };

/* Waits, answering /livez and the watchdog, and stops waiting when the process shall stop. */
static void
rest(struct service_loop *loop, int64_t pause_us)
{
	int64_t until = clock_monotonic() + pause_us;

	for (int64_t now = clock_monotonic(); now < until && !service_stopping(); now = clock_monotonic()) {
		monitor_alive(loop->context.monitor);
		service_notify_turn(&loop->notify, now);
		usleep((useconds_t)(until - now < SLICE ? until - now : SLICE));
	}
}

/* Does a step until it ends otherwise than with UNAVAILABLE, or the process shall stop. */
static bool
persist(struct service_loop *loop, const char *condition, bool (*step)(struct service_loop *, struct error *),
	struct error *error)
{
	struct service_backoff backoff = {0};
	bool ok;

	while (!(ok = step(loop, error)) && error->kind == ERROR_UNAVAILABLE && !service_stopping()) {
		monitor_ready(loop->context.monitor, condition, false, error->text);
		log_warn(&loop->log, "waiting", log_text("for", condition), log_text("reason", error->text));
		error_clear(error);
		rest(loop, service_backoff_next(&backoff));
	}
	if (ok)
		monitor_ready(loop->context.monitor, condition, true, "");
	return ok;
}

/* ------------------------------------------------------------------ names */

static char *
joined(const char *one, const char *two, const char *three)
{
	size_t size = strlen(one) + strlen(two) + strlen(three) + 1;
	char *text = memory_take(size);

	snprintf(text, size, "%s%s%s", one, two, three);
	return text;
}

static char *
instance_name(void)
{
	char host[65] = "host", text[128];
	uint32_t random;

	gethostname(host, sizeof host - 1);
	crypto_random(&random, sizeof random);
	snprintf(text, sizeof text, "%s-%ld-%08x", host, (long)getpid(), random);
	return memory_string(text);
}

static void
name(struct service_loop *loop)
{
	const char *service = loop->service->name;

	loop->instance = instance_name();
	loop->source = joined("/countersign/", service, "");
	loop->client_id = joined("countersign-", service, "");
	loop->group = joined(loop->config->topics_prefix, service, "");
	if (loop->service->input)
		loop->topic = joined(loop->config->topics_prefix, loop->service->input, "");
	loop->bus = (struct bus_options){
	    .through = &loop->config->kafka, .client_id = loop->client_id, .log = &loop->log};
	loop->context.service = service;
	loop->context.instance = loop->instance;
	loop->context.source = loop->source;
	loop->context.config = loop->config;
	loop->context.log = &loop->log;
	loop->context.topics_prefix = loop->config->topics_prefix;
	loop->context.time = loop->service->input ? &loop->time : NULL;
	loop->context.bus = &loop->bus;
	loop->context.quarantine_keep = loop->batch.quarantine_keep;
}

/* ------------------------------------------------------------------ monitor and key */

static bool
start_monitor(struct service_loop *loop, struct error *error)
{
	struct monitor *monitor = loop->context.monitor = monitor_open(loop->service->name, CS_VERSION);

	service_series_open(loop->service, monitor);
	monitor_stall_limit(monitor, 4 * loop->config->statement_timeout + 20 * INT64_C(1000000));
	monitor_alive(monitor);
	monitor_ready(monitor, "database", false, "not asked yet");
	monitor_ready(monitor, "kafka", false, "not asked yet");
	if (loop->service->input)
		monitor_ready(monitor, "assignment", false, "nothing is assigned yet");
	return monitor_listen(monitor, loop->config->monitor_address, (uint16_t)loop->config->monitor_port,
			      error);
}

static bool
start_key(struct service_loop *loop, struct error *error)
{
	const struct service_signing_config *signing;

	if (loop->service->signing_config_offset == 0)
		return true;
	signing = (const void *)((const char *)loop->config + loop->service->signing_config_offset);
	loop->key = crypto_key_load(signing->key_file, error);
	loop->context.issuer = (struct authorization_issuer){
	    .key = loop->key, .issuer = signing->issuer, .audience = signing->audience};
	return loop->key != NULL;
}

/* ------------------------------------------------------------------ database */

/* The list lives as long as the store. */
static size_t
list_statements(struct service_loop *loop)
{
	static const enum statement always[] = {STATEMENT_WORK_INSTALLATION};
	static const enum statement consuming[] = {STATEMENT_SERVICE_TIME, STATEMENT_WORK_QUARANTINE,
						   STATEMENT_WORK_QUARANTINE_RAW};
	const struct service *service = loop->service;
	size_t count = 0;

	free(loop->statements);
	loop->statements = memory_take((service->statement_count + 4) * sizeof *loop->statements);
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		loop->statements[count++] = always[i];
	for (size_t i = 0; service->input && i < sizeof consuming / sizeof *consuming; i++)
		loop->statements[count++] = consuming[i];
	for (size_t i = 0; i < service->statement_count; i++)
		loop->statements[count++] = service->statements[i];
	return count;
}

static bool
open_store(struct service_loop *loop, struct error *error)
{
	const struct store_options options = {
	    .uri = loop->config->database_uri,
	    .application_name = loop->client_id,
	    .statement_timeout_us = loop->config->statement_timeout,
	    .by_key = true,
	    .lock_timeout_us = loop->config->lock_timeout,
	    .log = &loop->log,
	};
	size_t count = list_statements(loop);

	loop->context.store = store_open(&options, loop->statements, count, error);
	return loop->context.store != NULL;
}

/* A step after the first may find the connection gone. */
static bool
have_session(struct service_loop *loop, struct error *error)
{
	struct store *store = loop->context.store;

	return store_connected(store) || store_reconnect(store, error);
}

static bool
read_installation(struct service_loop *loop, struct error *error)
{
	struct store *store = loop->context.store;
	struct store_rows *rows = NULL;
	bool unknown = false;
	bool ok = have_session(loop, error) && store_begin(store, error)
		  && (rows = store_query(store, loop->arena, STATEMENT_WORK_INSTALLATION, NULL, 0, error))
		  && store_commit(store, &unknown, error);

	if (!ok)
		store_rollback(store);
	else if (store_rows_count(rows) != 1)
		ok = error_set(error, ERROR_BROKEN, "installation",
			       "the database is not installed: run \"countersign migrate\"");
	else if (store_row_null(rows, 0, 1))
		ok = error_set(error, ERROR_BROKEN, "topics",
			       "no Kafka cluster is installed yet: run \"countersign topics apply\"");
	if (!ok)
		return false;
	loop->context.chains = (uint32_t)store_row_int(rows, 0, 0);
	free(loop->cluster);
	loop->cluster = memory_string(store_row_text(rows, 0, 1));
	return true;
}

/* ------------------------------------------------------------------ Kafka and the service itself */

static bool
open_service(struct service_loop *loop, struct error *error)
{
	const char *wake = loop->service->wake;

	if (!have_session(loop, error) || (wake && !store_listen(loop->context.store, wake, error)))
		return false;
	loop->opened = loop->service->open(&loop->context, &loop->state, error);
	return loop->opened;
}

static bool
open_consumer(struct service_loop *loop, struct error *error)
{
	if (!loop->topic)
		return true;
	loop->consumer = bus_consumer_open(&loop->bus, loop->group, loop->topic, error);
	return loop->consumer != NULL;
}

bool
service_start(struct service_loop *loop, struct error *error)
{
	bool ok;

	loop->arena = arena_open();
	loop->context.scratch = arena_open();
	service_notify_open(&loop->notify);
	name(loop);
	ok = start_monitor(loop, error) && bus_options_check(&loop->bus, error) && start_key(loop, error)
	     && persist(loop, "database", open_store, error)
	     && persist(loop, "database", read_installation, error)
	     && persist(loop, "kafka", service_check_topics, error)
	     && persist(loop, "database", open_service, error) && persist(loop, "kafka", open_consumer, error);
	if (!ok)
		return false;
	loop->kafka_good = true;
	arena_reset(loop->arena);
	service_notify_send(&loop->notify, "READY=1");
	log_info(&loop->log, "started", log_text("version", CS_VERSION), log_text("instance", loop->instance),
		 log_text("topic", loop->topic), log_text("group", loop->topic ? loop->group : NULL),
		 log_number("chains", loop->context.chains));
	return true;
}

/* ------------------------------------------------------------------ closing */

static int64_t
close_limit(void)
{
	int64_t left = service_stop_clock_left() - 2 * INT64_C(1000000);

	return left < SHORTEST_CLOSE ? SHORTEST_CLOSE : left < LONGEST_CLOSE ? left : LONGEST_CLOSE;
}

static void
free_names(struct service_loop *loop)
{
	free(loop->instance);
	free(loop->source);
	free(loop->client_id);
	free(loop->group);
	free(loop->topic);
	free(loop->cluster);
	free(loop->statements);
}

/* The group learns that we leave before anything slow is closed: others take over at once. */
void
service_stop(struct service_loop *loop)
{
	service_notify_send(&loop->notify, "STOPPING=1");
	service_hand_close(&loop->hand);
	if (loop->consumer)
		bus_consumer_close(loop->consumer, close_limit());
	free(loop->partitions);
	if (loop->opened && loop->service->close)
		loop->service->close(loop->state);
	if (loop->context.store)
		store_close(loop->context.store);
	if (loop->key)
		crypto_key_close(loop->key);
	monitor_close(loop->context.monitor);
	arena_close(loop->context.scratch);
	arena_close(loop->arena);
	service_notify_close(&loop->notify);
	free_names(loop);
}
