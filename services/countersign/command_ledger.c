/* SPDX-License-Identifier: Apache-2.0 */
/* command_ledger.c - does the ledger hold? Walks every chain, checks the signed heads, and compares with the topics. */
#include "common/canonical/canonical.h"
#include "common/ledger/ledger.h"
#include "common/message/json.h"
#include "common/message/report.h"
#include "services/countersign/verification.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES_AT_ONCE 20

void
verification_fault(struct verification *verification, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (++verification->faults <= 100)
		cli_say("%s", text);
}

/* What is known of a chain while it is walked. */
struct walk {
	int64_t chain, last;
	uint8_t hash[CRYPTO_SHA256_SIZE];
};

static bool
hash_equals(struct store_bytes stored, const uint8_t hash[CRYPTO_SHA256_SIZE])
{
	return stored.length == CRYPTO_SHA256_SIZE && !memcmp(stored.bytes, hash, CRYPTO_SHA256_SIZE);
}

/* Hashes the stored events of one batch again. False only when the database does not answer. */
static bool
verify_events(struct verification *verification, struct walk *walk, int64_t last, int64_t created_at,
	      uint8_t hash[CRYPTO_SHA256_SIZE], struct error *error)
{
	struct cli *cli = verification->cli;
	int64_t first = walk->last + 1;
	struct store_param params[] = {store_int(walk->chain), store_int(first), store_int(last)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_LEDGER_EVENTS, params, 3, error);
	struct ledger_hash *chained;

	if (!rows)
		return false;
	if ((int64_t)store_rows_count(rows) != last - first + 1)
		verification_fault(verification,
				   "chain %" PRId64 ": events are missing between %" PRId64 " and %" PRId64,
				   walk->chain, first, last);
	chained = ledger_hash_open(walk->hash, (uint32_t)walk->chain, first, last, created_at);
	for (size_t i = 0; i < store_rows_count(rows); i++) {
		struct store_bytes payload = store_row_bytes(rows, i, 5);
		ledger_hash_add(chained, &(struct ledger_entry){.sequence = store_row_int(rows, i, 0),
								.event_id = store_row_text(rows, i, 1),
								.topic = store_row_text(rows, i, 2),
								.key = store_row_text(rows, i, 3),
								.headers = store_row_text(rows, i, 4),
								.payload = payload.bytes,
								.payload_length = payload.length});
	}
	ledger_hash_close(chained, hash);
	verification->events += (int64_t)store_rows_count(rows);
	return verification_explanations(verification, walk->chain, rows, error);
}

static bool
verify_batch(struct verification *verification, struct walk *walk, const struct store_rows *rows, size_t i,
	     struct error *error)
{
	int64_t first = store_row_int(rows, i, 0), last = store_row_int(rows, i, 1);
	uint8_t hash[CRYPTO_SHA256_SIZE];

	if (first != walk->last + 1)
		verification_fault(
		    verification, "chain %" PRId64 ": a batch begins at %" PRId64 ", %" PRId64 " was expected",
		    walk->chain, first, walk->last + 1);
	if (!hash_equals(store_row_bytes(rows, i, 2), walk->hash))
		verification_fault(verification,
				   "chain %" PRId64 ": the batch ending at %" PRId64
				   " does not follow the one before it",
				   walk->chain, last);
	if (!verify_events(verification, walk, last, store_row_time(rows, i, 4), hash, error))
		return false;
	if (!hash_equals(store_row_bytes(rows, i, 3), hash))
		verification_fault(verification,
				   "chain %" PRId64 ": the batch ending at %" PRId64
				   " was changed (its hash differs)",
				   walk->chain, last);
	memcpy(walk->hash, hash, sizeof hash);
	walk->last = last;
	verification->batches++;
	return true;
}

static bool
verify_token(struct verification *verification, int64_t chain, int64_t sequence, struct store_bytes hash,
	     const char *token)
{
	struct error error = {0};
	char text[CRYPTO_DIGEST_TEXT_SIZE];
	const struct value *claims =
	    jwks_verify(verification->cli->arena, verification->jwks, token, CHECKPOINT_TYP, &error);
	const struct value *signed_chain = value_get(claims, "chain"),
			   *signed_sequence = value_get(claims, "sequence");
	const char *signed_hash = value_get_string(claims, "hash");

	if (!claims) {
		verification_fault(verification, "chain %" PRId64 ": checkpoint at %" PRId64 ": %s", chain,
				   sequence, error.text);
		return false;
	}
	crypto_digest_text(hash.bytes, text);
	return signed_chain && signed_chain->kind == VALUE_INT && signed_chain->as.integer == chain
	       && signed_sequence && signed_sequence->kind == VALUE_INT
	       && signed_sequence->as.integer == sequence && signed_hash && !strcmp(signed_hash, text);
}

