/* SPDX-License-Identifier: Apache-2.0 */
/* verification_topics.c - compares what is on the topics with the ledger, and the ledger with what is on the topics. */
#include "services/countersign/verification.h"
#include "common/canonical/canonical.h"
#include "common/message/event.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOPICS 6
static const char *const published_topics[TOPICS] = {TOPIC_APPROVALS,  TOPIC_AUTHORIZATIONS, TOPIC_INCIDENTS,
						     TOPIC_QUARANTINE, TOPIC_CHECKPOINTS,    TOPIC_DIRECTORY};
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
			verification_fault(comparison->verification,
					   "topic %s: the record of chain %" PRId64 " sequence %" PRId64
					   " differs from the ledger",
					   place->topic, place->chain, place->sequence);
		return;
	}
	verification_fault(comparison->verification,
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
		verification_fault(comparison->verification,
				   "%s partition %" PRId32 " offset %" PRId64 ": a record that is not ours",
				   record->topic, record->partition, record->offset);
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
			verification_fault(comparison->verification,
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
bool
verification_topics(struct verification *verification, struct error *error)
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
