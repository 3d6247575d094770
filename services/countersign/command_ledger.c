/* SPDX-License-Identifier: Apache-2.0 */
/* command_ledger.c - does the ledger hold? Walks every chain, checks the signed heads, and compares with the topics. */
#include "common/canonical/canonical.h"
#include "common/ledger/ledger.h"
#include "common/message/json.h"
#include "common/message/report.h"
#include "services/countersign/send.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES_AT_ONCE 20

struct verification {
	struct cli *cli;
	const struct jwks *jwks; /* or NULL */
	int64_t events, batches, checkpoints, records;
	int64_t faults;
};

static void __attribute__((format(printf, 2, 3)))
fault(struct verification *verification, const char *format, ...)
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
		fault(verification, "chain %" PRId64 ": events are missing between %" PRId64 " and %" PRId64,
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
	return true;
}

static bool
verify_batch(struct verification *verification, struct walk *walk, const struct store_rows *rows, size_t i,
	     struct error *error)
{
	int64_t first = store_row_int(rows, i, 0), last = store_row_int(rows, i, 1);
	uint8_t hash[CRYPTO_SHA256_SIZE];

	if (first != walk->last + 1)
		fault(verification,
		      "chain %" PRId64 ": a batch begins at %" PRId64 ", %" PRId64 " was expected",
		      walk->chain, first, walk->last + 1);
	if (!hash_equals(store_row_bytes(rows, i, 2), walk->hash))
		fault(verification,
		      "chain %" PRId64 ": the batch ending at %" PRId64 " does not follow the one before it",
		      walk->chain, last);
	if (!verify_events(verification, walk, last, store_row_time(rows, i, 4), hash, error))
		return false;
	if (!hash_equals(store_row_bytes(rows, i, 3), hash))
		fault(verification,
		      "chain %" PRId64 ": the batch ending at %" PRId64 " was changed (its hash differs)",
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
	    jwks_verify(verification->cli, verification->jwks, token, CHECKPOINT_TYP, &error);
	const struct value *signed_chain = value_get(claims, "chain"),
			   *signed_sequence = value_get(claims, "sequence");
	const char *signed_hash = value_get_string(claims, "hash");

	if (!claims) {
		fault(verification, "chain %" PRId64 ": checkpoint at %" PRId64 ": %s", chain, sequence,
		      error.text);
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
			fault(verification,
			      "chain %" PRId64 ": the signed checkpoint at %" PRId64
			      " does not match the chain",
			      chain, sequence);
		else if (verification->jwks
			 && !verify_token(verification, chain, sequence, hash, store_row_text(rows, i, 2)))
			fault(verification,
			      "chain %" PRId64 ": the checkpoint at %" PRId64 " is signed for something else",
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
		fault(verification, "chain %" PRId64 ": the head says %" PRId64 ", the batches end at %" PRId64,
		      chain, head, walk.last);
	return verify_checkpoints(verification, chain, error);
}

/* ---------------------------------------------------------------- the topics */

#define TOPICS 5
static const char *const published_topics[TOPICS] = {TOPIC_APPROVALS, TOPIC_AUTHORIZATIONS, TOPIC_INCIDENTS,
						     TOPIC_QUARANTINE, TOPIC_CHECKPOINTS};
#define PLACES_AT_ONCE 500

/* A record of a topic that waits to be compared with the ledger. Lives in the scratch arena. */
struct place {
	int64_t chain, sequence;
	const char *topic, *key, *headers;
	const char *payload;
	size_t payload_length;
};

struct comparison {
	struct verification *verification;
	size_t chains;
	int64_t *published;	/* per chain: first event that need not be there yet */
	uint8_t **seen;		/* per chain: a bit per sequence below published */
	int64_t oldest[TOPICS]; /* time of the oldest record of each topic; 0 = none */
	int64_t retired;	/* events older than what their topic still holds */
	struct place places[PLACES_AT_ONCE];
	size_t place_count;
};

static bool
number_header(const struct record *record, const char *name, int64_t *number)
{
	for (size_t i = 0; i < record->header_count; i++) {
		char text[24] = {0}, *end;
		if (strcmp(record->headers[i].name, name) || !record->headers[i].value
		    || record->headers[i].length > 20)
			continue;
		memcpy(text, record->headers[i].value, record->headers[i].length);
		*number = strtoll(text, &end, 10);
		return *text && !*end;
	}
	return false;
}

/* The headers as the ledger stores them, without the two that the relay adds. */
static const char *
headers_text(struct arena *arena, const struct record *record)
{
	struct value *list = value_list(arena);
	struct buffer out = {.arena = arena};
	struct error error = {0};

	for (size_t i = 0; i < record->header_count; i++) {
		struct value *pair = value_list(arena);
		if (!strcmp(record->headers[i].name, "countersign-chain")
		    || !strcmp(record->headers[i].name, "countersign-sequence"))
			continue;
		value_append(arena, pair, value_string(arena, record->headers[i].name));
		value_append(arena, pair,
			     value_text(arena, record->headers[i].value ? record->headers[i].value : "",
					record->headers[i].length));
		value_append(arena, list, pair);
	}
	return canonical_format(&out, list, &error) ? out.bytes : "";
}

static void
compare_place(struct comparison *comparison, const struct place *place, const struct store_rows *rows)
{
	for (size_t i = 0; i < store_rows_count(rows); i++) {
		struct store_bytes payload = store_row_bytes(rows, i, 6);
		if (store_row_int(rows, i, 0) != place->chain || store_row_int(rows, i, 1) != place->sequence)
			continue;
		if (strcmp(store_row_text(rows, i, 3), place->topic)
		    || strcmp(store_row_text(rows, i, 4), place->key)
		    || strcmp(store_row_text(rows, i, 5), place->headers)
		    || payload.length != place->payload_length
		    || memcmp(payload.bytes, place->payload, payload.length))
			fault(comparison->verification,
			      "topic %s: the record of chain %" PRId64 " sequence %" PRId64
			      " differs from the ledger",
			      place->topic, place->chain, place->sequence);
		return;
	}
	fault(comparison->verification,
	      "topic %s: a record claims chain %" PRId64 " sequence %" PRId64
	      ", which the ledger does not hold",
	      place->topic, place->chain, place->sequence);
}

/* Compares what was gathered, in the cli's (scratch) arena, and empties it. */
static bool
compare_places(struct comparison *comparison, struct error *error)
{
	struct cli *cli = comparison->verification->cli;
	int64_t chains[PLACES_AT_ONCE], sequences[PLACES_AT_ONCE];
	struct store_rows *rows;

	for (size_t i = 0; i < comparison->place_count; i++) {
		chains[i] = comparison->places[i].chain;
		sequences[i] = comparison->places[i].sequence;
	}
	struct store_param params[] = {store_int_list(chains, comparison->place_count),
				       store_int_list(sequences, comparison->place_count)};
	rows = cli_read(cli, STATEMENT_CLI_LEDGER_PLACES, params, 2, error);
	for (size_t i = 0; rows && i < comparison->place_count; i++)
		compare_place(comparison, &comparison->places[i], rows);
	comparison->place_count = 0;
	arena_reset(cli->arena);
	return rows != NULL;
}

static int
topic_index(const struct comparison *comparison, const char *full)
{
	size_t prefix = strlen(comparison->verification->cli->config.topics_prefix);
	for (int i = 0; i < TOPICS; i++)
		if (!strcmp(full + prefix, published_topics[i]))
			return i;
	return 0;
}

static void
gather(struct comparison *comparison, const struct record *record)
{
	struct arena *arena = comparison->verification->cli->arena;
	struct place *place = &comparison->places[comparison->place_count];
	int topic = topic_index(comparison, record->topic);

	comparison->verification->records++;
	if (!comparison->oldest[topic] || record->timestamp < comparison->oldest[topic])
		comparison->oldest[topic] = record->timestamp;
	if (!number_header(record, "countersign-chain", &place->chain)
	    || !number_header(record, "countersign-sequence", &place->sequence)) {
		fault(comparison->verification,
		      "%s partition %" PRId32 " offset %" PRId64 ": a record that is not ours", record->topic,
		      record->partition, record->offset);
		return;
	}
	place->topic = published_topics[topic];
	place->key = arena_copy(arena, record->key ? record->key : "", record->key_length);
	place->headers = headers_text(arena, record);
	place->payload = arena_copy(arena, record->value ? record->value : "", record->value_length);
	place->payload_length = record->value_length;
	comparison->place_count++;
	if (place->chain >= 0 && (size_t)place->chain < comparison->chains && place->sequence > 0
	    && place->sequence < comparison->published[place->chain])
		comparison->seen[place->chain][place->sequence / 8] |= (uint8_t)(1u << (place->sequence % 8));
}

static bool
read_topics(struct comparison *comparison, struct error *error)
{
	struct cli *cli = comparison->verification->cli;
	struct bus_options options = cli_bus(cli);
	const char *names[TOPICS];
	struct bus_reader *reader;
	struct arena *whole = cli->arena;
	bool at_end = false, ok = true;

	for (int i = 0; i < TOPICS; i++)
		names[i] = cli_topic(cli, published_topics[i]);
	reader = bus_options_check(&options, error) ? bus_reader_open(&options, names, TOPICS, false, error)
						    : NULL;
	if (!reader)
		return false;
	cli->arena = arena_open();
	while (ok && !at_end) {
		struct bus_poll poll = {0};
		bus_reader_next(reader, 1000000, &poll, &at_end);
		if (poll.happening == BUS_RECORD) {
			gather(comparison, &poll.record);
			bus_release(poll.handle);
		} else if (poll.happening == BUS_FAULT && poll.error.kind == ERROR_BROKEN) {
			*error = poll.error;
			ok = false;
		}
		if (ok && (comparison->place_count == PLACES_AT_ONCE || (at_end && comparison->place_count)))
			ok = compare_places(comparison, error);
	}
	arena_close(cli->arena);
	cli->arena = whole;
	bus_reader_close(reader);
	return ok;
}

static bool
report_missing(struct comparison *comparison, int64_t chain, const int64_t *sequences, size_t count,
	       struct error *error)
{
	struct store_param params[] = {store_int(chain), store_int_list(sequences, count)};
	struct store_rows *rows =
	    cli_read(comparison->verification->cli, STATEMENT_CLI_LEDGER_MISSING, params, 2, error);

	for (size_t i = 0; rows && i < store_rows_count(rows); i++) {
		int topic = 0;
		while (topic < TOPICS - 1 && strcmp(published_topics[topic], store_row_text(rows, i, 1)))
			topic++;
		if (comparison->oldest[topic]
		    && store_row_time(rows, i, 2) < comparison->oldest[topic] - INT64_C(60) * 1000000)
			comparison->retired++;
		else
			fault(comparison->verification,
			      "chain %" PRId64 ": event %" PRId64 " is not on topic %s", chain,
			      store_row_int(rows, i, 0), store_row_text(rows, i, 1));
	}
	return rows != NULL;
}

static bool
find_missing(struct comparison *comparison, size_t chain, struct error *error)
{
	int64_t sequences[PLACES_AT_ONCE];
	size_t count = 0;

	for (int64_t sequence = 1; sequence < comparison->published[chain]; sequence++) {
		if (!(comparison->seen[chain][sequence / 8] & (1u << (sequence % 8))))
			sequences[count++] = sequence;
		if (count == PLACES_AT_ONCE) {
			if (!report_missing(comparison, (int64_t)chain, sequences, count, error))
				return false;
			count = 0;
		}
	}
	return !count || report_missing(comparison, (int64_t)chain, sequences, count, error);
}

/* Every record is byte for byte an event of the ledger, and every published event is there unless retention or compaction took it. */
static bool
compare_topics(struct verification *verification, struct error *error)
{
	struct cli *cli = verification->cli;
	struct comparison *comparison = arena_take(cli->arena, sizeof *comparison);
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_LEDGER_PUBLISHED, NULL, 0, error);

	if (!rows)
		return false;
	comparison->verification = verification;
	comparison->chains = store_rows_count(rows);
	comparison->published = arena_take_array(cli->arena, comparison->chains, sizeof *comparison->published);
	comparison->seen = arena_take_array(cli->arena, comparison->chains, sizeof *comparison->seen);
	for (size_t i = 0; i < comparison->chains; i++) {
		comparison->published[i] = store_row_int(rows, i, 1);
		comparison->seen[i] = arena_take(cli->arena, (size_t)comparison->published[i] / 8 + 1);
	}
	if (!read_topics(comparison, error))
		return false;
	for (size_t i = 0; i < comparison->chains; i++)
		if (!find_missing(comparison, i, error))
			return false;
	if (comparison->retired)
		cli_say("%" PRId64 " events are older than what their topics still hold", comparison->retired);
	return true;
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
		fault(verification, "chain %" PRId64 ": %s %" PRId64 " lies behind the end of the chain",
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
	    || (cli_option(cli, "kafka") && !compare_topics(&verification, &error)))
		return cli_fail(&error);
	return conclude(&verification);
}
