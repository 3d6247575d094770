/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.c - what the servers and the disk can do at most: the same requests in, the same rows by COPY, a commit with
 * fsync, the same messages out. It checks nothing, decides nothing and promises nothing: the rows and messages are those of
 * one request that Countersign has decided, with other ids.
 *
 *   limit BOOTSTRAP SAMPLE_URI SAMPLE_ID URI PREFIX BATCH
 *
 * SAMPLE_URI is a database where SAMPLE_ID was decided, URI one with the same tables. Ends on SIGTERM.
 */
#include "tests/bench/tool.h"

#include <endian.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = 4, PLACES = 16, HEADERS = 16, HASH = 32, UUID = 16, UUID_TEXT = 36 };
enum { COPY_HEAD = 19, WAIT_MS = 100, FLUSH_MS = 60000, SQL = 64 * 1024 };

static const char *const tables[TABLES] = {"request", "decision", "authorization_status", "ledger_event"};
static const char copy_head[COPY_HEAD + 1] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";

/* Bytes with places where another id is to stand. */
struct sample {
	char *bytes;
	size_t length;
	struct place {
		size_t at;
		enum { PLACE_ID, PLACE_EVENT, PLACE_EVENT_TEXT } what;
	} places[PLACES];
	int count;
};

struct buffer {
	char *bytes;
	size_t length, room;
};

struct partition {
	int64_t next, sequence, first; /* first: of the batch at hand, 0: none */
	unsigned char hash[HASH];
	bool touched;
};

struct limit {
	PGconn *sql;
	rd_kafka_t *consumer, *producer;
	rd_kafka_topic_t *words;
	rd_kafka_queue_t *queue;
	const char *sample_id;
	size_t id_length;
	unsigned char sample_event[UUID];
	char sample_event_text[UUID_TEXT + 1];
	struct sample rows[TABLES], payload;
	struct {
		char name[64];
		struct sample value;
	} headers[HEADERS];
	int header_count;
	char copies[SQL / 4]; /* the COPY statements */
	struct buffer copy[TABLES + 1];
	struct partition *partitions;
	int partition_count;
	uint64_t random;
	long batches, records;
};

static volatile sig_atomic_t stop;

static void
on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* ------------------------------------------------------------------ bytes */

static void
add(struct buffer *buffer, const void *bytes, size_t length)
{
	while (buffer->length + length > buffer->room) {
		buffer->room = buffer->room ? 2 * buffer->room : 1 << 20;
		buffer->bytes = realloc(buffer->bytes, buffer->room);
		if (!buffer->bytes)
			die("no memory");
	}
	memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
}

static void
add16(struct buffer *buffer, uint16_t number)
{
	number = htobe16(number);
	add(buffer, &number, sizeof number);
}

static void
add32(struct buffer *buffer, uint32_t number)
{
	number = htobe32(number);
	add(buffer, &number, sizeof number);
}

static void
add64(struct buffer *buffer, uint64_t number)
{
	number = htobe64(number);
	add(buffer, &number, sizeof number);
}

static void
find(struct sample *sample, const void *needle, size_t length, int what)
{
	char *at = sample->bytes, *end = sample->bytes + sample->length;

	while ((at = memmem(at, (size_t)(end - at), needle, length))) {
		if (sample->count == PLACES)
			die("an id stands in too many places");
		sample->places[sample->count].at = (size_t)(at - sample->bytes);
		sample->places[sample->count++].what = what;
		at += length;
	}
}

static void
take_sample(struct limit *limit, struct sample *sample, const void *bytes, size_t length)
{
	sample->bytes = malloc(length + 1);
	if (!sample->bytes)
		die("no memory");
	memcpy(sample->bytes, bytes, length);
	sample->length = length;
	find(sample, limit->sample_id, limit->id_length, PLACE_ID);
	find(sample, limit->sample_event, UUID, PLACE_EVENT);
	find(sample, limit->sample_event_text, UUID_TEXT, PLACE_EVENT_TEXT);
}

