/* SPDX-License-Identifier: Apache-2.0 */
/* service.h - the skeleton that all services share: options, signals, the loop, the one transaction, shutdown. */
#ifndef COUNTERSIGN_SERVICE_H
#define COUNTERSIGN_SERVICE_H

#include "common/bus/bus.h"
#include "common/config/config.h"
#include "common/crypto/crypto.h"
#include "common/message/authorization.h"
#include "common/message/event.h"
#include "common/monitor/monitor.h"
#include "common/store/store.h"

#ifndef CS_VERSION
#define CS_VERSION "0.1.0"
#endif

/* The keys that every service has; first member of each service's own config struct. */
struct service_config {
	char *database_uri;	   /* database.uri */
	char *topics_prefix;	   /* topics.prefix, "countersign." */
	int64_t log_level;	   /* log.level */
	char *monitor_address;	   /* monitor.address, 127.0.0.1 */
	int64_t monitor_port;	   /* monitor.port; 0 = does not listen */
	int64_t statement_timeout; /* database.statement_timeout */
	int64_t lock_timeout;	   /* database.lock_timeout */
	struct config_pairs kafka; /* kafka.* */
};
extern const struct config_key service_keys[];
/* For services that consume: batch.max_records (1000), batch.max_bytes (1MiB), quarantine.keep (7d). */
struct service_batch_config {
	int64_t max_records, max_bytes, quarantine_keep;
};
/* For services that sign: signing.key_file, authorization.issuer, authorization.audience. */
struct service_signing_config {
	char *key_file, *issuer, *audience;
};

/* What the skeleton lends a service. Everything is borrowed. */
struct service_time; /* the latest time that the database showed */
struct service_context {
	const char *service;  /* "evaluator" */
	const char *instance; /* host-pid-random, names owners and leases */
	const char *source;   /* "/countersign/evaluator" */
	const void *config;   /* the service's own struct */
	const struct log *log;
	struct monitor *monitor;
	struct store *store;
	struct service_time *time; /* NULL: the service decides nothing by time */
	struct arena *scratch;	   /* work_scratch() */
	uint32_t chains;	   /* of the installation */
	const char *topics_prefix;
	const struct bus_options *bus;
	struct authorization_issuer issuer; /* key NULL for services that do not sign */
	int64_t quarantine_keep;
};

/* ------------------------------------------------------------------ the one transaction */

/*
 * One transaction and what it will say. The skeleton opens one per batch; ticks open their own. Order inside:
 * position (done by the skeleton) -> locks -> work_now -> effects by store_queue/store_query -> work_event -> commit.
 */
struct work {
	struct service_context *context;
	struct store *store;
	struct arena *arena;	  /* emptied after the transaction */
	int64_t now;		  /* set by work_now; 0 before */
	struct store_rows *clock; /* asked by work_ask_now */
	struct event *events;
	size_t event_count, event_room;
	int64_t quarantined_at; /* the time of what was quarantined before work_now; 0: nothing was */
	struct work_quarantined *quarantined; /* counted and logged once it is committed; newest first */
};

bool work_begin(struct service_context *context, struct arena *arena, struct work *work,
		struct error *error) CS_MUST_CHECK;
/*
 * Reads the database's clock; call once, after all row locks are held. It never goes back: by a little it stands still,
 * when it went back by more than 5 s it is UNAVAILABLE "clock_back" until it has caught up.
 */
bool work_now(struct work *work, struct error *error) CS_MUST_CHECK;
/* The same in a round trip with others: queued behind what takes the locks, and taken when that has been settled. */
bool work_ask_now(struct work *work, struct error *error) CS_MUST_CHECK;
bool work_take_now(struct work *work, struct error *error) CS_MUST_CHECK;
/*
 * An arena for making one thing of which only a copy is kept: empty now, and emptied by the next call. What an event or a text is made of
 * is many times as large as it is, and a batch keeps a thousand of them.
 */
struct arena *work_scratch(const struct work *work);
/* Adds a copy of an event to what the transaction will say, in order. */
void work_event(struct work *work, const struct event *event);
/*
 * Quarantines a record: row, raw bytes, event. reason->code must be set. tenant and request_id may be NULL. After the commit the
 * skeleton counts it and logs its one line ("quarantined").
 */
bool work_quarantine(struct work *work, const struct record *record, const struct error *reason,
		     const char *tenant, const char *request_id, struct error *error) CS_MUST_CHECK;
/* Appends the ledger and commits. For ticks; batches are committed by the skeleton. Unknown outcome is UNAVAILABLE: run the tick again, it is compare-and-set. */
bool work_commit(struct work *work, struct error *error) CS_MUST_CHECK;
void work_rollback(struct work *work);

/*
 * Waits until nobody else judges outcomes of requests of these chains, or revokes what they are judged by, and keeps others waiting until
 * the end of the transaction. Before work_now, and before the locks of limits. Needs STATEMENT_WORK_OUTCOMES.
 */
bool work_lock_outcomes(struct work *work, const int64_t *chains, size_t count,
			struct error *error) CS_MUST_CHECK;

/* The chain of a key: request_key_slot over the installation's chains. */
uint32_t work_chain(const struct work *work, const char *key);

/* ------------------------------------------------------------------ a service */

struct service {
	const char *name;    /* "evaluator" */
	const char *purpose; /* one sentence for --help */
	const char *input;   /* logical topic, or NULL: only ticks (relay) */
	const char *const *outputs; /* NULL-ended logical topics that it writes to itself, checked at start; or NULL */
	const char *wake; /* only ticks: a NOTIFY on this channel ends the wait for the next one; or NULL */
	const struct config_table *table; /* its keys with service_keys among them */
	size_t config_size;
	size_t batch_config_offset;   /* offsetof(its struct, batch), or 0: none */
	size_t signing_config_offset; /* likewise; 0: does not sign */
	int64_t tick_us;	      /* how often tick is called at least; 0: never */
	size_t tick_config_offset; /* of a duration in its config that counts instead of tick_us; 0: none */
	const enum statement *statements; /* its prepared statements, besides those of the skeleton */
	size_t statement_count;

	/*
	 * *state is the service's own. Database and topics have been checked. UNAVAILABLE: it is called again later, so
	 * series are declared once nothing can fail any more, and what was opened is closed again.
	 */
	bool (*open)(struct service_context *context, void **state, struct error *error);
	/*
	 * Records of one partition in offset order, inside the transaction, position already moved. INVALID fails the
	 * batch: the skeleton runs it again record by record and quarantines the one that fails alone. Bad input is not a
	 * failure: the handler calls work_quarantine and goes on. The same records may be handled several times before one
	 * transaction is committed: whatever is remembered outside of it is forgotten when handle begins.
	 */
	bool (*handle)(void *state, struct work *work, const struct record *records, size_t count,
		       struct error *error);
	/* Called after a batch was committed, for counters. May be NULL. */
	void (*committed)(void *state);
	/* Time-driven work in transactions of its own. Returns true when there is more to do at once in *again. May be NULL. */
	bool (*tick)(void *state, struct arena *arena, bool *again, struct error *error);
	void (*close)(void *state);
};

/*
 * main's only call. Options: --config FILE, --set KEY=VALUE, --check-config, --print-config (documented sample),
 * --print-effective-config, --version, --help. Exit codes: 0 after SIGTERM/SIGINT (finished or rolled back, within 20 s), 1 a
 * BROKEN error, 2 usage. A second signal ends at once. SIGPIPE is ignored (a program that is started inherits that), no
 * other signal is handled.
 */
int service_run(const struct service *service, int argc, char **argv);

#endif
