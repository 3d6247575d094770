/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay_turn.c - one turn: the next events of our chains go out together, all reports are awaited, then each chain moves up to
 * its first event that was not acknowledged. No turn begins while another is in flight, so ledger order is kept.
 */
#include "services/relay/relay.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <string.h>

enum { CHAIN_EVENTS = 500, CHAIN_BYTES = 1024 * 1024, TURN_BYTES = 4 * 1024 * 1024 };
enum { PAUSE_FIRST = 100 * 1000, PAUSE_LAST = 5000 * 1000 };

struct store_rows *
relay_ask(struct relay *relay, struct arena *arena, enum statement statement,
	  const struct store_param *params, size_t count, struct error *error)
{
	struct store_rows *rows = store_query(relay->context->store, arena, statement, params, count, error);

	if (!rows)
		store_rollback(relay->context->store); /* a connection that is lost is closed */
	return rows;
}

/* It gives a message up after two thirds of what it is told: half a lease. */
bool
relay_producer(struct relay *relay, struct error *error)
{
	if (!relay->producer)
		relay->producer = bus_producer_open(relay->context->bus, relay->config->lease / 4 * 3, error);
	return relay->producer != NULL;
}

/* ------------------------------------------------------------------ sending */

static struct relay_sent *
remember(struct relay *relay, struct relay_chain *chain, int64_t sequence, const char *topic)
{
	struct relay_sent *sent;

	if (relay->sent_count == relay->sent_room) {
		relay->sent_room = relay->sent_room ? 2 * relay->sent_room : 1024;
		relay->sent = memory_grow(relay->sent, relay->sent_room, sizeof *relay->sent);
	}
	sent = &relay->sent[relay->sent_count++];
	*sent = (struct relay_sent){.chain = chain, .sequence = sequence, .fate = RELAY_IN_FLIGHT};
	snprintf(sent->topic, sizeof sent->topic, "%s", topic);
	return sent;
}

static void
fail(struct relay *relay, struct relay_sent *sent, const struct error *error)
{
	sent->fate = RELAY_FAILED;
	if (!relay->failed)
		relay->reason = *error;
	relay->failed = true;
}

/* What is given to the producer, or refused by it: then nothing of the chain may follow in this turn. */
static void
send_event(struct relay *relay, struct relay_chain *chain, const struct relay_event *event,
	   struct bus_send *send)
{
	int64_t sequence = event->sequence;
	const char *logical = event->topic, *key = event->key;
	struct store_bytes payload = event->payload;
	struct relay_sent *sent = remember(relay, chain, sequence, logical);
	struct error error = {0};

	send->key = key;
	send->key_length = strlen(key);
	send->value = payload.bytes;
	send->value_length = payload.length;
	if (!bus_send(relay->producer, send, sent - relay->sent, &error)) {
		fail(relay, sent, &error);
		return;
	}
	relay->sent_bytes += payload.length;
	log_debug(relay->context->log, "sent", log_text("event_id", event->event_id),
		  log_text("topic", logical), log_text("key", key), log_number("chain", chain->chain),
		  log_number("sequence", sequence));
}

/* An event among the columns of a row. */
static struct relay_event
event_at(const struct store_rows *rows, size_t row, unsigned column)
{
	return (struct relay_event){
	    .sequence = store_row_int(rows, row, column),
	    .event_id = store_row_text(rows, row, column + 1),
	    .topic = store_row_text(rows, row, column + 2),
	    .key = store_row_text(rows, row, column + 3),
	    .headers = store_row_text(rows, row, column + 4),
	    .payload = store_row_bytes(rows, row, column + 5),
	};
}

/* The ledger has no gaps; one that has was touched by somebody, and nothing of it is published any more. */
static bool
check_sequence(const struct relay_chain *chain, const struct relay_event *events, size_t count, size_t n,
	       struct error *error)
{
	int64_t expected = chain->next + (int64_t)n;