/* The sample itself becomes the next request's; the caller copies it. */
static void
fit(struct sample *sample, const char *id, size_t id_length, const unsigned char *event, const char *event_text)
{
	for (int i = 0; i < sample->count; i++) {
		char *at = sample->bytes + sample->places[i].at;

		switch (sample->places[i].what) {
		case PLACE_ID:
			memcpy(at, id, id_length);
			break;
		case PLACE_EVENT:
			memcpy(at, event, UUID);
			break;
		case PLACE_EVENT_TEXT:
			memcpy(at, event_text, UUID_TEXT);
		}
	}
}

static void
print_uuid(const unsigned char *bytes, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < UUID; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

static uint64_t
next_random(struct limit *limit)
{
	limit->random ^= limit->random << 13;
	limit->random ^= limit->random >> 7;
	limit->random ^= limit->random << 17;
	return limit->random;
}

/* ------------------------------------------------------------------ the sample */

static PGconn *
connect_to(const char *uri)
{
	PGconn *sql = PQconnectdb(uri);

	if (PQstatus(sql) != CONNECTION_OK)
		die("%s", PQerrorMessage(sql));
	PQclear(PQexec(sql, "SET search_path = countersign; SET synchronous_commit = on"));
	return sql;
}

static PGresult *
ask(PGconn *sql, const char *query, const char *parameter)
{
	PGresult *result = PQexecParams(sql, query, parameter ? 1 : 0, NULL, &parameter, NULL, NULL, 0);

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		die("%s", PQerrorMessage(sql));
	return result;
}

static char *
columns_of(PGconn *sql, const char *table)
{
	PGresult *result =
	    ask(sql,
		"SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute"
		" WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = '' AND NOT attisdropped",
		table);
	char *columns = strdup(PQgetvalue(result, 0, 0));

	PQclear(result);
	return columns;
}

static void
sample_row(struct limit *limit, PGconn *sql, int i)
{
	const char *where =
	    strcmp(tables[i], "ledger_event") == 0 ? "topic = 'authorizations' AND key" : "request_id";
	char *columns = columns_of(sql, tables[i]), query[4096], *chunk;
	struct buffer all = {0};
	int length;

	snprintf(query, sizeof query, "COPY (SELECT %s FROM %s WHERE %s = '%s') TO STDOUT (FORMAT binary)",
		 columns, tables[i], where, limit->sample_id);
	PQclear(PQexec(sql, query));
	while ((length = PQgetCopyData(sql, &chunk, 0)) > 0) {
		add(&all, chunk, (size_t)length);
		PQfreemem(chunk);
	}
	PQclear(PQgetResult(sql));
	PQclear(PQgetResult(sql));
	if (all.length <= COPY_HEAD + 2)
		die("%s: no row of %s", tables[i], limit->sample_id);
	take_sample(limit, &limit->rows[i], all.bytes + COPY_HEAD, all.length - COPY_HEAD - 2);
	snprintf(limit->copies + strlen(limit->copies), sizeof limit->copies - strlen(limit->copies),
		 "COPY %s (%s) FROM STDIN (FORMAT binary);", tables[i], columns);
	free(all.bytes);
	free(columns);
}

static void
sample_message(struct limit *limit, PGconn *sql)
{
	PGresult *result = ask(sql,
			       "SELECT encode(payload, 'escape'), event_id FROM ledger_event"
			       " WHERE topic = 'authorizations' AND key = $1",
			       limit->sample_id);

	take_sample(limit, &limit->payload, PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0));
	PQclear(result);
	result = ask(sql,
		     "SELECT h->>0, h->>1 FROM ledger_event, json_array_elements(headers::json) h"
		     " WHERE topic = 'authorizations' AND key = $1",
		     limit->sample_id);
	limit->header_count = PQntuples(result);
	if (limit->header_count > HEADERS)
		die("too many headers");
	for (int i = 0; i < limit->header_count; i++) {
		snprintf(limit->headers[i].name, sizeof limit->headers[i].name, "%s", PQgetvalue(result, i, 0));
		take_sample(limit, &limit->headers[i].value, PQgetvalue(result, i, 1),
			    (size_t)PQgetlength(result, i, 1));
	}
	PQclear(result);
}

