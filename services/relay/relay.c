/* SPDX-License-Identifier: Apache-2.0 */
/* relay.c - opens, ticks and closes the relay: take chains, start a turn, wait for its reports, move on. */
#include "services/relay/relay.h"
#include "common/clock/clock.h"

#include <stdlib.h>

#define SECOND INT64_C(1000000)
enum { REPORT_WAIT = 20 * 1000, FLUSH = 5 * 1000 * 1000 };

static void
declare_series(struct monitor *monitor)
{
	monitor_counter(monitor, "published_total",
			"Events that Kafka has acknowledged and the position has passed.", "topic");
	monitor_counter(monitor, "producers_replaced_total",
			"Producers that were thrown away after a failure.", "");
	monitor_counter(monitor, "checkpoints_total", "Heads that were signed.", "");
	monitor_add(monitor, "producers_replaced_total", "", 0);
	monitor_add(monitor, "checkpoints_total", "", 0);
	monitor_gauge(monitor, "ledger_ahead", "Events of the ledger that were not published yet.", "chain");
	monitor_gauge(monitor, "oldest_unpublished_seconds",
		      "Age of the oldest event that was not published yet.", "");
	monitor_gauge(monitor, "relay_lease_held", "1 where this relay publishes the chain.", "chain");
}

bool
relay_open(struct service_context *context, void **state, struct error *error)
{
	struct relay *relay = memory_take(sizeof *relay);

	relay->context = context;
	relay->config = context->config;
	relay->chain_count = context->chains;
	relay->chains = memory_take(context->chains * sizeof *relay->chains);
	for (uint32_t i = 0; i < context->chains; i++)
		relay->chains[i] = (struct relay_chain){.chain = i, .checkpoint_event = -1};
	declare_series(context->monitor);
	relay->key = crypto_key_load(relay->config->key_file, error);
	if (!relay->key || !relay_producer(relay, error)) {
		if (relay->key)
			crypto_key_close(relay->key);
		free(relay->chains);
		free(relay);
		return false;
	}
	*state = relay;
	return true;
}

/* Between turns: leases, checkpoints, then the next turn. */
static bool
begin_turn(struct relay *relay, struct arena *arena, struct error *error)
{
	return relay_producer(relay, error) && relay_claim(relay, arena, error)
	       && (!relay_lease_wants_renewal(relay) || relay_advance(relay, arena, NULL, error))
	       && relay_checkpoints(relay, arena, error) && relay_turn_start(relay, arena, error);
}

/* A turn in flight: its reports, and the leases while they take long. */
static bool
go_on(struct relay *relay, struct arena *arena, struct error *error)
{
	relay_turn_poll(relay, REPORT_WAIT);
	if (relay_turn_over(relay))
		return relay_turn_settle(relay, arena, error);
	return !relay_lease_wants_renewal(relay) || relay_advance(relay, arena, NULL, error);
}

/* Ready at once again while anything is in flight or was: one turn follows the other until the ledger is published. */
bool
relay_tick(void *state, struct arena *arena, bool *again, struct error *error)
{
	struct relay *relay = state;
	bool flying = relay->sent_count > 0;
	bool ok = flying ? go_on(relay, arena, error) : begin_turn(relay, arena, error);

	*again = flying || relay->sent_count > 0;
	return ok;
}

/* Everything was reported and moved past: another relay may take over at once. Else the leases run out by themselves. */
static bool
hand_over(struct relay *relay, struct error *error)
{
	struct arena *arena = arena_open();
	bool ok = true;

	if (!store_connected(relay->context->store))
		ok = error_set(error, ERROR_UNAVAILABLE, "connection_lost", "the database is away");
	else if (relay->sent_count > 0)
		ok = relay_advance(relay, arena, relay_destinations(relay, arena), error);
	if (ok && relay->sent_count > 0 && !relay_turn_over(relay))
		ok = error_set(error, ERROR_UNAVAILABLE, "in_flight",
			       "Kafka has not reported everything that was sent");
	ok = ok && relay_release(relay, arena, error);
	arena_close(arena);
	return ok;
}

/* What Kafka still says within the limit counts. */
static void
finish(struct relay *relay)
{
	int64_t until = clock_monotonic() + FLUSH;
	struct error error = {0};

	while (relay->sent_count > 0 && !relay_turn_over(relay) && clock_monotonic() < until)
		relay_turn_poll(relay, REPORT_WAIT);
	if (!hand_over(relay, &error))
		log_warn(relay->context->log, "leases_kept", log_text("code", error.code),
			 log_text("reason", error.text));
}

void
relay_close(void *state)
{
	struct relay *relay = state;

	finish(relay);
	if (relay->producer)
		bus_producer_close(relay->producer, 0);
	crypto_key_close(relay->key);
	free(relay->sent);
	free(relay->chains);
	free(relay);
}
