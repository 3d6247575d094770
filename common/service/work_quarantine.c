/* SPDX-License-Identifier: Apache-2.0 */
/* work_quarantine.c - a record that can't be taken: its row, its raw bytes for the operator, and the event that says so. */
#include "common/service/service_private.h"

#include "common/canonical/canonical.h"
#include "common/message/report.h"

#include <assert.h>
#include <string.h>

enum { VALUE_WHOLE = 64 * 1024, VALUE_CUT = 1024, KEY_CUT = 1024, HEADERS_CUT = 16 * 1024 };

/* What is left to do when the transaction has been committed. In its arena. */
struct work_quarantined {
	struct work_quarantined *older;
	const char *topic, *code, *field, *request_id;
	int64_t partition, offset;
};

/* Header names are anybody's bytes; the column is text. */
static struct value *
readable(struct arena *arena, const char *name)
{
	struct buffer out = {.arena = arena};
	size_t left = strlen(name);
	uint32_t point;

	buffer_add_text(&out, "");
	while (left > 0) {
		size_t taken = value_utf8_decode(name, left, &point);

		if (taken == 0)
			buffer_add_text(&out, "\xEF\xBF\xBD");
		else
			buffer_add(&out, name, taken);
		taken += taken == 0;
		name += taken;
		left -= taken;
	}
	return value_text(arena, out.bytes, out.length);
}

static struct value *
header_pair(struct arena *arena, const struct record_header *header)
{
	struct value *pair = value_list(arena);

	value_append(arena, pair, readable(arena, header->name));
	value_append(arena, pair,
		     header->value
			 ? value_string(arena, crypto_base64_format(arena, header->value, header->length))
			 : value_null(arena));
	return pair;
}

/* [["name","base64"],…], whole pairs only, as many as fit. */
static bool
headers_text(struct arena *arena, const struct record *record, const char **text, struct error *error)
{
	struct buffer out = {.arena = arena};
	bool ok = true;

	buffer_add_byte(&out, '[');
	for (size_t i = 0; ok && i < record->header_count; i++) {
		struct buffer one = {.arena = arena};

		if (record->headers[i].length > HEADERS_CUT || strlen(record->headers[i].name) > HEADERS_CUT)
			break;
		ok = canonical_format(&one, header_pair(arena, &record->headers[i]), error);
		if (!ok || out.length + one.length + 2 > HEADERS_CUT)
			break;
		if (i > 0)
			buffer_add_byte(&out, ',');
		buffer_add(&out, one.bytes, one.length);
	}
	buffer_add_byte(&out, ']');
	*text = out.bytes;
	return ok;
}

static struct store_param
cut(const void *bytes, size_t length, size_t whole, size_t otherwise)
{
	if (!bytes)
		return store_null();
	return store_bytes(bytes, length <= whole ? length : otherwise);
}

static bool
insert_row(struct work *work, const struct quarantine *quarantine, const char *id, struct error *error)
{
	const struct record *record = quarantine->record;
	const struct error *reason = quarantine->reason;
	char digest[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_digest_text(quarantine->digest, digest);

	const struct store_param params[] = {
	    store_uuid(id),
	    store_text(work->context->service),
	    store_text(record->topic),
	    store_int(record->partition),
	    store_int(record->offset),
	    store_text(quarantine->tenant),
	    store_text(quarantine->request_id),
	    store_text(reason->code),
	    store_text(reason->field),
	    store_text(reason->text),
	    store_text(digest),
	    store_int((int64_t)record->value_length),
	    store_time(quarantine->at),
	};

	return store_queue(work->store, STATEMENT_WORK_QUARANTINE, params, sizeof params / sizeof *params, 1,
			   error);
}

static bool
insert_raw(struct work *work, const struct quarantine *quarantine, const char *id, struct error *error)
{
	const struct record *record = quarantine->record;
	const char *headers;

	if (!headers_text(work_scratch(work), record, &headers, error))
		return false;

	const struct store_param params[] = {
	    store_uuid(id),
	    cut(record->key, record->key_length, KEY_CUT, KEY_CUT),
	    cut(record->value, record->value_length, VALUE_WHOLE, VALUE_CUT),
	    store_text(headers),
	    store_time(quarantine->at + work->context->quarantine_keep),
	};

	return store_queue(work->store, STATEMENT_WORK_QUARANTINE_RAW, params, sizeof params / sizeof *params,
			   1, error);
}

static void
remember(struct work *work, const struct quarantine *quarantine)
{
	struct work_quarantined *one = arena_take(work->arena, sizeof *one);

	*one = (struct work_quarantined){
	    .older = work->quarantined,
	    .topic = quarantine->record->topic,
	    .code = arena_string(work->arena, quarantine->reason->code),
	    .field = arena_string(work->arena, quarantine->reason->field),
	    .request_id = arena_string(work->arena, quarantine->request_id),
	    .partition = quarantine->record->partition,
	    .offset = quarantine->record->offset,
	};
	work->quarantined = one;
}

/* Before work_now has been called a record may be refused too; it needs a time, not the time. */
static bool
time_of(struct work *work, int64_t *at, struct error *error)
{
	bool ok = true;

	if (work->now == 0 && work->quarantined_at == 0)
		ok = work_time(work, &work->quarantined_at, error);
	*at = work->now != 0 ? work->now : work->quarantined_at;
	return ok;
}

bool
work_quarantine(struct work *work, const struct record *record, const struct error *reason,
		const char *tenant, const char *request_id, struct error *error)
{
	struct quarantine quarantine = {
	    .record = record,
	    .chain = (uint32_t)record->partition % work->context->chains,
	    .reason = reason,
	    .tenant = tenant,
	    .request_id = request_id,
	    .source = work->context->source,
	};
	struct event event;

	assert(reason->code[0] != '\0');
	crypto_sha256(record->value, record->value_length, quarantine.digest);
	if (!time_of(work, &quarantine.at, error)
	    || !quarantine_event(work_scratch(work), &quarantine, &event, error))
		return error_wrap(error, "quarantine");
	work_event(work, &event);
	if (!insert_row(work, &quarantine, event.event_id.text, error)
	    || !insert_raw(work, &quarantine, event.event_id.text, error))
		return error_wrap(error, "quarantine");
	remember(work, &quarantine);
	return true;
}

void
work_committed(const struct work *work)
{
	for (const struct work_quarantined *one = work->quarantined; one; one = one->older) {
		monitor_add(work->context->monitor, "quarantined_total", one->code, 1);
		log_warn(work->context->log, "quarantined", log_text("topic", one->topic),
			 log_number("partition", one->partition), log_number("offset", one->offset),
			 log_text("code", one->code), log_text("field", one->field),
			 log_text("request_id", one->request_id));
	}
}