static void
read_sample(struct limit *limit, const char *uri)
{
	PGconn *sql = connect_to(uri);
	PGresult *result =
	    ask(sql, "SELECT event_id FROM ledger_event WHERE topic = 'authorizations' AND key = $1",
		limit->sample_id);

	if (PQntuples(result) != 1)
		die("%s has not exactly one word", limit->sample_id);
	snprintf(limit->sample_event_text, sizeof limit->sample_event_text, "%s", PQgetvalue(result, 0, 0));
	PQclear(result);
	for (int i = 0, digit = 0; i < UUID; i++, digit += 2) {
		unsigned byte;

		digit += limit->sample_event_text[digit] == '-';
		sscanf(limit->sample_event_text + digit, "%2x", &byte);
		limit->sample_event[i] = (unsigned char)byte;
	}
	for (int i = 0; i < TABLES; i++)
		sample_row(limit, sql, i);
	strcat(limit->copies, "COPY ledger_batch FROM STDIN (FORMAT binary);");
	sample_message(limit, sql);
	PQfinish(sql);
}

/* ------------------------------------------------------------------ open */

static void
read_positions(struct limit *limit, const char *requests)
{
	PGresult *result =
	    ask(limit->sql, "SELECT partition, next_offset FROM consumer_position WHERE topic = $1", requests);

	for (int i = 0; i < PQntuples(result); i++)
		limit->partitions[atoi(PQgetvalue(result, i, 0))].next = atoll(PQgetvalue(result, i, 1));
	PQclear(result);
	result = ask(limit->sql, "SELECT chain, sequence FROM ledger_head", NULL);
	if (PQntuples(result) != limit->partition_count)
		die("%d chains, but %d partitions", PQntuples(result), limit->partition_count);
	for (int i = 0; i < PQntuples(result); i++) {
		struct partition *partition = &limit->partitions[atoi(PQgetvalue(result, i, 0))];

		partition->sequence = atoll(PQgetvalue(result, i, 1));
		memcpy(partition->hash, &partition->sequence, sizeof partition->sequence);
	}
	PQclear(result);
}

static void
open_kafka(struct limit *limit, const char *bootstrap, const char *prefix)
{
	static const char *const reading[] = {"group.id",
					      "bench",
					      "fetch.wait.max.ms",
					      "100",
					      "queued.min.messages",
					      "20000",
					      "queued.max.messages.kbytes",
					      "16384",
					      "enable.auto.commit",
					      "false",
					      NULL};
	static const char *const writing[] = {"enable.idempotence",
					      "true",
					      "acks",
					      "all",
					      "linger.ms",
					      "0",
					      "partitioner",
					      "murmur2_random",
					      "queue.buffering.max.messages",
					      "20000",
					      NULL};
	char requests[256], words[256];
	rd_kafka_topic_partition_list_t *list;

	snprintf(requests, sizeof requests, "%srequests", prefix);
	snprintf(words, sizeof words, "%sauthorizations", prefix);
	limit->consumer = tool_client(RD_KAFKA_CONSUMER, bootstrap, reading);
	limit->producer = tool_client(RD_KAFKA_PRODUCER, bootstrap, writing);
	limit->words = rd_kafka_topic_new(limit->producer, words, NULL);
	limit->partition_count = tool_partitions(limit->consumer, requests);
	limit->partitions = calloc((size_t)limit->partition_count, sizeof *limit->partitions);
	read_positions(limit, requests);
	list = rd_kafka_topic_partition_list_new(limit->partition_count);
	for (int i = 0; i < limit->partition_count; i++)
		rd_kafka_topic_partition_list_add(list, requests, i)->offset = limit->partitions[i].next;
	if (rd_kafka_assign(limit->consumer, list))
		die("%s: can't be read", requests);
	rd_kafka_topic_partition_list_destroy(list);
	limit->queue = rd_kafka_queue_get_consumer(limit->consumer);
}

/* ------------------------------------------------------------------ a batch */

static void
say(struct limit *limit, const char *id, int chain, int64_t sequence)
{
	rd_kafka_headers_t *headers = rd_kafka_headers_new((size_t)limit->header_count + 2);
	char number[32];

	for (int i = 0; i < limit->header_count; i++)
		rd_kafka_header_add(headers, limit->headers[i].name, -1, limit->headers[i].value.bytes,
				    (ssize_t)limit->headers[i].value.length);
	snprintf(number, sizeof number, "%d", chain);
	rd_kafka_header_add(headers, "countersign-chain", -1, number, -1);
	snprintf(number, sizeof number, "%lld", (long long)sequence);
	rd_kafka_header_add(headers, "countersign-sequence", -1, number, -1);
	tool_produce(limit->producer, limit->words, id, limit->payload.bytes, limit->payload.length, headers);
}

