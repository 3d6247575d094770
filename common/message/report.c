/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - incidents, quarantined records, checkpoints and changes of the directory as events. */
#include "common/message/report.h"
#include "common/message/body.h"

#include <assert.h>
#include <inttypes.h>

bool
incident_event(struct arena *arena, const struct incident *incident, struct event *event, struct error *error)
{
	assert(incident->tenant && incident->request_id && incident->key && incident->kind
	       && incident->discriminator);

	struct value *body = value_map(arena);
	const char *kind = arena_format(arena, "incident.%s.%s", incident->kind, incident->discriminator);
	struct event_parts parts = {
	    .event_id = id_event(incident->tenant, incident->request_id, kind, 0),
	    .chain = incident->chain,
	    .topic = TOPIC_INCIDENTS,
	    .key = incident->key,
	    .type = arena_format(arena, "countersign.incident.%s.v1", incident->kind),
	    .subject = incident->request_id,
	    .source = incident->source,
	    .traceparent = incident->traceparent,
	    .time = incident->at,
	    .body = body,
	};

	value_set_string(arena, body, "event_id", parts.event_id.text);
	value_set_string(arena, body, "kind", incident->kind);
	value_set_string(arena, body, "severity", incident->severity);
	value_set_string(arena, body, "tenant", incident->tenant);
	value_set_string(arena, body, "request_id", incident->request_id);
	value_set_string(arena, body, "text", incident->text);
	body_set_strings(arena, body, "evidence", incident->evidence, incident->evidence_count);
	body_set_time(arena, body, "at", incident->at);
	return event_make(arena, &parts, event, error);
}

void
quarantine_digest(const struct record *record, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	crypto_sha256(record->value ? record->value : "", record->value ? record->value_length : 0, digest);
}

static struct value *
origin_of(struct arena *arena, const struct record *record)
{
	struct value *origin = value_map(arena);

	value_set_string(arena, origin, "topic", record->topic);
	value_set(arena, origin, "partition", value_int(arena, record->partition));
	value_set(arena, origin, "offset", value_int(arena, record->offset));
	return origin;
}

static struct value *
reason_of(struct arena *arena, const struct error *error)
{
	struct value *reason = value_map(arena);

	value_set_string(arena, reason, "code", error->code);
	value_set_string(arena, reason, "field", error->field[0] ? error->field : NULL);
	value_set_string(arena, reason, "text", error->text);
	return reason;
}

static struct value *
quarantine_body(struct arena *arena, const struct quarantine *quarantine, const struct id *event_id)
{
	const struct record *record = quarantine->record;
	struct value *body = value_map(arena);
	char digest[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_digest_text(quarantine->digest, digest);
	value_set_string(arena, body, "event_id", event_id->text);
	value_set(arena, body, "origin", origin_of(arena, record));
	value_set(arena, body, "reason", reason_of(arena, quarantine->reason));
	value_set_string(arena, body, "digest", digest);
	value_set(arena, body, "size", value_int(arena, record->value ? (int64_t)record->value_length : 0));
	value_set_string(arena, body, "tenant", quarantine->tenant);
	value_set_string(arena, body, "request_id", quarantine->request_id);
	body_set_time(arena, body, "at", quarantine->at);
	return body;
}

bool
quarantine_event(struct arena *arena, const struct quarantine *quarantine, struct event *event,
		 struct error *error)
{
	const struct record *record = quarantine->record;
	const char *key =
	    arena_format(arena, "%s/%" PRId32 "/%" PRId64, record->topic, record->partition, record->offset);
	struct id event_id = id_event("", key, "quarantine", 0);
	struct event_parts parts = {
	    .event_id = event_id,
	    .chain = quarantine->chain,
	    .topic = TOPIC_QUARANTINE,
	    .key = key,
	    .type = "countersign.quarantine.added.v1",
	    .subject = quarantine->request_id,
	    .source = quarantine->source,
	    .time = quarantine->at,
	    .body = quarantine_body(arena, quarantine, &event_id),
	};

	return event_make(arena, &parts, event, error);
}

static struct value *
checkpoint_claims(struct arena *arena, const struct checkpoint *checkpoint)
{
	struct value *claims = value_map(arena);
	char hash[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_digest_text(checkpoint->hash, hash);
	value_set(arena, claims, "chain", value_int(arena, checkpoint->chain));
	value_set(arena, claims, "sequence", value_int(arena, checkpoint->sequence));
	value_set_string(arena, claims, "hash", hash);
	body_set_time(arena, claims, "at", checkpoint->at);
	return claims;
}

bool
checkpoint_event(struct arena *arena, const struct crypto_key *key, const struct checkpoint *checkpoint,
		 struct event *event, const char **token, struct error *error)
{
	struct value *body = checkpoint_claims(arena, checkpoint);
	const char *chain = arena_format(arena, "%" PRIu32, checkpoint->chain);

	*token = body_sign(arena, key, CHECKPOINT_TYP, body, error);
	if (!*token)
		return false;
	value_set_string(arena, body, "token", *token);

	struct event_parts parts = {
	    .event_id = id_event("", chain, "checkpoint", checkpoint->sequence),
	    .chain = checkpoint->chain,
	    .topic = TOPIC_CHECKPOINTS,
	    .key = chain,
	    .type = "countersign.checkpoint.signed.v1",
	    .source = checkpoint->source,
	    .time = checkpoint->at,
	    .body = body,
	};

	return event_make(arena, &parts, event, error);
}

bool
directory_event(struct arena *arena, const struct directory_event *change, struct event *event,
		struct error *error)
{
	struct value *body = value_map(arena), *by = value_map(arena);
	struct event_parts parts = {
	    .event_id = id_event(change->tenant, "", "directory", change->number),
	    .chain = change->chain,
	    .topic = TOPIC_DIRECTORY,
	    .key = change->tenant,
	    .type = "countersign.directory.changed.v1",
	    .source = change->source,
	    .time = change->at,
	    .body = body,
	};

	value_set_string(arena, body, "event_id", parts.event_id.text);
	value_set_string(arena, body, "tenant", change->tenant);
	value_set(arena, body, "number", value_int(arena, change->number));
	body_set_time(arena, body, "at", change->at);
	value_set_string(arena, by, "role", change->role);
	value_set_string(arena, by, "user", change->user);
	value_set(arena, body, "by", by);
	value_set_string(arena, body, "relation", change->relation);
	value_set_string(arena, body, "operation", change->operation);
	if (change->old_row)
		value_set(arena, body, "before", change->old_row);
	if (change->new_row)
		value_set(arena, body, "after", change->new_row);
	return event_make(arena, &parts, event, error);
}
