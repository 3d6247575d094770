/* SPDX-License-Identifier: Apache-2.0 */
/* relay_checkpoint.c - signs the head of a chain and says so in the ledger itself, all under the head's lock. */
#include "services/relay/relay.h"

#include "common/clock/clock.h"
#include "common/message/report.h"

#include <string.h>

/* What the transaction works on. */
struct signing {
	struct relay *relay;
	struct relay_chain *chain;
	struct work work;
	int64_t head;
	struct store_bytes hash;
};

static bool
lock_head(struct signing *signing, struct error *error)
{
	const struct store_param params[] = {store_int(signing->chain->chain)};
	struct store_rows *rows = store_query(signing->work.store, signing->work.arena,
					      STATEMENT_RELAY_CHECKPOINT_HEAD, params, 1, error);

	if (!rows)
		return false;
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_BROKEN, "ledger", "chain %u has no head",
				 (unsigned)signing->chain->chain);
	signing->head = store_row_int(rows, 0, 0);
	signing->hash = store_row_bytes(rows, 0, 1);
	if (signing->hash.length != CRYPTO_SHA256_SIZE)
		return error_set(error, ERROR_BROKEN, "ledger", "chain %u: the head's hash is damaged",
				 (unsigned)signing->chain->chain);
	return true;
}

/* The last checkpoint's own event, or 0. */
static bool
last_checkpoint(struct signing *signing, struct error *error)
{
	const struct store_param params[] = {store_int(signing->chain->chain)};
	struct store_rows *rows = store_query(signing->work.store, signing->work.arena,
					      STATEMENT_RELAY_CHECKPOINT_LAST, params, 1, error);

	if (rows)
		signing->chain->checkpoint_event = store_rows_count(rows) == 1 ? store_row_int(rows, 0, 0) : 0;
	return rows != NULL;
}

static bool
sign_head(struct signing *signing, struct error *error)
{
	struct checkpoint checkpoint = {.chain = signing->chain->chain,
					.sequence = signing->head,
					.source = signing->relay->context->source};
	struct event event;
	const char *token;

	memcpy(checkpoint.hash, signing->hash.bytes, sizeof checkpoint.hash);
	if (!work_now(&signing->work, error))
		return false;
	checkpoint.at = signing->work.now;
	if (!checkpoint_event(work_scratch(&signing->work), signing->relay->key, &checkpoint, &event, &token,
			      error))
		return false;
	work_event(&signing->work, &event);

	const struct store_param params[] = {store_int(checkpoint.chain),
					     store_int(checkpoint.sequence),
					     store_bytes(checkpoint.hash, sizeof checkpoint.hash),
					     store_time(checkpoint.at),
					     store_int(checkpoint.sequence + 1),
					     store_text(token)};

	return store_queue(signing->work.store, STATEMENT_RELAY_CHECKPOINT, params, 6, 1, error);
}

/* The event is the next batch of the chain, alone: nobody else appends while the head is locked. */
static bool
checkpoint(struct relay *relay, struct relay_chain *chain, struct arena *arena, struct error *error)
{
	struct signing signing = {.relay = relay, .chain = chain};
	bool ok = work_begin(relay->context, arena, &signing.work, error) && lock_head(&signing, error)
		  && last_checkpoint(&signing, error);

	if (ok && signing.head == chain->checkpoint_event) { /* nothing but our own last word: nothing to sign */
		work_rollback(&signing.work);
		return true;
	}
	ok = ok && sign_head(&signing, error) && work_commit(&signing.work, error);
	if (!ok) {
		chain->checkpoint_event = -1;
		work_rollback(&signing.work);
		return error_wrap(error, "checkpoint of chain %u", (unsigned)chain->chain);
	}
	chain->checkpoint_event = signing.head + 1;
	monitor_add(relay->context->monitor, "checkpoints_total", "", 1);
	log_info(relay->context->log, "checkpoint", log_number("chain", chain->chain),
		 log_number("sequence", signing.head));
	return true;
}

bool
relay_checkpoints(struct relay *relay, struct arena *arena, struct error *error)
{
	int64_t now = clock_monotonic();
	bool ok = true;

	for (size_t i = 0; ok && i < relay->chain_count; i++) {
		struct relay_chain *chain = &relay->chains[i];

		if (!chain->mine || now < chain->checkpoint_at)
			continue;
		chain->checkpoint_at = now + relay->config->checkpoint_interval;
		if (chain->head > 0 && chain->head != chain->checkpoint_event)
			ok = checkpoint(relay, chain, arena, error);
	}
	return ok;
}
