/* SPDX-License-Identifier: Apache-2.0 */
/* store_ledger.c - appends to the ledger: locks the ends of the chains, numbers and hashes the events, moves the ends. */
#include "common/store/store_ledger.h"
#include "common/ledger/ledger.h"
#include "common/store/store_private.h"

#include <stdlib.h>
#include <string.h>

#define APPEND_BYTES_MAX                                                                                     \
	((size_t)64 * 1024 * 1024) /* far above any batch, far below the server's 1 GB for one message */

/* The end of one chain, and the batch that is put behind it. */
struct link {
	int64_t chain, first, last;
	uint8_t prev_hash[CRYPTO_SHA256_SIZE], hash[CRYPTO_SHA256_SIZE];
	struct ledger_hash *open;
};

struct append {
	struct arena *arena;
	const struct event *events;
	size_t count;
	int64_t *sequences; /* of the events */
	struct link *links; /* ascending by chain */
	size_t link_count;
	int64_t created_at;
};

static int
compare_links(const void *left, const void *right)
{
	int64_t a = ((const struct link *)left)->chain, b = ((const struct link *)right)->chain;

	return (a > b) - (a < b);
}

static struct link *
link_of(const struct append *append, uint32_t chain)
{
	struct link wanted = {.chain = chain};

	return bsearch(&wanted, append->links, append->link_count, sizeof wanted, compare_links);
}

/* One link per chain, in the order in which the heads must be locked. */
static void
find_links(struct append *append)
{
	struct link *links = arena_take_array(append->arena, append->count, sizeof *links);
	size_t distinct = 0;

	for (size_t i = 0; i < append->count; i++)
		links[i].chain = append->events[i].chain;
	qsort(links, append->count, sizeof *links, compare_links);
	for (size_t i = 0; i < append->count; i++)
		if (distinct == 0 || links[distinct - 1].chain != links[i].chain)
			links[distinct++].chain = links[i].chain;
	append->links = links;
	append->link_count = distinct;
}

/* ------------------------------------------------------------------ the heads */

/* The clock is asked after the locks are held, in the same round trip. */
static bool
ask_heads(struct store *store, struct append *append, struct store_rows **heads, struct store_rows **now,
	  struct error *error)
{
	int64_t *chains = arena_take_array(append->arena, append->link_count, sizeof *chains);
	bool one = append->link_count == 1;
	struct store_param param;

	for (size_t i = 0; i < append->link_count; i++)
		chains[i] = append->links[i].chain;
	param = one ? store_int(chains[0]) : store_int_list(chains, append->link_count);
	return store_ask(store, append->arena, one ? STATEMENT_LEDGER_LOCK_ONE : STATEMENT_LEDGER_LOCK,
			 &param, 1, heads, error)
	       && store_ask(store, append->arena, STATEMENT_STORE_NOW, NULL, 0, now, error)
	       && store_settle(store, error);
}

static bool
lock_heads(struct store *store, struct append *append, struct error *error)
{
	struct store_rows *heads = NULL, *now = NULL;

	if (!ask_heads(store, append, &heads, &now, error))
		return false;
	if (store_rows_count(heads) != append->link_count)
		return store_doom(store, error, ERROR_BROKEN, "no_chain", "ledger: %zu of %zu chains exist",
				  store_rows_count(heads), append->link_count);
	for (size_t i = 0; i < append->link_count; i++) {
		struct store_bytes hash = store_row_bytes(heads, i, 2);
		struct link *link = &append->links[i];

		if (store_row_int(heads, i, 0) != link->chain || hash.length != sizeof link->prev_hash)
			return store_doom(store, error, ERROR_BROKEN, "ledger_head",
					  "ledger: the head of chain %lld is not what it should be",
					  (long long)link->chain);
		memcpy(link->prev_hash, hash.bytes, sizeof link->prev_hash);
		link->last = store_row_int(heads, i, 1);
		link->first = link->last + 1;
	}
	append->created_at = store_row_time(now, 0, 0);
	return true;
}

/* ------------------------------------------------------------------ numbers and hashes */

static void
number_events(struct append *append)
{
	append->sequences = arena_take_array(append->arena, append->count, sizeof *append->sequences);
	for (size_t i = 0; i < append->count; i++)
		append->sequences[i] = ++link_of(append, append->events[i].chain)->last;
}

static void
hash_event(const struct append *append, size_t i)
{
	const struct event *event = &append->events[i];
	const struct ledger_entry entry = {
	    .sequence = append->sequences[i],
	    .event_id = event->event_id.text,
	    .topic = event->topic,
	    .key = event->key,
	    .headers = event->headers,
	    .payload = event->payload,
	    .payload_length = event->payload_length,
	};

	ledger_hash_add(link_of(append, event->chain)->open, &entry);
}

static void
hash_links(struct append *append)
{
	for (size_t i = 0; i < append->link_count; i++) {
		struct link *link = &append->links[i];

		link->open = ledger_hash_open(link->prev_hash, (uint32_t)link->chain, link->first, link->last,
					      append->created_at);
	}
	for (size_t i = 0; i < append->count; i++)
		hash_event(append, i);
	for (size_t i = 0; i < append->link_count; i++)
		ledger_hash_close(append->links[i].open, append->links[i].hash);
}