	if (n < count && events[n].sequence == expected)
		return true;
	return error_set(error, ERROR_BROKEN, "ledger", "chain %u: sequence %lld is missing",
			 (unsigned)chain->chain, (long long)expected);
}

static bool
send_events(struct relay *relay, struct arena *arena, struct relay_chain *chain,
	    const struct relay_event *events, size_t count, struct error *error)
{
	const char *prefix = relay->context->topics_prefix, *logical = "";
	struct bus_send send = {0};
	bool ok = check_sequence(chain, events, count, 0, error);

	for (size_t n = 0; ok && n < count && !relay->failed && relay_may_send(relay, chain); n++) {
		if (strcmp(logical, events[n].topic) != 0) {
			logical = events[n].topic;
			send.topic = arena_format(arena, "%s%s", prefix, logical);
		}
		ok = check_sequence(chain, events, count, n, error)
		     && relay_headers(arena, events[n].headers, chain->chain, events[n].sequence,
				      &send.headers, &send.header_count, error);
		if (ok)
			send_event(relay, chain, &events[n], &send);
	}
	return ok;
}

/* A single event came with the head; more are read. */
static bool
send_chain(struct relay *relay, struct arena *arena, struct relay_chain *chain, struct error *error)
{
	const struct store_param params[] = {store_int(chain->chain), store_int(chain->next),
					     store_int(CHAIN_EVENTS), store_int(CHAIN_BYTES)};
	struct store_rows *rows;
	struct relay_event *events;

	if (chain->only.sequence == chain->next && chain->only.sequence == chain->head)
		return send_events(relay, arena, chain, &chain->only, 1, error);
	rows = relay_ask(relay, arena, STATEMENT_RELAY_EVENTS, params, 4, error);
	if (!rows)
		return false;
	events = arena_take_array(arena, store_rows_count(rows), sizeof *events);
	for (size_t row = 0; row < store_rows_count(rows); row++)
		events[row] = event_at(rows, row, 0);
	return send_events(relay, arena, chain, events, store_rows_count(rows), error);
}

static bool
read_heads(struct relay *relay, struct arena *arena, struct error *error)
{
	struct monitor *monitor = relay->context->monitor;
	struct store_rows *rows = relay_ask(relay, arena, STATEMENT_RELAY_HEADS, NULL, 0, error);
	double oldest = 0;

	for (size_t i = 0; i < relay->chain_count; i++)
		relay->chains[i].only.sequence = 0;
	for (size_t row = 0; rows && row < store_rows_count(rows); row++) {
		struct relay_chain *chain = relay_chain(relay, store_row_int(rows, row, 0));
		int64_t head = store_row_int(rows, row, 1), ahead = head + 1 - store_row_int(rows, row, 2);
		char label[16];

		if (chain) {
			chain->head = head;
			chain->only = event_at(rows, row, 4);
		}
		snprintf(label, sizeof label, "%lld", (long long)store_row_int(rows, row, 0));
		monitor_set(monitor, "ledger_ahead", label, (double)ahead);
		if (store_row_real(rows, row, 3) > oldest)
			oldest = store_row_real(rows, row, 3);
	}
	if (rows)
		monitor_set(monitor, "oldest_unpublished_seconds", "", oldest);
	return rows != NULL;
}

bool
relay_turn_start(struct relay *relay, struct arena *arena, struct error *error)
{
	int64_t now = clock_monotonic();
	bool ok = read_heads(relay, arena, error);

	relay->first++;
	for (size_t i = 0; ok && i < relay->chain_count && !relay->failed && relay->sent_bytes < TURN_BYTES;
	     i++) {
		struct relay_chain *chain = &relay->chains[(relay->first + i) % relay->chain_count];

		if (chain->head >= chain->next && now >= chain->not_before && relay_may_send(relay, chain))
			ok = send_chain(relay, arena, chain, error);
	}
	return ok || error_wrap(error, "read the ledger");
}