/* A checkpoint must name a batch end of the chain as it is now, with its hash. */
static bool
verify_checkpoints(struct verification *verification, int64_t chain, struct error *error)
{
	struct cli *cli = verification->cli;
	struct store_param param = store_int(chain);
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_LEDGER_CHECKPOINTS, &param, 1, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++) {
		int64_t sequence = store_row_int(rows, i, 0);
		struct store_bytes hash = store_row_bytes(rows, i, 1);
		struct store_param params[] = {store_int(chain), store_int(sequence - 1), store_int(1)};
		struct store_rows *batch = cli_read(cli, STATEMENT_CLI_LEDGER_BATCHES, params, 3, error);
		if (!batch)
			return false;
		if (!store_rows_count(batch) || store_row_int(batch, 0, 1) != sequence
		    || hash.length != CRYPTO_SHA256_SIZE
		    || !hash_equals(store_row_bytes(batch, 0, 3), hash.bytes))
			verification_fault(verification,
					   "chain %" PRId64 ": the signed checkpoint at %" PRId64
					   " does not match the chain",
					   chain, sequence);
		else if (verification->jwks
			 && !verify_token(verification, chain, sequence, hash, store_row_text(rows, i, 2)))
			verification_fault(verification,
					   "chain %" PRId64 ": the checkpoint at %" PRId64
					   " is signed for something else",
					   chain, sequence);
		verification->checkpoints++;
	}
	return rows != NULL;
}

/* The next few batches, in memory of their own. */
static bool
verify_some(struct verification *verification, struct walk *walk, int64_t head, struct error *error)
{
	struct cli *cli = verification->cli;
	struct arena *whole = cli->arena;
	struct store_param params[] = {store_int(walk->chain), store_int(walk->last),
				       store_int(BATCHES_AT_ONCE)};
	struct store_rows *rows;
	bool ok;

	cli->arena = arena_open();
	rows = cli_read(cli, STATEMENT_CLI_LEDGER_BATCHES, params, 3, error);
	ok = rows != NULL;
	for (size_t i = 0; ok && i < store_rows_count(rows) && walk->last < head; i++)
		ok = verify_batch(verification, walk, rows, i, error);
	arena_close(cli->arena);
	cli->arena = whole;
	return ok;
}

static bool
verify_chain(struct verification *verification, int64_t chain, int64_t head,
	     const uint8_t head_hash[CRYPTO_SHA256_SIZE], struct error *error)
{
	struct walk walk = {.chain = chain};

	for (int64_t before = -1; walk.last < head && walk.last != before;) {
		before = walk.last;
		if (!verify_some(verification, &walk, head, error))
			return false;
	}
	if (walk.last != head || memcmp(walk.hash, head_hash, CRYPTO_SHA256_SIZE) != 0)
		verification_fault(
		    verification, "chain %" PRId64 ": the head says %" PRId64 ", the batches end at %" PRId64,
		    chain, head, walk.last);
	return verify_checkpoints(verification, chain, error);
}

/* ---------------------------------------------------------------- the command */

static int
conclude(const struct verification *verification)
{
	struct cli *cli = verification->cli;
	struct value *map = value_map(cli->arena);

	value_set(cli->arena, map, "holds", value_bool(cli->arena, verification->faults == 0));
	value_set(cli->arena, map, "events", value_int(cli->arena, verification->events));
	value_set(cli->arena, map, "batches", value_int(cli->arena, verification->batches));
	value_set(cli->arena, map, "checkpoints", value_int(cli->arena, verification->checkpoints));
	value_set(cli->arena, map, "explanations", value_int(cli->arena, verification->explanations));
	if (cli_option(cli, "kafka"))
		value_set(cli->arena, map, "records", value_int(cli->arena, verification->records));
	value_set(cli->arena, map, "signatures_checked", value_bool(cli->arena, verification->jwks != NULL));
	value_set(cli->arena, map, "faults", value_int(cli->arena, verification->faults));
	cli_print_map(cli, map);
	return verification->faults ? CLI_FAILED : CLI_OK;
}

/* What the walk over the chains can't meet; one statement, so that an append that runs beside it is seen whole or not at all. */
static bool
find_stray(struct verification *verification, struct error *error)
{
	struct store_param limit = store_int(100);
	struct store_rows *rows = cli_read(verification->cli, STATEMENT_CLI_LEDGER_STRAY, &limit, 1, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++)
		verification_fault(
		    verification, "chain %" PRId64 ": %s %" PRId64 " lies behind the end of the chain",
		    store_row_int(rows, i, 0), store_row_text(rows, i, 2), store_row_int(rows, i, 1));
	return rows != NULL;
}

int
command_ledger_verify(struct cli *cli)
{
	struct error error = {0};
	struct jwks jwks;
	struct verification verification = {.cli = cli};
	const char *path = cli_option(cli, "jwks");
	struct store_rows *heads;

	if (path && !jwks_read(cli, path, &jwks, &error))
		return cli_fail(&error);
	verification.jwks = path ? &jwks : NULL;
	heads = cli_read(cli, STATEMENT_CLI_LEDGER_HEADS, NULL, 0, &error);
	for (size_t i = 0; heads && i < store_rows_count(heads); i++)
		if (!verify_chain(&verification, store_row_int(heads, i, 0), store_row_int(heads, i, 1),
				  store_row_bytes(heads, i, 2).bytes, &error))
			return cli_fail(&error);
	if (!heads || !find_stray(&verification, &error)
	    || (cli_option(cli, "kafka") && !verification_topics(&verification, &error)))
		return cli_fail(&error);
	return conclude(&verification);
}
