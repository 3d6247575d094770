/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_record.c - each outcome in turn: kept with its judgement, shelved, or refused; incidents beside it. */
#include "services/recorder/recorder.h"

#include "common/jws/jws.h"
#include "common/message/authorization.h"
#include "common/message/json.h"
#include "common/message/report.h"
#include "common/message/request.h"

#include <string.h>

/* The sheets of one transaction. */
struct records {
	struct recorder *recorder;
	struct work *work;
	struct recorder_intake *intake;
	struct sheet outcomes, incidents;
	struct shelf_item *waiting;
	size_t waiting_count;
};

/* ------------------------------------------------------------------ incidents */

struct sheet
recorder_incidents_open(struct work *work)
{
	return sheet_open(work->arena, STATEMENT_RECORDER_INCIDENT, "uttttttn");
}

bool
recorder_report(struct recorder *recorder, struct work *work, struct sheet *incidents,
		const struct recorder_incident *incident, struct error *error)
{
	const char *key = request_key(work->arena, incident->tenant, incident->request_id);
	const struct incident said = {
	    .tenant = incident->tenant,
	    .request_id = incident->request_id,
	    .key = key,
	    .chain = work_chain(work, key),
	    .kind = incident->kind,
	    .severity = incident->severity,
	    .text = incident->text,
	    .discriminator = incident->discriminator,
	    .evidence = incident->evidence,
	    .evidence_count = incident->evidence_count,
	    .at = work->now,
	    .traceparent = incident->traceparent,
	    .source = work->context->source,
	};
	struct event event;

	if (!incident_event(work_scratch(work), &said, &event, error))
		return false;
	work_event(work, &event);
	sheet_add(incidents, store_uuid(arena_string(work->arena, event.event_id.text)),
		  store_text(incident->tenant), store_text(incident->request_id), store_text(incident->kind),
		  store_text(incident->severity), store_text(incident->text),
		  sheet_list(work->arena, incident->evidence, incident->evidence_count), store_time(work->now));
	journal_count(recorder->journal, "incidents_total", incident->kind);
	journal_warn(recorder->journal, "incident", log_text("tenant", incident->tenant),
		     log_text("request_id", incident->request_id), log_text("kind", incident->kind),
		     log_text("severity", incident->severity), log_text("incident_id", event.event_id.text));
	return true;
}

static const char *
text_of(struct arena *arena, const struct recorder_item *item, enum recorder_judgement judgement)
{
	const struct recorder_facts *facts = &item->request->facts;
	const char *why = "";

	if (judgement == RECORDER_WITHOUT_AUTHORIZATION)
		why = !facts->known    ? " There is no such request."
		      : !facts->status ? " There is no final word yet."
				       : " It names another authorization than the one that was given.";
	return arena_format(arena, "%s%s Reported as %s by %s.", recorder_judgement_text(judgement), why,
			    outcome_status_name(item->outcome.status), item->outcome.reported_by);
}

static bool
report(struct records *records, const struct recorder_item *item, enum recorder_judgement judgement,
       struct error *error)
{
	const struct recorder_request *request = item->request;
	const char *evidence[RECORDER_EVIDENCE_MAX + 2];
	struct recorder_incident incident = {
	    .tenant = item->outcome.tenant,
	    .request_id = item->outcome.request_id,
	    .kind = recorder_judgement_name(judgement),
	    .severity = recorder_judgement_severity(judgement),
	    .text = text_of(records->work->arena, item, judgement),
	    .discriminator = item->outcome.outcome_id,
	    .evidence = evidence,
	    .traceparent = item->outcome.traceparent,
	};

	evidence[incident.evidence_count++] = item->outcome.outcome_id;
	if (request->facts.event_id)
		evidence[incident.evidence_count++] = request->facts.event_id;
	for (size_t i = 0; judgement == RECORDER_TWICE && i < request->earlier_count; i++)
		evidence[incident.evidence_count++] = request->earlier[i];
	return recorder_report(records->recorder, records->work, &records->incidents, &incident, error);
}

/* ------------------------------------------------------------------ outcomes */

/* The event id that is named: as such, or as the jti of a token. NULL: nothing that could be one. */
static const char *
named_authorization(struct arena *arena, const struct recorder_item *item)
{
	const char *named = item->outcome.authorization;
	const struct recorder_facts *facts = &item->request->facts;
	struct error ignored = {0};
	struct jws jws;

	if (!named || (facts->token && strcmp(named, facts->token) == 0))
		return named ? facts->event_id : NULL;
	if (!jws_parse(arena, named, strlen(named), AUTHORIZATION_TYP, false, &jws, &ignored))
		return strlen(named) < ID_TEXT_SIZE ? named : NULL;

	const struct value *claims =
	    json_parse(arena, jws.payload, jws.payload_length, &json_limits_request, &ignored);

	return value_get_string(claims, "jti");
}

