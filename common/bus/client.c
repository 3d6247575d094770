/* SPDX-License-Identifier: Apache-2.0 */
/* client.c - what every librdkafka handle of ours has: its log lines, its errors in our words, the clock of its deadlines. */
#include "common/bus/bus_private.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <time.h>

int
bus_milliseconds(int64_t microseconds)
{
	if (microseconds <= 0)
		return 0;
	if (microseconds / 1000 >= INT_MAX - 1)
		return INT_MAX - 1;
	return (int)((microseconds + 999) / 1000);
}

int
bus_remaining(int64_t deadline)
{
	return bus_milliseconds(deadline - clock_monotonic());
}

/* ------------------------------------------------------------------ ends of a partition */

static bool
has_no_leader(rd_kafka_resp_err_t code)
{
	return code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION
	       || code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
	       || code == RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE;
}

/* "Unknown partition" may also mean that we may not see the topic: the broker says which when asked for the topic itself. */
static rd_kafka_resp_err_t
why_unknown(const struct bus_client *client, const char *name, int64_t deadline)
{
	const struct rd_kafka_metadata *metadata = NULL;
	rd_kafka_topic_t *topic = rd_kafka_topic_new(client->handle, name, NULL);
	rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;

	if (topic && !rd_kafka_metadata(client->handle, 0, topic, &metadata, bus_remaining(deadline))) {
		if (metadata->topic_cnt == 1 && metadata->topics[0].err)
			code = metadata->topics[0].err;
		rd_kafka_metadata_destroy(metadata);
	}
	if (topic)
		rd_kafka_topic_destroy(topic);
	return code;
}

rd_kafka_resp_err_t
bus_ask_ends(const struct bus_client *client, const char *topic, int32_t partition, int64_t *low,
	     int64_t *high, int64_t deadline)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000000};
	rd_kafka_resp_err_t code;

	for (;;) {
		code = rd_kafka_query_watermark_offsets(client->handle, topic, partition, low, high,
							bus_remaining(deadline));
		if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
			return why_unknown(client, topic, deadline);
		if (!has_no_leader(code) || clock_monotonic() >= deadline)
			return code;
		nanosleep(&pause, NULL);
	}
}

/* ------------------------------------------------------------------ errors */

struct meaning {
	rd_kafka_resp_err_t code;
	enum error_kind kind;
	const char *word;
};

/* What is not listed here passes by itself: UNAVAILABLE "kafka". */
static const struct meaning meanings[] = {
    {RD_KAFKA_RESP_ERR__FATAL, ERROR_BROKEN, "fatal"},
    {RD_KAFKA_RESP_ERR__FENCED, ERROR_BROKEN, "fatal"},
    {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, ERROR_BROKEN, "fatal"},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, ERROR_BROKEN, "unknown_topic"},
    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, ERROR_BROKEN, "unknown_topic"},
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, ERROR_BROKEN, "unknown_topic"},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, ERROR_BROKEN, "unknown_topic"},
    {RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_INVALID_GROUP_ID, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_INVALID_CONFIG, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_INVALID_REQUEST, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_POLICY_VIOLATION, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR__INVALID_ARG, ERROR_BROKEN, "refused"},
    {RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, ERROR_BROKEN, "lost_position"},
    {RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, ERROR_BROKEN, "lost_position"},
    {RD_KAFKA_RESP_ERR__BAD_MSG, ERROR_BROKEN, "unreadable"},
    {RD_KAFKA_RESP_ERR__BAD_COMPRESSION, ERROR_BROKEN, "unreadable"},
    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, ERROR_INVALID, "too_large"},
    {RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, ERROR_INVALID, "too_large"},
    {RD_KAFKA_RESP_ERR_INVALID_RECORD, ERROR_INVALID, "refused_record"},
    {RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, ERROR_INVALID, "refused_record"},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, ERROR_UNAVAILABLE, "not_authorized"},
    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, ERROR_UNAVAILABLE, "not_authorized"},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, ERROR_UNAVAILABLE, "not_authorized"},
    {RD_KAFKA_RESP_ERR__AUTHENTICATION, ERROR_UNAVAILABLE, "not_authenticated"},
    {RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, ERROR_UNAVAILABLE, "not_authenticated"},
    {RD_KAFKA_RESP_ERR__SSL, ERROR_UNAVAILABLE, "not_authenticated"},
    {RD_KAFKA_RESP_ERR__QUEUE_FULL, ERROR_UNAVAILABLE, "queue_full"},
    {RD_KAFKA_RESP_ERR__TIMED_OUT, ERROR_UNAVAILABLE, "timed_out"},
    {RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, ERROR_UNAVAILABLE, "timed_out"},
    {RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, ERROR_UNAVAILABLE, "timed_out"},
    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, ERROR_UNAVAILABLE, "timed_out"},
};

