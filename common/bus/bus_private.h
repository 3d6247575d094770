/* SPDX-License-Identifier: Apache-2.0 */
/* bus_private.h - what the files of this room share: one client handle, its settings, its errors, its records. */
#ifndef COUNTERSIGN_BUS_PRIVATE_H
#define COUNTERSIGN_BUS_PRIVATE_H

#include "common/bus/bus.h"

#include <librdkafka/rdkafka.h>

enum { BUS_CLIENT_MAGIC = 0x43537562 };

/*
 * First member of every handle of ours, and what librdkafka's callbacks get as their opaque. The log callback runs on
 * librdkafka's threads and only reads; everything else runs on the thread that polls.
 */
struct bus_client {
	uint32_t magic;
	struct log log;
	rd_kafka_t *handle;
	struct error fault; /* left by the error callback for the next poll */
	bool old_scram;	    /* SCRAM as Kafka 4 does not take it */
};

/* A librdkafka property. optional: versions that do not know it go without. */
struct bus_setting {
	const char *name, *value;
	bool optional;
};

/*
 * Makes the handle: our preferences (which kafka.* may override), kafka.*, then what the guarantees rest on. Both lists end
 * with a name NULL. `more` may be NULL; it gets the configuration last, for callbacks and computed values.
 */
struct bus_start {
	rd_kafka_type_t type;
	const struct bus_setting *preferences, *guarantees;
	bool (*more)(rd_kafka_conf_t *configuration, void *context, struct error *error);
	void *context;
};
bool bus_client_open(struct bus_client *client, const struct bus_options *options,
		     const struct bus_start *start, struct error *error) CS_MUST_CHECK;
/* Destroys the handle; blocks until librdkafka's threads have ended. */
void bus_client_close(struct bus_client *client);

/*
 * Calls close(context) on a thread of its own and waits for it that long at most: librdkafka may hang in it (2.0.2). After
 * that the thread keeps the context; false.
 */
bool bus_close_within(void (*close)(void *context), void *take_context, int64_t timeout_us);

/* One property; BROKEN "config" without the value, which may be a secret. */
bool bus_set(rd_kafka_conf_t *configuration, const char *name, const char *value,
	     struct error *error) CS_MUST_CHECK;

/* Turns librdkafka's code into kind and code of ours. Always returns false. detail may be NULL. */
bool bus_error(struct error *error, rd_kafka_resp_err_t code, const char *doing, const char *detail);
/*
 * For questions that wait for an answer, of clients without a group: when none came since we are not let in, that is the
 * error. Always returns false.
 */
bool bus_error_asked(struct error *error, struct bus_client *client, rd_kafka_resp_err_t code,
		     const char *doing, const char *detail);
/* The fatal error of a client as BROKEN "fatal". Always returns false. */
bool bus_error_fatal(struct error *error, const struct bus_client *client);

int bus_milliseconds(int64_t microseconds); /* rounded up, never negative */
int bus_remaining(int64_t deadline);	    /* milliseconds until it */

/* Asks the leader of a partition for both ends; asks again while a new or moved partition has none, until the deadline. */
rd_kafka_resp_err_t bus_ask_ends(const struct bus_client *client, const char *topic, int32_t partition,
				 int64_t *low, int64_t *high, int64_t deadline);

/* Takes the message over and describes it in poll as RECORD. */
void bus_record_lend(rd_kafka_message_t *take_message, struct bus_poll *poll);

#endif