/* ------------------------------------------------------------------ reports */

static void
delivered(void *context, int64_t tag, const struct error *error)
{
	struct relay *relay = context;
	struct relay_sent *sent;

	assert(tag >= 0 && (size_t)tag < relay->sent_count);
	sent = &relay->sent[tag];
	assert(sent->fate == RELAY_IN_FLIGHT);
	if (error)
		fail(relay, sent, error);
	else
		sent->fate = RELAY_ACKNOWLEDGED;
}

void
relay_turn_poll(struct relay *relay, int64_t timeout_us)
{
	bus_producer_poll(relay->producer, timeout_us, delivered, relay);
}

bool
relay_turn_over(const struct relay *relay)
{
	return bus_producer_pending(relay->producer) == 0 || bus_producer_fatal(relay->producer);
}

/* ------------------------------------------------------------------ settling */

/* Up to the first that was not acknowledged; what was acknowledged behind it is said again, with the same ids. */
int64_t *
relay_destinations(struct relay *relay, struct arena *arena)
{
	int64_t *to = arena_take_array(arena, relay->chain_count, sizeof *to);

	for (size_t i = 0; i < relay->chain_count; i++)
		to[i] = relay->chains[i].next;
	for (size_t i = 0; i < relay->sent_count; i++) {
		const struct relay_sent *sent = &relay->sent[i];
		int64_t *next = &to[sent->chain - relay->chains];

		if (sent->fate == RELAY_ACKNOWLEDGED && sent->sequence == *next)
			(*next)++;
	}
	return to;
}

static void
count_published(struct relay *relay)
{
	for (size_t i = 0; i < relay->sent_count; i++) {
		const struct relay_sent *sent = &relay->sent[i];

		if (sent->fate == RELAY_ACKNOWLEDGED && sent->sequence < sent->chain->next)
			monitor_add(relay->context->monitor, "published_total", sent->topic, 1);
	}
}

/* Pauses that double; a chain that got anything through begins anew. */
static void
pause_chains(struct relay *relay)
{
	int64_t now = clock_monotonic();

	for (size_t i = 0; i < relay->sent_count; i++) {
		struct relay_chain *chain = relay->sent[i].chain;

		if (relay->sent[i].fate == RELAY_ACKNOWLEDGED)
			chain->pause = 0;
	}
	for (size_t i = 0; i < relay->sent_count; i++) {
		struct relay_chain *chain = relay->sent[i].chain;

		if (relay->sent[i].fate != RELAY_FAILED || chain->not_before > now)
			continue;
		chain->pause = chain->pause ? 2 * chain->pause : PAUSE_FIRST;
		if (chain->pause > PAUSE_LAST)
			chain->pause = PAUSE_LAST;
		chain->not_before = now + chain->pause;
	}
}

/* After any failure nothing of the old producer may come out late: it is thrown away, the positions say where to go on. */
static bool
recover(struct relay *relay, struct error *error)
{
	log_warn(relay->context->log, "publishing_failed", log_text("code", relay->reason.code),
		 log_text("reason", relay->reason.text));
	monitor_ready(relay->context->monitor, "kafka", false, relay->reason.text);
	monitor_add(relay->context->monitor, "producers_replaced_total", "", 1);
	bus_producer_close(relay->producer, 0);
	relay->producer = NULL;
	return relay_producer(relay, error);
}

bool
relay_turn_settle(struct relay *relay, struct arena *arena, struct error *error)
{
	bool failed = relay->failed;

	if (!relay_advance(relay, arena, relay_destinations(relay, arena), error))
		return false; /* it is done again: the sent ones are remembered */
	count_published(relay);
	pause_chains(relay);
	relay->sent_count = relay->sent_bytes = 0;
	relay->failed = false;
	if (failed)
		return recover(relay, error);
	monitor_ready(relay->context->monitor, "kafka", true, "");
	return true;
}