bool
bus_error(struct error *error, rd_kafka_resp_err_t code, const char *doing, const char *detail)
{
	struct meaning meaning = {code, ERROR_UNAVAILABLE, "kafka"};

	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (meanings[i].code == code)
			meaning = meanings[i];
	return error_set(error, meaning.kind, meaning.word, "%s: %s (%s)", doing,
			 detail ? detail : rd_kafka_err2str(code), rd_kafka_err2name(code));
}

bool
bus_error_asked(struct error *error, struct bus_client *client, rd_kafka_resp_err_t code, const char *doing,
		const char *detail)
{
	rd_kafka_poll(client->handle, 0); /* the error callback runs in here */
	if (client->fault.kind == ERROR_NONE)
		return bus_error(error, code, doing, detail);
	return error_set(error, client->fault.kind, client->fault.code, "%s: %s", doing, client->fault.text);
}

bool
bus_error_fatal(struct error *error, const struct bus_client *client)
{
	char reason[ERROR_TEXT_SIZE] = "";
	rd_kafka_resp_err_t code = rd_kafka_fatal_error(client->handle, reason, sizeof reason);

	return error_set(error, ERROR_BROKEN, "fatal", "kafka gave this client up: %s (%s)", reason,
			 rd_kafka_err2name(code));
}

/* ------------------------------------------------------------------ callbacks */

static struct bus_client *
client_of(void *opaque)
{
	struct bus_client *client = opaque;

	assert(client && client->magic == BUS_CLIENT_MAGIC);
	return client;
}

/* librdkafka counts as syslog(3) does, whose names are those of our levels too. */
enum { SYSLOG_ERROR = 3, SYSLOG_WARNING = 4, SYSLOG_INFO = 6, SYSLOG_DEBUG = 7 };

static enum log_level
level_of(int syslog_level)
{
	if (syslog_level <= SYSLOG_ERROR)
		return LOG_ERROR;
	if (syslog_level == SYSLOG_WARNING)
		return LOG_WARN;
	return syslog_level >= SYSLOG_DEBUG ? LOG_DEBUG : LOG_INFO;
}

/*
 * CONF is the list of all settings, asked for by debug=conf, in which librdkafka hides some secrets but not all
 * (sasl.oauthbearer.client.secret). CONFWARN says that a consumer's key does not count for a producer and the like: kafka.*
 * goes to all clients alike, so that is no news.
 */
static void
on_log(const rd_kafka_t *handle, int syslog_level, const char *facility, const char *text)
{
	struct bus_client *client;

	if (!handle || strcmp(facility, "CONF") == 0) /* no handle yet: bus_client_open reports the same failure */
		return;
	client = client_of(rd_kafka_opaque(handle));
	log_event(&client->log, strcmp(facility, "CONFWARN") == 0 ? LOG_DEBUG : level_of(syslog_level),
		  "kafka", log_text("facility", facility), log_text("client", rd_kafka_name(handle)),
		  log_text("text", text), LOG_END);
}

