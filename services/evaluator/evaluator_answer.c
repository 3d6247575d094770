/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator_answer.c - deciding the new requests, and all that must be stored and said about each record. */
#include "services/evaluator/evaluator.h"

/* ------------------------------------------------------------------ deciding */

/* What the policy does not know is not kept: from here on it is a request that could not be taken. */
static void
refuse_context(struct evaluator_item *item)
{
	item->fate = EVALUATOR_INVALID;
	item->refusal = *item->decision.refusal;
	evaluator_withhold(item);
}

/* In offset order: what one takes of a limit, the next one has less of. */
static void
decide_all(const struct evaluator *evaluator, struct work *work, struct limits *limits,
	   struct evaluator_item *items, size_t count)
{
	limits_begin(limits);
	for (size_t i = 0; i < count; i++) {
		struct evaluator_item *item = &items[i];

		if (item->fate != EVALUATOR_NEW)
			continue;
		word_decide(evaluator->snapshot, &item->about, item->request.deadline, work, limits,
			    &item->decision, &item->stored);
		if (item->decision.refusal && item->decided == 0)
			refuse_context(item);
		else if (evaluator_is_held(evaluator, work, item))
			continue;
		else if (item->decision.verdict == POLICY_ALLOW)
			limits_take(limits, item->about.tenant, item->about.request_id, &item->decision,
				    work->now + item->decision.valid_for);
		else if (item->decision.verdict == POLICY_REQUIRE_APPROVAL)
			limits_ask(limits, item->about.tenant, item->about.request_id, &item->decision);
	}
}

bool
evaluator_decide(struct evaluator *evaluator, struct work *work, struct limits *limits,
		 struct evaluator_item *items, size_t count, struct error *error)
{
	bool again = true, people = false;