/* One request: its rows go into the buffers, and its id with the event's into the samples. */
static void
take(struct limit *limit, const rd_kafka_message_t *message, unsigned char *event)
{
	struct partition *partition = &limit->partitions[message->partition];
	struct sample *last = &limit->rows[TABLES - 1];
	uint64_t random[2] = {next_random(limit), next_random(limit)}, sequence;
	uint32_t chain = htobe32((uint32_t)message->partition);
	char text[UUID_TEXT + 1];

	if (message->key_len != limit->id_length)
		die("an id of another length than the sample's");
	memcpy(event, random, UUID);
	print_uuid(event, text);
	partition->sequence++;
	if (!partition->touched)
		partition->first = partition->sequence;
	partition->touched = true;
	partition->next = message->offset + 1;
	sequence = htobe64((uint64_t)partition->sequence);
	memcpy(last->bytes + 6, &chain, sizeof chain); /* the first two columns */
	memcpy(last->bytes + 14, &sequence, sizeof sequence);
	for (int i = 0; i < TABLES; i++) {
		fit(&limit->rows[i], message->key, limit->id_length, event, text);
		add(&limit->copy[i], limit->rows[i].bytes, limit->rows[i].length);
	}
}

static void
add_batch_row(struct limit *limit, int chain)
{
	struct buffer *copy = &limit->copy[TABLES];
	struct partition *partition = &limit->partitions[chain];

	add16(copy, 6);
	add32(copy, 4);
	add32(copy, (uint32_t)chain);
	add32(copy, 8);
	add64(copy, (uint64_t)partition->first);
	add32(copy, 8);
	add64(copy, (uint64_t)partition->sequence);
	add32(copy, HASH);
	add(copy, partition->hash, HASH);
	for (size_t i = 0; i < HASH; i += sizeof limit->random) {
		next_random(limit);
		memcpy(partition->hash + i, &limit->random, sizeof limit->random);
	}
	add32(copy, HASH);
	add(copy, partition->hash, HASH);
	add32(copy, 8);
	add64(copy, (uint64_t)tool_now());
}

/* The whole transaction as one text. */
static char *
transaction(struct limit *limit)
{
	static char sql[2 * SQL], heads[SQL / 4], positions[SQL / 4];
	size_t head = 0, position = 0;

	for (int i = 0; i < limit->partition_count; i++) {
		const struct partition *partition = &limit->partitions[i];
		char hash[2 * HASH + 1];

		if (!partition->touched)
			continue;
		add_batch_row(limit, i);
		for (int j = 0; j < HASH; j++)
			snprintf(hash + 2 * j, 3, "%02x", partition->hash[j]);
		head += (size_t)snprintf(heads + head, sizeof heads - head, "%s(%d,%lld,'\\x%s'::bytea)",
					 head ? "," : "", i, (long long)partition->sequence, hash);
		position += (size_t)snprintf(positions + position, sizeof positions - position, "%s(%d,%lld)",
					     position ? "," : "", i, (long long)partition->next);
	}
	snprintf(sql, sizeof sql,
		 "BEGIN;"
		 "UPDATE consumer_position p SET next_offset = v.n, updated_at = clock_timestamp()"
		 " FROM (VALUES %s) v (i, n) WHERE p.partition = v.i;"
		 "%s"
		 "UPDATE ledger_head h SET sequence = v.s, hash = v.h FROM (VALUES %s) v (c, s, h) WHERE "
		 "h.chain = v.c;"
		 "UPDATE relay_position p SET next_sequence = v.s + 1 FROM (VALUES %s) v (c, s, h) WHERE "
		 "p.chain = v.c;"
		 "COMMIT",
		 positions, limit->copies, heads, heads);
	return sql;
}