/* True for what a person must see to; the rest passes, and librdkafka goes on trying. */
static bool
needs_somebody(rd_kafka_resp_err_t code)
{
	return code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL
	       || code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED
	       || code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
	       || code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED
	       || code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

/* Before 2.6.1 librdkafka says its own nonce twice in SCRAM, and Kafka from 4.0 on takes that for a wrong password. */
enum { GOOD_SCRAM = 0x020601ff };

static bool
has_old_scram(const rd_kafka_conf_t *configuration)
{
	char mechanism[32] = "";
	size_t size = sizeof mechanism;

	return rd_kafka_version() < GOOD_SCRAM
	       && rd_kafka_conf_get(configuration, "sasl.mechanisms", mechanism, &size) == RD_KAFKA_CONF_OK
	       && strncmp(mechanism, "SCRAM", 5) == 0;
}

static void
leave_fault(struct bus_client *client, rd_kafka_resp_err_t code, const char *reason)
{
	bool refused =
	    code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;

	bus_error(&client->fault, code, "kafka", reason);
	if (refused && client->old_scram)
		error_wrap(
		    &client->fault,
		    "librdkafka %s can not do SCRAM with Kafka 4, that takes 2.6.1 or another mechanism",
		    rd_kafka_version_str());
}

/* What passes by itself was said by on_log already. */
static void
on_error(rd_kafka_t *handle, int code, const char *reason, void *opaque)
{
	struct bus_client *client = client_of(opaque);
	bool fatal = code == RD_KAFKA_RESP_ERR__FATAL,
	     serious = fatal || needs_somebody((rd_kafka_resp_err_t)code);

	log_event(&client->log, serious ? LOG_WARN : LOG_DEBUG, "kafka_error",
		  log_text("client", rd_kafka_name(handle)),
		  log_text("code", rd_kafka_err2name((rd_kafka_resp_err_t)code)), log_text("text", reason),
		  LOG_END);
	if (fatal) {
		error_clear(&client->fault); /* nothing that was left before matters more */
		bus_error_fatal(&client->fault, client);
	} else if (serious) {
		leave_fault(client, (rd_kafka_resp_err_t)code, reason);
	}
}

/* ------------------------------------------------------------------ open, close */

static bool
set_all(rd_kafka_conf_t *configuration, const struct bus_setting *setting, struct error *error)
{
	for (; setting->name; setting++) {
		if (setting->optional)
			rd_kafka_conf_set(configuration, setting->name, setting->value, NULL, 0);
		else if (!bus_set(configuration, setting->name, setting->value, error))
			return false;
	}
	return true;
}

static bool
set_through(rd_kafka_conf_t *configuration, const struct config_pairs *through, struct error *error)
{
	for (size_t i = 0; i < through->count; i++)
		if (!bus_set(configuration, through->items[i].name, through->items[i].value, error))
			return false;
	return true;
}

/* The session's time-out is not the group members' alone: librdkafka holds max.poll.interval.ms of any consumer against it. */
static const struct bus_setting preferences[] = {
    {.name = "session.timeout.ms", .value = "6000"},
    {.name = "socket.keepalive.enable", .value = "true"},
    {.name = "socket.nagle.disable", .value = "true"},
    {.name = "reconnect.backoff.max.ms", .value = "2000"},
    {.name = "enable.metrics.push", .value = "false", .optional = true}, /* from 2.5 */
    {.name = NULL},
};

static const struct bus_setting guarantees[] = {
    {.name = "allow.auto.create.topics", .value = "false"},
    {.name = NULL},
};

static bool
configure(rd_kafka_conf_t *configuration, const struct bus_options *options, const struct bus_start *start,
	  struct error *error)
{
	return set_all(configuration, preferences, error)
	       && bus_set(configuration, "client.id", options->client_id, error)
	       && bus_set(configuration, "log_level", options->log->level == LOG_DEBUG ? "7" : "6", error)
	       && set_all(configuration, start->preferences, error)
	       && set_through(configuration, options->through, error)
	       && set_all(configuration, guarantees, error) && set_all(configuration, start->guarantees, error)
	       && (!start->more || start->more(configuration, start->context, error));
}

bool
bus_client_open(struct bus_client *client, const struct bus_options *options, const struct bus_start *start,
		struct error *error)
{
	rd_kafka_conf_t *configuration = rd_kafka_conf_new();
	char reason[ERROR_TEXT_SIZE];
	bool ok;

	client->magic = BUS_CLIENT_MAGIC;
	client->log = *options->log;
	ok = bus_options_check(options, error) && configure(configuration, options, start, error);
	if (!ok)
		goto out;
	client->old_scram = has_old_scram(configuration);
	rd_kafka_conf_set_opaque(configuration, client);
	rd_kafka_conf_set_log_cb(configuration, on_log);
	rd_kafka_conf_set_error_cb(configuration, on_error);
	client->handle = rd_kafka_new(start->type, configuration, reason, sizeof reason);
	ok = client->handle != NULL;
	if (ok)
		configuration = NULL; /* librdkafka's now */
	else
		error_set(error, ERROR_BROKEN, "config", "kafka client can not be made: %s", reason);
out:
	if (configuration)
		rd_kafka_conf_destroy(configuration);
	return ok;
}

void
bus_client_close(struct bus_client *client)
{
	if (client->handle)
		rd_kafka_destroy(client->handle);
	client->handle = NULL;
}