	while (again) {
		decide_all(evaluator, work, limits, items, count);
		if (!limits_settle(limits, &again, error))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		people = people || evaluator_asks_people(&items[i]);
		if (items[i].fate == EVALUATOR_NEW)
			limits_note(limits, &items[i].decision);
	}
	if (people
	    && (!evaluator_look_for_people(work, items, count, error)
		|| !evaluator_stem(evaluator, work, items, count, error)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (evaluator_asks_people(&items[i])
		    && (evaluator_leads_nowhere(&items[i]) || items[i].flood_code))
			limits_drop(limits, items[i].about.tenant, items[i].about.request_id);
	return true;
}

/* ------------------------------------------------------------------ rows of requests */

static void
keep_request(struct evaluator_answers *answers, const struct evaluator_item *item)
{
	const struct request *request = &item->request;
	const struct record *record = item->record;
	bool valid = item->fate == EVALUATOR_NEW;

	sheet_add(&answers->requests, store_text(request->tenant), store_text(request->request_id),
		  store_int(work_chain(answers->work, request->key)), store_bool(valid),
		  store_text(item->about.agent_id), store_text(item->about.action),
		  store_text(item->about.target), store_text(valid ? request->context_json : NULL),
		  store_text(valid ? request->execution_json : NULL), store_time(valid ? request->deadline : 0),
		  store_text(item->about.on_behalf_of), store_text(valid ? request->parent_request_id : NULL),
		  store_text(item->about.reason), store_text(item->about.digest_text),
		  store_bytes(item->content_hash, CRYPTO_SHA256_SIZE), store_text(item->about.traceparent),
		  store_text(record->topic), store_int(record->partition), store_int(record->offset),
		  store_time(answers->work->now), store_time(valid ? request->issued_at : 0),
		  store_text(item->about.verified_kid), store_text(item->about.verified_owner));
}

static void
note_decision(struct evaluator_answers *answers, const struct evaluator_item *item,
	      const struct authorization *word)
{
	journal_count(answers->evaluator->journal, "decisions_total", word->decision);
	journal_note(answers->evaluator->journal, "decided", log_text("tenant", word->tenant),
		     log_text("request_id", word->request_id), log_text("decision", word->decision),
		     log_text("status", authorization_status_name(word->status)),
		     log_text("code", word->reason_code), log_text("policy", word->policy_id),
		     log_number("policy_version", word->policy_version),
		     log_number("offset", item->record ? item->record->offset : -1));
}

bool
evaluator_speak(struct evaluator_answers *answers, const struct evaluator_item *item,
		const struct authorization *word, struct error *error)
{
	note_decision(answers, item, word);
	return word_speak(&answers->words, word, error);
}

/* ------------------------------------------------------------------ ALLOW, BLOCK, nobody to ask, invalid */

static bool
grant(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	struct authorization word = word_make(answers->work, &item->about, &item->stored);

	word.status = AUTHORIZATION_GRANTED;
	word.not_before = answers->work->now;
	word.expires_at = answers->work->now + item->decision.valid_for;
	word.obligations = item->stored.obligations;
	return evaluator_speak(answers, item, &word, error);
}

static bool
deny(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	struct authorization word = word_make(answers->work, &item->about, &item->stored);

	word.status = AUTHORIZATION_DENIED;
	return evaluator_speak(answers, item, &word, error);
}

/* The decision stays what the policy said; it is the word that tells why it leads nowhere. */
static bool
deny_unasked(struct evaluator_answers *answers, const struct evaluator_item *item, const char *code,
	     const char *text, struct error *error)
{
	struct authorization word = word_make(answers->work, &item->about, &item->stored);

	word.status = AUTHORIZATION_DENIED;
	word.reason_code = code;
	word.reason_text = text;
	word.duplicate_of = item->duplicate_of;
	return evaluator_speak(answers, item, &word, error);
}

static bool
deny_without_people(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	return deny_unasked(
	    answers, item, "no_eligible_approver",
	    "Too few people could approve this: the groups that must be asked, without those who "
	    "may not answer it, are smaller than what is asked of them.",
	    error);
}

static bool
deny_invalid(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	const struct error *refusal = &item->refusal;
	struct word_decision decision = {
	    .verdict = policy_verdict_name(POLICY_BLOCK),
	    .reason_code = "invalid_request",
	    .reason_text = arena_format(answers->arena, "%s%s%s: %s", refusal->field,
					refusal->field[0] ? ": " : "", refusal->code, refusal->text),
	    .policy_id = item->stored.policy_id, /* the one whose inputs refused it */
	    .policy_digest = item->stored.policy_digest,
	    .policy_version = item->stored.policy_version,
	    .layers = item->stored.layers,
	    .generation = snapshot_generation(answers->evaluator->snapshot),
	};
	struct authorization word = word_make(answers->work, &item->about, &decision);

	word.status = AUTHORIZATION_DENIED;
	keep_request(answers, item);
	word_decided(&answers->words, &item->about, 0, &decision);
	return evaluator_speak(answers, item, &word, error)
	       && work_quarantine(answers->work, item->record, refusal, item->about.tenant,
				  item->about.request_id, error);
}

/* ------------------------------------------------------------------ every record */

static bool
answer_decided(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	if (item->decided == 0)
		keep_request(answers, item);
	if (item->hold || item->is_over)
		return evaluator_answer_held(answers, item, error);
	word_decided(&answers->words, &item->about, item->decided, &item->stored);
	if (item->decided > 0)
		evaluator_release(answers, item);
	switch (item->decision.verdict) {
	case POLICY_ALLOW:
		return grant(answers, item, error);
	case POLICY_REQUIRE_APPROVAL:
		if (evaluator_leads_nowhere(item))
			return deny_without_people(answers, item, error);
		if (item->flood_code)
			return deny_unasked(answers, item, item->flood_code, item->flood_text, error);
		return evaluator_ask_people(answers, item, error);
	case POLICY_BLOCK:
		break;
	}
	return deny(answers, item, error);
}

static bool
refuse(struct evaluator_answers *answers, const struct evaluator_item *item, const struct error *reason,
       struct error *error)
{
	journal_count(answers->evaluator->journal, "requests_refused_total", reason->code);
	return work_quarantine(answers->work, item->record, reason, item->about.tenant,
			       item->about.request_id, error);
}

static bool
refuse_conflict(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	struct error reason = {0};

	error_set_field(&reason, ERROR_INVALID, "id_conflict", "request_id",
			"this request_id was taken before, with other content");
	return refuse(answers, item, &reason, error);
}

static bool
answer(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	switch (item->fate) {
	case EVALUATOR_NEW:
		return answer_decided(answers, item, error);
	case EVALUATOR_INVALID:
		journal_count(answers->evaluator->journal, "requests_refused_total", item->refusal.code);
		return deny_invalid(answers, item, error);
	case EVALUATOR_CONFLICTING:
		return refuse_conflict(answers, item, error);
	case EVALUATOR_UNREADABLE:
		return refuse(answers, item, &item->refusal, error);
	case EVALUATOR_REPEATED:
		break;
	}
	journal_count(answers->evaluator->journal, "requests_repeated_total", "");
	return true;
}

static struct evaluator_answers
open_sheets(struct evaluator *evaluator, struct work *work)
{
	struct arena *arena = evaluator->rows;

	arena_reset(arena);
	return (struct evaluator_answers){
	    .evaluator = evaluator,
	    .work = work,
	    .arena = arena,
	    .requests = sheet_open(arena, STATEMENT_EVALUATOR_REQUEST, "ttnntttttnttttbttnnnntt"),
	    .approvals = sheet_open(arena, STATEMENT_APPROVALS_OPEN, "utttttnnnnnnnnnn"),
	    .lines = sheet_open(arena, STATEMENT_FLOOD_KEEP, "ttutt"),
	    .held = sheet_open(arena, STATEMENT_HELD_KEEP, "ttnnn"),
	    .released = sheet_open(arena, STATEMENT_HELD_RELEASE, "ttnn"),
	    .asked = asking_sheets_open(arena),
	    .words = words_open(work, arena),
	};
}

static bool
send(const struct evaluator_answers *answers, struct error *error)
{
	struct store *store = answers->work->store;

	return sheet_send(&answers->requests, store, error) && sheet_send(&answers->held, store, error)
	       && sheet_send(&answers->released, store, error)
	       && sheet_send(&answers->approvals, store, error) && sheet_send(&answers->lines, store, error)
	       && asking_sheets_send(&answers->asked, store, error) && words_send(&answers->words, error);
}

/* So many records are sent to the database together: while it stores them, the next ones are signed. */
enum { PORTION = 64 };

static bool
answer_portion(struct evaluator *evaluator, struct work *work, const struct evaluator_item *items,
	       size_t count, struct error *error)
{
	struct evaluator_answers answers = open_sheets(evaluator, work);

	for (size_t i = 0; i < count; i++)
		if (!answer(&answers, &items[i], error))
			return false;
	return send(&answers, error);
}

bool
evaluator_answer(struct evaluator *evaluator, struct work *work, const struct evaluator_item *items,
		 size_t count, struct error *error)
{
	for (size_t done = 0; done < count; done += PORTION)
		if (!answer_portion(evaluator, work, items + done,
				    count - done < PORTION ? count - done : PORTION, error))
			return false;
	return true;
}
