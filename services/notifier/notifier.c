/* SPDX-License-Identifier: Apache-2.0 */
/* notifier.c - what a wake-up is, and how the service begins and ends. */
#include "services/notifier/notifier.h"

#include "common/clock/clock.h"
#include "common/message/json.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)
#define GRACE (5 * SECOND)	/* for attempts that run when the process is asked to stop */
#define LAST_GRACE (3 * SECOND) /* for them to notice that they are abandoned */

/* ------------------------------------------------------------------ beginning */

static void
declare_series(struct monitor *monitor)
{
	monitor_counter(monitor, "deliveries_planned_total", "Messages that somebody is to be sent.",
			"channel");
	monitor_counter(monitor, "deliveries_total",
			"Attempts to send, by how they ended: sent, retry or dead.", "channel,result");
	monitor_gauge(monitor, "deliveries_pending", "Messages that wait to be sent.", "");
	monitor_gauge(monitor, "deliveries_dead", "Messages that were given up.", "");
	monitor_gauge(monitor, "deliveries_oldest_pending_seconds", "Age of the oldest message that waits.",
		      "");
}

static bool
read_settings(struct notifier *notifier, struct error *error)
{
	const struct notifier_config *config = notifier->config;
	struct error why = {0};
	bool listed;

	notifier->settings = (struct channel_settings){
	    .webhook_timeout = config->webhook_timeout,
	    .command_timeout = config->command_timeout,
	    .log = notifier->context->log,
	    .abandoned = &notifier->abandoned,
	};
	if (!address_list_parse(notifier->own, config->allow_private, &notifier->settings.allow_private, &why))
		return error_set(error, ERROR_BROKEN, "config", "webhook.allow_private: %s", why.text);
	if (!webhook_port_listed(config->ports, 1, &listed, &why))
		return error_set(error, ERROR_BROKEN, "config", "webhook.ports: %s", why.text);
	return true;
}

static bool
read_targets(struct notifier *notifier, struct error *error)
{
	const struct notifier_config *config = notifier->config;
	const struct targets_rules rules = {.ports = config->ports};

	if (config->targets_file[0] == '\0') {
		log_warn(notifier->context->log, "nobody_is_told",
			 log_text("reason", "notifier.targets_file is not set"));
		return true;
	}
	if (!targets_load(config->targets_file, &rules, &notifier->targets, error))
		return false;
	log_info(notifier->context->log, "targets", log_text("file", config->targets_file),
		 log_number("count", notifier->targets.count));
	return true;
}

bool
notifier_open(struct service_context *context, void **state, struct error *error)
{
	struct notifier *notifier = memory_take(sizeof *notifier);

	*state = notifier;
	notifier->context = context;
	notifier->config = context->config;
	notifier->own = arena_open();
	notifier->scratch = arena_open();
	notifier->journal = journal_open(context->log, context->monitor);
	declare_series(context->monitor);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		error_set(error, ERROR_BROKEN, "curl", "libcurl can't be used");
	else if (read_settings(notifier, error) && read_targets(notifier, error)) {
		notifier->sender = sender_open(notifier->targets.count, (size_t)notifier->config->parallel);
		notifier->rest_until =
		    memory_take((notifier->targets.count + 1) * sizeof *notifier->rest_until);
		return true;
	}
	notifier_close(notifier);
	return false;
}

/* ------------------------------------------------------------------ wake-ups */

struct wake_up {
	const char *approval_id;
	struct error refusal; /* kind NONE: it can be read */
};

static bool
is_uuid(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-'
							    : !strchr("0123456789abcdef", text[i]))
			return false;
	return length == ID_TEXT_SIZE - 1;
}

/* Of what the record says only the id is looked at: who could write to the topic must not write on anybody's card. */
static bool
read_wake_up(struct arena *arena, const struct record *record, struct wake_up *wake_up, struct error *error)
{
	const struct value *body = NULL;

	if (!record->value)
		error_set(&wake_up->refusal, ERROR_INVALID, "empty", "a record without a value");
	else
		body = json_parse(arena, record->value, record->value_length, &json_limits_event,
				  &wake_up->refusal);
	if (body) {
		const struct value *id = value_get(body, "approval_id");

		wake_up->approval_id = value_get_string(body, "approval_id");
		if (body->kind != VALUE_MAP)
			error_set(&wake_up->refusal, ERROR_INVALID, "not_an_object", "not a JSON object");
		else if (!id)
			error_set_field(&wake_up->refusal, ERROR_INVALID, "missing_field", "approval_id",
					"is missing");
		else if (!wake_up->approval_id || !is_uuid(wake_up->approval_id))
			error_set_field(&wake_up->refusal, ERROR_INVALID, "bad_value", "approval_id",
					"must be a UUID in lower case");
	}
	if (wake_up->refusal.kind == ERROR_NONE || wake_up->refusal.kind == ERROR_INVALID)
		return true;
	*error = wake_up->refusal;
	return false;
}

