/* SPDX-License-Identifier: Apache-2.0 */
/* service_private.h - what the files of the skeleton share. Services include service.h only. */
#ifndef COUNTERSIGN_SERVICE_PRIVATE_H
#define COUNTERSIGN_SERVICE_PRIVATE_H

#include "common/service/service.h"
#include "common/store/store_position.h"

/* ------------------------------------------------------------------ options (service_options.c) */

enum service_mode {
	SERVICE_RUN,
	SERVICE_CHECK_CONFIG,
	SERVICE_PRINT_CONFIG,
	SERVICE_PRINT_EFFECTIVE_CONFIG,
	SERVICE_VERSION,
	SERVICE_HELP
};
struct service_options {
	enum service_mode mode;
	const char *config_path;
	const char **overrides; /* "key=value"; the texts are argv's; the list is freed by the caller */
	size_t override_count;
};
/* INVALID "usage": what is wrong with the line. */
bool service_options_parse(int argc, char **argv, struct service_options *options,
			   struct error *error) CS_MUST_CHECK;
void service_help(const struct service *service, FILE *out);

/* The service's table with the skeleton's keys and kafka.* in front of its own; take apart with service_table_close. */
struct service_table {
	struct config_table table;
	const struct config_key **lists;
	struct config_key *batch, *signing; /* keys moved to where the service keeps them; NULL: it has none */
};
void service_table_open(struct service_table *table, const struct service *service, void *config);
void service_table_close(struct service_table *table);
/* What a single key's limits can't say. BROKEN "config". */
bool service_config_check(const struct service_config *config, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ time and signals (service_clock.c, service_signal.c) */

/* Exponential, jittered: each pause lies between the half and the whole of twice the one before, 100 ms to 5 s. */
struct service_backoff {
	int64_t step;
};
int64_t service_backoff_next(struct service_backoff *backoff);
void service_backoff_reset(struct service_backoff *backoff);

#define SERVICE_STOP_LIMIT 19 /* seconds from the first signal, or from giving up, to _exit */
void service_signals_open(void);
bool service_stopping(void);
/* The process has SERVICE_STOP_LIMIT from now on; later calls change nothing. */
void service_stop_clock_start(void);
/* Microseconds that are left of it, for closing things with a limit. */
int64_t service_stop_clock_left(void);

/* ------------------------------------------------------------------ the database's time (service_time.c) */

struct service_time {
	int64_t latest; /* that was seen, by anybody who wrote it down */
	int64_t behind; /* how far the clock stood before it at the last look */
	bool held;	/* too far: nothing is decided */
	int64_t look_at, alarm_at;
};
/* Pure: *now is what the clock shows, and becomes what counts. UNAVAILABLE "clock_back" when it went back too far. */
bool service_time_take(struct service_time *time, int64_t *now, struct error *error) CS_MUST_CHECK;
struct service_loop;
/* Looks once a second, outside of transactions, and alarms. False: the clock went back, or the database is away. */
bool service_time_good(struct service_loop *loop);

/* ------------------------------------------------------------------ systemd (notify.c) */

struct service_notify {
	int socket;	  /* -1: nobody listens */
	int64_t interval; /* of WATCHDOG=1; 0: not wanted */
	int64_t next;
};
void service_notify_open(struct service_notify *notify);
void service_notify_close(struct service_notify *notify);
void service_notify_send(const struct service_notify *notify, const char *state);
/* The loop turns: WATCHDOG=1 when it is time for it. */
void service_notify_turn(struct service_notify *notify, int64_t now);

/* ------------------------------------------------------------------ records in hand (service_hand.c) */

/* Records of one partition in offset order, and how far they have come. */
struct service_batch {
	int32_t partition;
	struct record *records;
	struct bus_record **handles;
	size_t count, room;
	size_t done;	      /* records before it are finished */
	bool single;	      /* one record per transaction: the whole batch failed */
	struct error refusal; /* set: the record at `done` failed alone as INVALID and is to be quarantined */
	unsigned conflicts;   /* how often the record at `done` met a conflict alone */
	struct service_backoff backoff; /* of those conflicts, and of locks that others hold */
	int64_t not_before;
	bool away;	     /* the database could not do it, whatever else it can do */
	int64_t unknown_end; /* not 0: a COMMIT up to there was sent and not answered; nothing beyond it runs with it */
	bool ask;	     /* the position row was not asked about it yet */
};
/* Everything fetched and not finished; one batch per partition, in the order in which partitions were met. */
struct service_hand {
	struct service_batch *batches;
	size_t count, room;
	size_t records, bytes;
};
void service_hand_add(struct service_hand *hand, struct bus_record *take_handle, const struct record *record);
/* How many records the next transaction takes: one, what an unknown COMMIT took, or all that are left. At least one. */
size_t service_batch_next(const struct service_batch *batch);
/* What was remembered about the record at `done`, or the transaction that began with it, is over. */
void service_batch_unburden(struct service_batch *batch);
/* Something waits for the database itself. */
bool service_hand_waits(const struct service_hand *hand);
/* Releases one batch, or all of them. */
void service_hand_drop(struct service_hand *hand, size_t index);
void service_hand_clear(struct service_hand *hand);
void service_hand_close(struct service_hand *hand);

/* ------------------------------------------------------------------ the loop */

enum service_partition_state {
	PARTITION_CLAIMING, /* assigned by the group; the position row is not ours yet */
	PARTITION_OWNED,
	PARTITION_RESTING, /* lost fence or stubborn conflict: its records are ignored; claimed anew at `again_at` */
	PARTITION_HALTED /* its next record is gone or unreadable: an operator must decide; alarm at `again_at` */
};
struct service_partition {
	enum service_partition_state state;
	struct store_position position;
	int64_t again_at;
	struct error why; /* HALTED */
};

struct service_loop {
	const struct service *service;
	struct service_config *config; /* first member of the service's own */
	struct service_batch_config batch;
	struct log log;
	struct bus_options bus;
	struct service_context context;
	struct service_notify notify;
	struct arena *arena; /* of the transaction in hand */
	void *state;	     /* the service's own */
	bool opened;	     /* service->open has succeeded */

	/* owned */
	char *instance, *source, *client_id, *group, *topic, *cluster;
	struct crypto_key *key;
	enum statement *statements;

	/* consuming */
	struct bus_consumer *consumer; /* NULL: only ticks */
	struct service_partition *partitions;
	size_t partition_count;
	bool assigning; /* some partition is to be claimed, then bus_assign */
	bool paused;	/* something waits in hand */
	struct service_hand hand;

	/* time */
	struct service_backoff backoff; /* of everything that needs the database */
	int64_t retry_at;
	struct service_time time;
	int64_t tick_us;
	struct service_backoff tick_backoff; /* of ticks that another session's locks stand in the way of */
	int64_t tick_wait;		     /* until the next one, on top of tick_us */
	int64_t tick_at, gauge_at, fault_until, assign_at;
	bool kafka_good;
	bool away;	     /* the database was last seen away */
	struct error broken; /* set: stop the process with it */
	bool told;	     /* the log has the reason why the process ends */
};

/* service_start.c: all that is needed before the first record; UNAVAILABLE only when asked to stop. */
bool service_start(struct service_loop *loop, struct error *error) CS_MUST_CHECK;
void service_stop(struct service_loop *loop);
/* service_topics.c */
bool service_check_topics(struct service_loop *loop, struct error *error) CS_MUST_CHECK;

/* service_loop.c: turns until asked to stop, or until *error says why it can't go on */
bool service_loop(struct service_loop *loop, struct error *error) CS_MUST_CHECK;
/* The database answered with UNAVAILABLE, or must be given a moment: nothing needs it before retry_at. */
void service_database_away(struct service_loop *loop, const struct error *error);
void service_database_good(struct service_loop *loop);
/* True when it may be used now; builds a new session when the old one is gone. */
bool service_database_ready(struct service_loop *loop);
/* Kafka does not answer (UNAVAILABLE: readiness), or never will (BROKEN: stop). */
void service_kafka_fault(struct service_loop *loop, const struct error *error);

/* service_batch.c: runs what is in hand; what must wait stays there. */
void service_batches_run(struct service_loop *loop);

/* service_assign.c: whose partitions, from where */
void service_assigned(struct service_loop *loop);
void service_revoked(struct service_loop *loop);
void service_lost_position(struct service_loop *loop, int32_t partition, const struct error *why);
struct service_partition *service_partition(struct service_loop *loop, int32_t number);
/* The fence says that the partition is not ours, or is elsewhere than we thought: rest `pause_us`, then claim anew. */
void service_partition_rest(struct service_loop *loop, struct service_partition *partition, int64_t pause_us);
/* Claims what is to be claimed and hands the positions to Kafka; a step that can't be done now is tried again later. */
void service_assign_turn(struct service_loop *loop);
void service_assignment_gauge(struct service_loop *loop);

/* service_series.c: the skeleton's own series */
void service_series_open(const struct service *service, struct monitor *monitor);
void service_lag_gauge(struct service_loop *loop);

/* work.c: what the clock shows, as work_now takes it */
bool work_time(const struct work *work, int64_t *now, struct error *error) CS_MUST_CHECK;
/* work.c: what was quarantined counts once the transaction has been committed */
void work_committed(const struct work *work);

#endif