static void
keep(struct records *records, const struct recorder_item *item, enum recorder_judgement judgement)
{
	const struct outcome *outcome = &item->outcome;
	const struct record *record = item->record;
	struct arena *arena = records->work->arena;
	char *digest = arena_take(arena, CRYPTO_DIGEST_TEXT_SIZE);
	struct journal *journal = records->recorder->journal;

	crypto_digest_text(outcome->request_digest, digest);
	sheet_add(&records->outcomes, store_text(outcome->tenant), store_text(outcome->outcome_id),
		  store_text(outcome->request_id), store_text(outcome_status_name(outcome->status)),
		  store_text(digest), store_text(outcome->reported_by), store_time(outcome->occurred_at),
		  store_text(named_authorization(arena, item)), store_text(outcome->code),
		  store_text(outcome->detail), store_uuid(item->request->facts.event_id),
		  store_text(recorder_judgement_name(judgement)),
		  store_bytes(outcome->content_hash, CRYPTO_SHA256_SIZE), store_time(records->work->now),
		  store_text(record->topic), store_int(record->partition), store_int(record->offset),
		  store_time(outcome->issued_at), store_text(item->key ? item->key->kid : NULL),
		  store_text(item->key ? item->key->owner : NULL));
	known_add(records->intake->known, outcome->tenant, outcome->outcome_id, outcome->content_hash);
	journal_count(journal, "outcomes_total", outcome_status_name(outcome->status));
	journal_note(journal, "outcome", log_text("tenant", outcome->tenant),
		     log_text("request_id", outcome->request_id), log_text("outcome_id", outcome->outcome_id),
		     log_text("status", outcome_status_name(outcome->status)),
		     log_text("judgement", recorder_judgement_name(judgement)),
		     log_text("reported_by", outcome->reported_by), log_number("offset", record->offset));
}

static int64_t
reached_us_at(const struct records *records, const struct recorder_item *item)
{
	return item->record->timestamp_is_append ? item->record->timestamp : records->work->now;
}

/* What comes of an execution that failed and nobody disputes is nothing; who disputes it is heard without a signature. */
static void
count(struct records *records, const struct recorder_item *item, enum recorder_judgement judgement)
{
	const struct recorder_request *request = item->request;
	struct limits *limits = records->intake->limits;

	limits_execute(limits, request->tenant, request->request_id);
	if (judgement != RECORDER_AUTHORIZED)
		limits_retake(limits, request->tenant, request->request_id);
	else if (item->key && recorder_gives_back(&request->facts, &item->outcome, judgement))
		limits_release(limits, request->tenant, request->request_id);
}

static bool
judge(struct records *records, struct recorder_item *item, struct error *error)
{
	struct recorder_request *request = item->request;
	enum recorder_judgement judgement =
	    recorder_judge(&request->facts, &item->outcome, reached_us_at(records, item));
	bool ok = judgement == RECORDER_AUTHORIZED || report(records, item, judgement, error);

	keep(records, item, judgement);
	count(records, item, judgement);
	recorder_remember(&request->facts, &item->outcome, judgement);
	if (request->earlier_count < RECORDER_EVIDENCE_MAX)
		request->earlier[request->earlier_count++] = item->outcome.outcome_id;
	return ok;
}

/* ------------------------------------------------------------------ every record */

static bool
refuse(struct records *records, const struct recorder_item *item, const struct error *reason,
       struct error *error)
{
	journal_count(records->recorder->journal, "outcomes_refused_total", reason->code);
	return work_quarantine(records->work, item->record, reason, item->outcome.tenant,
			       item->outcome.request_id, error);
}

static bool
record_known(struct records *records, const struct recorder_item *item, const uint8_t *before,
	     struct error *error)
{
	struct error reason = {0};

	if (memcmp(before, item->outcome.content_hash, CRYPTO_SHA256_SIZE) == 0) {
		journal_count(records->recorder->journal, "outcomes_repeated_total", "");
		return true;
	}
	error_set_field(&reason, ERROR_INVALID, "id_conflict", "outcome_id",
			"this outcome_id was taken before, with other content");
	return refuse(records, item, &reason, error);
}

static bool
record_one(struct records *records, struct recorder_item *item, struct error *error)
{
	if (item->refusal.kind != ERROR_NONE)
		return refuse(records, item, &item->refusal, error);

	const uint8_t *before =
	    known_find(records->intake->known, item->outcome.tenant, item->outcome.outcome_id);

	if (before)
		return record_known(records, item, before, error);
	if (!recorder_check_fresh(item, records->work->now, &item->refusal))
		return refuse(records, item, &item->refusal, error);
	if (item->request->facts.known || item->given_up)
		return judge(records, item, error);
	records->waiting[records->waiting_count++] = (struct shelf_item){
	    .record = item->record, .tenant = item->outcome.tenant, .request_id = item->outcome.request_id};
	return true;
}

static bool
refuse_full(struct records *records, const struct shelf_item *item, struct error *error)
{
	struct error reason = {0};

	error_set_field(&reason, ERROR_INVALID, "shelf_full", "request_id",
			"too many outcomes wait for this request, or at all");
	journal_count(records->recorder->journal, "outcomes_refused_total", reason.code);
	return work_quarantine(records->work, item->record, &reason, item->tenant, item->request_id, error);
}

static bool
shelve(struct records *records, struct error *error)
{
	if (!shelf_put(records->work, records->waiting, records->waiting_count, error))
		return false;
	for (size_t i = 0; i < records->waiting_count; i++) {
		if (records->waiting[i].full && !refuse_full(records, &records->waiting[i], error))
			return false;
		if (!records->waiting[i].full)
			journal_count(records->recorder->journal, "shelved_total", "");
	}
	return true;
}

bool
recorder_record(struct recorder *recorder, struct work *work, struct recorder_intake *intake,
		struct error *error)
{
	struct records records = {
	    .recorder = recorder,
	    .work = work,
	    .intake = intake,
	    .outcomes = sheet_open(work->arena, STATEMENT_RECORDER_OUTCOME, "ttttttntttutbntnnntt"),
	    .incidents = recorder_incidents_open(work),
	    .waiting = arena_take_array(work->arena, intake->count, sizeof *records.waiting),
	};

	for (size_t i = 0; i < intake->count; i++)
		if (!record_one(&records, &intake->items[i], error))
			return false;
	return shelve(&records, error) && sheet_send(&records.outcomes, work->store, error)
	       && sheet_send(&records.incidents, work->store, error);
}
