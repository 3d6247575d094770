/* SPDX-License-Identifier: Apache-2.0 */
/* bus.h - Kafka: consume with explicit positions, produce in order, create topics. The only room with librdkafka. */
#ifndef COUNTERSIGN_BUS_H
#define COUNTERSIGN_BUS_H

#include "common/config/config.h"
#include "common/error/error.h"
#include "common/log/log.h"
#include "common/memory/memory.h"
#include "common/message/record.h"

/* What every client needs. `through` are the kafka.* keys of the configuration without the prefix. */
struct bus_options {
	const struct config_pairs *through;
	const char *client_id; /* "countersign-evaluator" */
	const struct log *log;
};

/* Refuses keys that our guarantees rest on (enable.auto.commit, enable.idempotence, acks, auto.offset.reset, group.id, …): BROKEN "config" with the reason. */
bool bus_options_check(const struct bus_options *options, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ consumer */

struct bus_consumer;

struct bus_partition {
	const char *topic;
	int32_t partition;
	int64_t offset; /* where to start */
};

/* Joins `group` on one topic. Nothing is fetched before bus_assign. */
struct bus_consumer *bus_consumer_open(const struct bus_options *options, const char *group,
				       const char *topic, struct error *error) CS_MUST_CHECK;
/* Leaves the group within timeout_us, or gives up waiting (librdkafka 2.0.2 may hang, reliability 3.5). */
void bus_consumer_close(struct bus_consumer *consumer, int64_t timeout_us);

enum bus_happening {
	BUS_NOTHING,  /* the time-out passed */
	BUS_RECORD,   /* *record is set, owned by the consumer until bus_release */
	BUS_ASSIGNED, /* the group gave us partitions (bus_assignment): claim positions, then bus_assign. Until then nothing flows; it may take as long as it needs while polling goes on */
	BUS_REVOKED, /* all our partitions are gone (eager protocol): drop what is in hand, nothing else to do */
	BUS_LOST_POSITION, /* a partition's offset is out of range or unreadable: *partition says which, *error why; it is stopped until it is assigned anew: alarm */
	BUS_FAULT	   /* *error says what; UNAVAILABLE: go on polling; BROKEN: stop */
};

struct bus_record; /* one fetched record */
struct bus_poll {
	enum bus_happening happening;
	struct bus_record *handle;
	struct record record; /* points into the handle */
	int32_t partition;    /* with LOST_POSITION */
	struct error error;
};
void bus_poll(struct bus_consumer *consumer, int64_t timeout_us, struct bus_poll *poll);
void bus_release(struct bus_record *take_handle);

/* The partitions of the last BUS_ASSIGNED, offsets unset. Owned by the consumer until the next poll. */
size_t bus_assignment(const struct bus_consumer *consumer, const struct bus_partition **partitions);
/* Starts fetching at the given offsets; also used to start over after a lost fence. Undoes a pause. Rejects if the assignment was revoked meanwhile (CONFLICT). */
bool bus_assign(struct bus_consumer *consumer, const struct bus_partition *partitions, size_t count,
		struct error *error) CS_MUST_CHECK;
/* Stop and continue fetching all assigned partitions. Idempotent; resume only undoes our own pause. What was fetched and not handed out is fetched again: for waits, not for every batch. */
void bus_pause(struct bus_consumer *consumer);
void bus_resume(struct bus_consumer *consumer);
/* Holds just these of the assigned partitions back, instead of those that were held before. While paused it takes effect with bus_resume. */
void bus_hold(struct bus_consumer *consumer, const int32_t *partitions, size_t count);
/* Tells Kafka how far we are, for lag tools only; asynchronous, failures are ignored. */
void bus_hint(struct bus_consumer *consumer, const char *topic, int32_t partition, int64_t next_offset);
/* Low and high watermark of a partition. */
bool bus_watermarks(struct bus_consumer *consumer, const char *topic, int32_t partition, int64_t *low,
		    int64_t *high, int64_t timeout_us, struct error *error) CS_MUST_CHECK;
/* session.timeout.ms in force, in microseconds. */
int64_t bus_session_timeout(const struct bus_consumer *consumer);

/* ------------------------------------------------------------------ producer */

struct bus_producer;
/* Idempotent, acks=all, gapless, murmur2_random, message.timeout.ms below `lease_us`. */
struct bus_producer *bus_producer_open(const struct bus_options *options, int64_t lease_us,
				       struct error *error) CS_MUST_CHECK;
void bus_producer_close(struct bus_producer *producer, int64_t flush_us);

struct bus_send {
	const char *topic; /* full name */
	const void *key, *value;
	size_t key_length, value_length;
	const struct record_header *headers;
	size_t header_count;
};
/* Called by bus_producer_poll for each send, in order per partition; error NULL = acknowledged. */
typedef void bus_delivered(void *context, int64_t tag, const struct error *error);
/* Queues (copies). UNAVAILABLE "queue_full": poll and try again. BROKEN "fatal": close and open a new producer. */
bool bus_send(struct bus_producer *producer, const struct bus_send *send, int64_t tag,
	      struct error *error) CS_MUST_CHECK;
void bus_producer_poll(struct bus_producer *producer, int64_t timeout_us, bus_delivered *delivered,
		       void *context);
/* Sends queued and not yet reported. */
size_t bus_producer_pending(const struct bus_producer *producer);
/* True after a fatal error or a failed delivery: nothing later may overtake, so everything still queued was reported as failed. Close it and open a new one. */
bool bus_producer_fatal(const struct bus_producer *producer);

/* ------------------------------------------------------------------ administration and reading */

struct bus_topic {
	const char *name; /* full */
	int32_t partitions;
	int16_t replication;
	const struct config_pair *settings; /* retention.ms and the like */
	size_t setting_count;
};
struct bus_admin;
struct bus_admin *bus_admin_open(const struct bus_options *options, struct error *error) CS_MUST_CHECK;
void bus_admin_close(struct bus_admin *admin);
/* The cluster's id, in the arena. UNAVAILABLE when it does not answer in time. */
const char *bus_cluster_id(struct bus_admin *admin, struct arena *arena, int64_t timeout_us,
			   struct error *error) CS_MUST_CHECK;
/* Partitions of a topic; 0 = it does not exist. Never creates. */
bool bus_partition_count(struct bus_admin *admin, const char *topic, int32_t *count,
			 struct error *error) CS_MUST_CHECK;
/* Creates one topic; *created false when it was there. */
bool bus_topic_create(struct bus_admin *admin, const struct bus_topic *topic, bool *created,
		      struct error *error) CS_MUST_CHECK;
/* Compares an existing topic's settings; calls differs(context, name, wanted, found) for each that differs. */
bool bus_topic_compare(struct bus_admin *admin, const struct bus_topic *topic,
		       void (*differs)(void *context, const char *name, const char *wanted, const char *found),
		       void *context, struct error *error) CS_MUST_CHECK;
/* Sets the settings that differ. */
bool bus_topic_alter(struct bus_admin *admin, const struct bus_topic *topic, struct error *error) CS_MUST_CHECK;

/* Reads whole topics from their low watermark to the high watermark of the opening (follow: and then on), without a group. */
struct bus_reader;
struct bus_reader *bus_reader_open(const struct bus_options *options, const char *const *topics, size_t count,
				   bool follow, struct error *error) CS_MUST_CHECK;
/* Opens at the end of the topics instead: only what comes from now on. */
struct bus_reader *bus_reader_open_at_end(const struct bus_options *options, const char *const *topics,
					  size_t count, struct error *error) CS_MUST_CHECK;
/* RECORD, NOTHING (time-out, or everything was read when not following: *at_end; always false when following), FAULT. */
void bus_reader_next(struct bus_reader *reader, int64_t timeout_us, struct bus_poll *poll, bool *at_end);
/* All that was there at the opening has been handed out. */
bool bus_reader_caught_up(const struct bus_reader *reader);
void bus_reader_close(struct bus_reader *reader);

/* Lag of the assigned partitions against positions of ours: high watermark known to the client minus next_offset; -1 unknown. */
int64_t bus_lag(struct bus_consumer *consumer, const char *topic, int32_t partition, int64_t next_offset);

#endif