/* ------------------------------------------------------------------ the rows */

/* So many at a time: what is encoded and sent of a large batch is never all there at once. */
enum { SLICE = 128 };

static bool
queue_slice(struct store *store, const struct append *append, size_t first, size_t count, struct error *error)
{
	int64_t chains[SLICE];
	const char *ids[SLICE], *topics[SLICE], *keys[SLICE], *headers[SLICE];
	struct store_bytes payloads[SLICE];

	for (size_t i = 0; i < count; i++) {
		const struct event *event = &append->events[first + i];

		chains[i] = event->chain;
		ids[i] = event->event_id.text;
		topics[i] = event->topic;
		keys[i] = event->key;
		headers[i] = event->headers;
		payloads[i] = (struct store_bytes){.bytes = event->payload_length ? event->payload : "",
						   .length = event->payload_length};
	}
	return store_queue(store, STATEMENT_LEDGER_APPEND,
			   (const struct store_param[]){
			       store_int_list(chains, count), store_int_list(append->sequences + first, count),
			       store_uuid_list(ids, count), store_text_list(topics, count),
			       store_text_list(keys, count), store_text_list(headers, count),
			       store_bytes_list(payloads, count), store_time(append->created_at)},
			   8, (int64_t)count, error);
}

static bool
queue_events(struct store *store, const struct append *append, struct error *error)
{
	for (size_t done = 0; done < append->count; done += SLICE) {
		size_t left = append->count - done;

		if (!queue_slice(store, append, done, left < SLICE ? left : SLICE, error))
			return false;
	}
	return true;
}

static bool
queue_move(struct store *store, const struct append *append, const struct store_param *lists,
	   struct error *error)
{
	const struct link *link = &append->links[0];
	const struct store_param one[] = {store_int(link->chain), store_int(link->first), store_int(link->last),
					  store_bytes(link->prev_hash, sizeof link->prev_hash),
					  store_bytes(link->hash, sizeof link->hash)};

	if (append->link_count == 1)
		return store_queue(store, STATEMENT_LEDGER_MOVE_ONE, one, 5, 1, error);
	return store_queue(store, STATEMENT_LEDGER_MOVE, lists, 5, (int64_t)append->link_count, error);
}

/* The batch rows, and the heads on top of them. */
static bool
queue_links(struct store *store, const struct append *append, struct error *error)
{
	size_t count = append->link_count;
	int64_t *chains = arena_take_array(append->arena, count, sizeof *chains);
	int64_t *firsts = arena_take_array(append->arena, count, sizeof *firsts);
	int64_t *lasts = arena_take_array(append->arena, count, sizeof *lasts);
	struct store_bytes *previous = arena_take_array(append->arena, count, sizeof *previous);
	struct store_bytes *hashes = arena_take_array(append->arena, count, sizeof *hashes);

	for (size_t i = 0; i < count; i++) {
		const struct link *link = &append->links[i];

		chains[i] = link->chain;
		firsts[i] = link->first;
		lasts[i] = link->last;
		previous[i] = (struct store_bytes){.bytes = link->prev_hash, .length = sizeof link->prev_hash};
		hashes[i] = (struct store_bytes){.bytes = link->hash, .length = sizeof link->hash};
	}

	const struct store_param params[] = {
	    store_int_list(chains, count),   store_int_list(firsts, count),
	    store_int_list(lasts, count),    store_bytes_list(previous, count),
	    store_bytes_list(hashes, count), store_time(append->created_at)};

	return store_queue(store, STATEMENT_LEDGER_BATCH, params, 6, (int64_t)count, error)
	       && queue_move(store, append, params, error)
	       && store_queue(store, STATEMENT_LEDGER_NOTIFY, NULL, 0, -1, error);
}

/* Too much is an error of the batch: record by record it fits. */
static bool
fits(struct store *store, const struct event *events, size_t count, struct error *error)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += events[i].payload_length + strlen(events[i].headers) + strlen(events[i].key);
	return bytes <= APPEND_BYTES_MAX ? true
					 : store_doom(store, error, ERROR_INVALID, "ledger_too_large",
						      "ledger: too much for one transaction");
}

bool
store_ledger_append(struct store *store, struct arena *arena, const struct event *events, size_t count,
		    struct error *error)
{
	struct append append = {.arena = arena, .events = events, .count = count};

	if (count == 0)
		return true;
	if (!store->in_transaction && store->doom.kind == ERROR_NONE)
		return error_set(error, ERROR_BROKEN, "transaction", "ledger: append outside of a transaction");
	if (!fits(store, events, count, error))
		return false;
	find_links(&append);
	if (!lock_heads(store, &append, error))
		return false;
	number_events(&append);
	hash_links(&append);
	return queue_events(store, &append, error) && queue_links(store, &append, error);
}