static int
compare_ids(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The ids of those that can be read, each once, in ascending order. */
static const char **
distinct_ids(struct arena *arena, const struct wake_up *list, size_t count, size_t *distinct)
{
	const char **ids = arena_take_array(arena, count, sizeof *ids);
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i].refusal.kind == ERROR_NONE)
			ids[all++] = list[i].approval_id;
	qsort(ids, all, sizeof *ids, compare_ids);
	*distinct = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || strcmp(ids[i], ids[*distinct - 1]) != 0)
			ids[(*distinct)++] = ids[i];
	return ids;
}

static bool
refuse(struct work *work, const struct record *record, const struct wake_up *wake_up, struct error *error)
{
	struct error unknown = {0};

	error_set_field(&unknown, ERROR_INVALID, "unknown_approval", "approval_id",
			"there is no such approval");
	return work_quarantine(work, record, wake_up->refusal.kind != ERROR_NONE ? &wake_up->refusal : &unknown,
			       NULL, NULL, error);
}

bool
notifier_handle(void *state, struct work *work, const struct record *records, size_t count, struct error *error)
{
	struct notifier *notifier = state;
	struct wake_up *list = arena_take_array(work->arena, count, sizeof *list);
	size_t distinct;

	journal_begin(notifier->journal);
	for (size_t i = 0; i < count; i++)
		if (!read_wake_up(work->arena, &records[i], &list[i], error))
			return false;

	const char **ids = distinct_ids(work->arena, list, count, &distinct);
	bool *known = arena_take_array(work->arena, distinct, sizeof *known);
	bool ok = work_now(work, error) && notifier_plan(notifier, work, ids, distinct, known, error);

	for (size_t i = 0; ok && i < count; i++) {
		const char **id = list[i].refusal.kind != ERROR_NONE
				      ? NULL
				      : bsearch(&list[i].approval_id, ids, distinct, sizeof *ids, compare_ids);

		if (!id || !known[id - ids])
			ok = refuse(work, &records[i], &list[i], error);
	}
	return ok;
}

void
notifier_committed(void *state)
{
	struct notifier *notifier = state;

	journal_publish(notifier->journal);
}

/* ------------------------------------------------------------------ ending */

/* Waits for those that run. */
static void
wait_for_attempts(struct notifier *notifier, int64_t grace)
{
	int64_t until = clock_monotonic() + grace;

	for (int64_t now = clock_monotonic(); sender_running(notifier->sender) > 0 && now < until;
	     now = clock_monotonic()) {
		sender_wait(notifier->sender, until - now);
		notifier_collect(notifier);
	}
}

/* What can't be recorded, or does not end, is sent again when its lease is over. */
static void
record_last(struct notifier *notifier)
{
	struct arena *arena = arena_open();
	struct error error = {0};
	bool any;

	if (store_connected(notifier->context->store) && !notifier_record(notifier, arena, &any, &error))
		log_warn(notifier->context->log, "not_recorded", log_text("code", error.code),
			 log_text("reason", error.text));
	arena_close(arena);
}

static bool
close_sender(struct notifier *notifier)
{
	if (!notifier->sender)
		return true;
	wait_for_attempts(notifier, GRACE);
	atomic_store(&notifier->abandoned, true);
	wait_for_attempts(notifier, LAST_GRACE);
	record_last(notifier);
	return sender_close(notifier->sender);
}

void
notifier_close(void *state)
{
	struct notifier *notifier = state;

	if (!close_sender(notifier)) { /* they may still look at what they were given until the process is gone */
		log_warn(notifier->context->log, "attempts_abandoned");
		return;
	}
	for (struct attempt *attempt = notifier->finished, *next; attempt; attempt = next) {
		next = attempt->next;
		attempt_close(attempt);
	}
	journal_close(notifier->journal);
	arena_close(notifier->targets.arena);
	arena_close(notifier->scratch);
	arena_close(notifier->own);
	free(notifier->rest_until);
	free(notifier);
	curl_global_cleanup();
}
