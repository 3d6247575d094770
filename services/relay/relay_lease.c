/* SPDX-License-Identifier: Apache-2.0 */
/* relay_lease.c - which chains are ours, and for how long. Every change is a compare-and-set that may be run again. */
#include "services/relay/relay.h"
#include "common/clock/clock.h"

#include <assert.h>
#include <time.h>

struct relay_chain *
relay_chain(struct relay *relay, int64_t chain)
{
	for (size_t i = 0; i < relay->chain_count; i++)
		if (relay->chains[i].chain == chain)
			return &relay->chains[i];
	return NULL;
}

/* The producer gives a message up within half a lease. */
bool
relay_may_send(const struct relay *relay, const struct relay_chain *chain)
{
	return chain->mine && clock_monotonic() + relay->config->lease / 2 < chain->lease_end;
}

bool
relay_lease_wants_renewal(const struct relay *relay)
{
	int64_t enough = clock_monotonic() + relay->config->lease / 3 * 2;

	for (size_t i = 0; i < relay->chain_count; i++)
		if (relay->chains[i].mine && relay->chains[i].lease_end < enough)
			return true;
	return false;
}

/* The chains of ours as parameters. */
struct mine {
	int64_t *chains, *epochs, *from, *to;
	size_t count;
};

static struct mine
list_mine(const struct relay *relay, struct arena *arena, const int64_t *to)
{
	struct mine mine = {
	    .chains = arena_take_array(arena, relay->chain_count, sizeof(int64_t)),
	    .epochs = arena_take_array(arena, relay->chain_count, sizeof(int64_t)),
	    .from = arena_take_array(arena, relay->chain_count, sizeof(int64_t)),
	    .to = arena_take_array(arena, relay->chain_count, sizeof(int64_t)),
	};

	for (size_t i = 0; i < relay->chain_count; i++) {
		const struct relay_chain *chain = &relay->chains[i];

		if (!chain->mine)
			continue;
		mine.chains[mine.count] = chain->chain;
		mine.epochs[mine.count] = chain->epoch;
		mine.from[mine.count] = chain->next;
		mine.to[mine.count] = to ? to[i] : chain->next;
		mine.count++;
	}
	return mine;
}

static void
gauge_lease(struct relay *relay, const struct relay_chain *chain)
{
	char label[16];

	snprintf(label, sizeof label, "%u", (unsigned)chain->chain);
	monitor_set(relay->context->monitor, "relay_lease_held", label, chain->mine);
}

static void
take(struct relay *relay, const struct store_rows *rows, size_t row, int64_t lease_end)
{
	struct relay_chain *chain = relay_chain(relay, store_row_int(rows, row, 0));

	if (!chain)
		return; /* more chains than the installation has: not ours to know */
	chain->mine = true;
	chain->epoch = store_row_int(rows, row, 1);
	chain->next = store_row_int(rows, row, 2);
	chain->lease_end = lease_end;
	chain->not_before = chain->pause = 0;
	chain->checkpoint_event = -1;
	chain->checkpoint_at = clock_monotonic() + relay->config->checkpoint_interval;
	gauge_lease(relay, chain);
	log_info(relay->context->log, "lease_taken", log_number("chain", chain->chain),
		 log_number("epoch", chain->epoch), log_number("next_sequence", chain->next));
}

static void
let_go(struct relay *relay, struct relay_chain *chain, const char *why)
{
	chain->mine = false;
	gauge_lease(relay, chain);
	log_warn(relay->context->log, "lease_lost", log_number("chain", chain->chain),
		 log_number("epoch", chain->epoch), log_text("reason", why));
}

static size_t
count_mine(const struct relay *relay)
{
	size_t count = 0;

	for (size_t i = 0; i < relay->chain_count; i++)
		count += relay->chains[i].mine;
	return count;
}

bool
relay_claim(struct relay *relay, struct arena *arena, struct error *error)
{
	int64_t now = clock_monotonic();
	struct mine mine;
	struct store_rows *rows;

	if (now < relay->claim_at || count_mine(relay) == relay->chain_count)
		return true;
	relay->claim_at = now + relay->config->poll;
	mine = list_mine(relay, arena, NULL);

	const struct store_param params[] = {store_text(relay->context->instance),
					     store_int(relay->config->lease),
					     store_int_list(mine.chains, mine.count)};

	rows = relay_ask(relay, arena, STATEMENT_RELAY_CLAIM, params, 3, error);
	for (size_t row = 0; rows && row < store_rows_count(rows); row++)
		take(relay, rows, row, now + relay->config->lease);
	return rows || error_wrap(error, "take leases");
}

/*
 * A chain that did not move as expected: an earlier move of ours whose COMMIT was not answered, or somebody else's chain.
 * The row tells. One that is missing there can't be ours.
 */
static bool
look_again(struct relay *relay, struct arena *arena, const bool *moved, struct error *error)
{
	struct mine mine = list_mine(relay, arena, NULL);
	const struct store_param params[] = {store_int_list(mine.chains, mine.count)};
	struct store_rows *rows = relay_ask(relay, arena, STATEMENT_RELAY_POSITION, params, 1, error);

	for (size_t i = 0; rows && i < relay->chain_count; i++) {
		struct relay_chain *chain = &relay->chains[i];
		bool found = false;

		for (size_t row = 0; chain->mine && !moved[i] && row < store_rows_count(rows); row++) {
			if (store_row_int(rows, row, 0) != chain->chain
			    || store_row_int(rows, row, 1) != chain->epoch)
				continue;
			found = true;
			chain->next = store_row_int(rows, row, 2);
		}
		if (chain->mine && !moved[i] && !found)
			let_go(relay, chain, "another relay has taken the chain over");
	}
	return rows != NULL;
}

bool
relay_advance(struct relay *relay, struct arena *arena, const int64_t *to, struct error *error)
{
	int64_t lease_end =
	    clock_monotonic() + relay->config->lease; /* before the statement: never later than the row's */
	struct mine mine = list_mine(relay, arena, to);
	bool *moved = arena_take_array(arena, relay->chain_count, sizeof *moved);
	const struct store_param params[] = {
	    store_int_list(mine.chains, mine.count), store_int_list(mine.epochs, mine.count),
	    store_int_list(mine.from, mine.count), store_int_list(mine.to, mine.count),
	    store_int(relay->config->lease)};
	struct store_rows *rows;

	if (mine.count == 0)
		return true;
	rows = relay_ask(relay, arena, STATEMENT_RELAY_ADVANCE, params, 5, error);
	if (!rows)
		return error_wrap(error, "move positions");
	for (size_t row = 0; row < store_rows_count(rows); row++) {
		struct relay_chain *chain = relay_chain(relay, store_row_int(rows, row, 0));

		assert(chain); /* it was asked for */

		size_t index = (size_t)(chain - relay->chains);

		chain->next = to ? to[index] : chain->next;
		chain->lease_end = lease_end;
		moved[index] = true;
	}
	return store_rows_count(rows) == mine.count || look_again(relay, arena, moved, error);
}

bool
relay_release(struct relay *relay, struct arena *arena, struct error *error)
{
	struct mine mine = list_mine(relay, arena, NULL);
	const struct store_param params[] = {store_int_list(mine.chains, mine.count),
					     store_int_list(mine.epochs, mine.count)};

	return mine.count == 0 || relay_ask(relay, arena, STATEMENT_RELAY_RELEASE, params, 2, error);
}