static void
put(struct limit *limit, struct buffer *copy)
{
	static const char end[2] = {'\377', '\377'};

	if (PQputCopyData(limit->sql, copy_head, COPY_HEAD) != 1
	    || PQputCopyData(limit->sql, copy->bytes, (int)copy->length) != 1
	    || PQputCopyData(limit->sql, end, sizeof end) != 1 || PQputCopyEnd(limit->sql, NULL) != 1)
		die("%s", PQerrorMessage(limit->sql));
	copy->length = 0;
}

static void
commit(struct limit *limit)
{
	PGresult *result;
	int table = 0;

	if (!PQsendQuery(limit->sql, transaction(limit)))
		die("%s", PQerrorMessage(limit->sql));
	while ((result = PQgetResult(limit->sql))) {
		ExecStatusType status = PQresultStatus(result);

		PQclear(result);
		if (status == PGRES_COPY_IN)
			put(limit, &limit->copy[table++]);
		else if (status != PGRES_COMMAND_OK)
			die("%s", PQerrorMessage(limit->sql));
	}
	for (int i = 0; i < limit->partition_count; i++)
		limit->partitions[i].touched = false;
}

static void
run_batch(struct limit *limit, rd_kafka_message_t **messages, size_t count)
{
	unsigned char *events = malloc(count * UUID);
	int64_t *sequences = malloc(count * sizeof *sequences);
	char text[UUID_TEXT + 1];

	if (!events || !sequences)
		die("no memory");
	for (size_t i = 0; i < count; i++) {
		take(limit, messages[i], events + i * UUID);
		sequences[i] = limit->partitions[messages[i]->partition].sequence;
	}
	commit(limit);
	for (size_t i = 0; i < count; i++) {
		char id[256];

		snprintf(id, sizeof id, "%.*s", (int)messages[i]->key_len, (const char *)messages[i]->key);
		print_uuid(events + i * UUID, text);
		fit(&limit->payload, id, limit->id_length, events + i * UUID, text);
		for (int j = 0; j < limit->header_count; j++)
			fit(&limit->headers[j].value, id, limit->id_length, events + i * UUID, text);
		say(limit, id, messages[i]->partition, sequences[i]);
		rd_kafka_message_destroy(messages[i]);
	}
	rd_kafka_poll(limit->producer, 0);
	limit->batches++;
	limit->records += (long)count;
	free(events);
	free(sequences);
}

/* What is there at once, at most a batch. */
static size_t
next_batch(struct limit *limit, rd_kafka_message_t **messages, size_t room)
{
	ssize_t more;
	size_t count = 0;

	messages[0] = rd_kafka_consume_queue(limit->queue, WAIT_MS);
	if (!messages[0])
		return 0;
	more = room > 1 ? rd_kafka_consume_batch_queue(limit->queue, 0, messages + 1, room - 1) : 0;
	count = 1 + (more > 0 ? (size_t)more : 0);
	for (size_t i = 0; i < count; i++)
		if (messages[i]->err)
			die("requests: %s", rd_kafka_message_errstr(messages[i]));
	return count;
}

int
main(int argc, char **argv)
{
	static struct limit limit = {.random = UINT64_C(88172645463325252)};
	size_t room = argc == 7 ? (size_t)atol(argv[6]) : 0, count;
	rd_kafka_message_t **messages = calloc(room + 1, sizeof *messages);

	if (room == 0 || !messages)
		die("limit BOOTSTRAP SAMPLE_URI SAMPLE_ID URI PREFIX BATCH");
	signal(SIGTERM, on_signal);
	limit.sample_id = argv[3];
	limit.id_length = strlen(argv[3]);
	limit.random ^= (uint64_t)tool_now();
	read_sample(&limit, argv[2]);
	limit.sql = connect_to(argv[4]);
	open_kafka(&limit, argv[1], argv[5]);
	while (!stop) {
		count = next_batch(&limit, messages, room);
		if (count > 0)
			run_batch(&limit, messages, count);
		else
			rd_kafka_poll(limit.producer, 0);
	}
	if (rd_kafka_flush(limit.producer, FLUSH_MS))
		die("words: not delivered in time");
	printf("%ld records in %ld transactions\n", limit.records, limit.batches);
	rd_kafka_queue_destroy(limit.queue);
	rd_kafka_consumer_close(limit.consumer);
	PQfinish(limit.sql);
	return 0;
}
