/* SPDX-License-Identifier: Apache-2.0 */
/* resolver_apply.c - each response in turn: refused, kept waiting, or given to the approval as an event. */
#include "services/resolver/resolver.h"

#include <string.h>

struct resolver_effects
resolver_effects_open(struct resolver *resolver, struct work *work, size_t items)
{
	return (struct resolver_effects){
	    .resolver = resolver,
	    .work = work,
	    .responses = sheet_open(work->arena, STATEMENT_RESOLVER_RESPONSE, "ttttuttttttnnbttnn"),
	    .taken = sheet_open(work->arena, STATEMENT_RESOLVER_TAKE, "unn"),
	    .opened_reviews = sheet_open(work->arena, STATEMENT_RESOLVER_REVIEW, "uttttn"),
	    .closed_reviews = sheet_open(work->arena, STATEMENT_RESOLVER_REVIEWED, "uttn"),
	    .asked = asking_sheets_open(work->arena),
	    .words = words_open(work, work->arena),
	    .limits = limits_open(work, resolver->journal),
	    .waiting = arena_take_array(work->arena, items, sizeof(struct shelf_item)),
	};
}

bool
resolver_effects_send(struct resolver_effects *effects, const struct resolver_approvals *approvals,
		      struct error *error)
{
	struct store *store = effects->work->store;

	return limits_send(effects->limits, error) && sheet_send(&effects->responses, store, error)
	       && sheet_send(&effects->taken, store, error)
	       && sheet_send(&effects->opened_reviews, store, error)
	       && sheet_send(&effects->closed_reviews, store, error)
	       && asking_sheets_send(&effects->asked, store, error) && words_send(&effects->words, error)
	       && resolver_save(effects->work, approvals, error);
}

/* ------------------------------------------------------------------ rows of responses */

static struct store_param
bits(struct arena *arena, uint32_t set)
{
	const char *numbers[APPROVAL_ASKS_MAX];
	size_t count = 0;

	for (unsigned i = 0; i < APPROVAL_ASKS_MAX; i++)
		if (set & (UINT32_C(1) << i))
			numbers[count++] = arena_format(arena, "%u", i);
	return sheet_list(arena, numbers, count);
}

static void
keep(struct resolver_effects *effects, struct resolver_intake *intake, const struct resolver_item *item,
     const char *result, uint32_t counted_for)
{
	const struct response *response = &item->response;
	struct arena *arena = effects->work->arena;
	char *digest = arena_take(arena, CRYPTO_DIGEST_TEXT_SIZE);
	struct journal *journal = effects->resolver->journal;

	crypto_digest_text(response->request_digest, digest);
	sheet_add(&effects->responses, store_text(response->signature.header.kid),
		  store_text(response->response_id), store_text(response->tenant),
		  store_text(item->request_id), store_uuid(item->approval_id),
		  store_text(response->responder), store_text(response_verdict_name(response->verdict)),
		  store_text(result), bits(arena, counted_for), store_text(response->reason),
		  store_text(digest), store_time(response->issued_at), store_time(effects->work->now),
		  store_bytes(response->value, response->value_length), store_text(response->signature_text),
		  store_text(item->record->topic), store_int(item->record->partition),
		  store_int(item->record->offset));
	known_add(intake->known, response->signature.header.kid, response->response_id, item->value_hash);
	journal_count(journal, "responses_total", result);
	journal_note(journal, "response", log_text("tenant", response->tenant),
		     log_text("request_id", item->request_id), log_text("approval_id", item->approval_id),
		     log_text("response_id", response->response_id), log_text("responder", response->responder),
		     log_text("verdict", response_verdict_name(response->verdict)),
		     log_text("result", result), log_number("offset", item->record->offset));
}

/* ------------------------------------------------------------------ refusals */

/* Nobody's answer: it goes where operators look, and leaves no trace in what was decided. */
static bool
quarantine(struct resolver_effects *effects, const struct resolver_item *item, const struct error *reason,
	   struct error *error)
{
	journal_count(effects->resolver->journal, "responses_refused_total", reason->code);
	return work_quarantine(effects->work, item->record, reason, item->response.tenant, item->request_id,
			       error);
}

static bool
quarantine_as(struct resolver_effects *effects, const struct resolver_item *item, const char *code,
	      const char *field, const char *text, struct error *error)
{
	struct error reason = {0};

	error_set_field(&reason, ERROR_INVALID, code, field, "%s", text);
	return quarantine(effects, item, &reason, error);
}

/* A known person's answer that does not count: he is told. */
static bool
refuse(struct resolver_effects *effects, struct resolver_intake *intake, const struct resolver_item *item,
       const char *code, struct error *error)
{
	keep(effects, intake, item, code, 0);
	journal_count(effects->resolver->journal, "responses_refused_total", code);
	return !item->approval || resolver_announce_refusal(effects, item->approval, item, code, error);
}

static bool
is_fresh(const struct resolver_item *item, int64_t now)
{
	const struct response *response = &item->response;

	return item->from_shelf || keyring_is_fresh(response->issued_at, response->appended_at, now);
}

/* ------------------------------------------------------------------ votes */

static bool
is_requester(const struct resolver_approval *approval, const char *responder)
{
	const char *const persons[] = {approval->about.agent_id, approval->owner,
				       approval->about.on_behalf_of, approval->about.verified_owner};

	for (size_t i = 0; i < sizeof persons / sizeof *persons; i++)
		if (persons[i] && strcmp(persons[i], responder) == 0)
			return true;
	return false;
}

/* Asks that this transaction has added were not asked about with the others. */
static bool
look_at_new_asks(struct resolver_effects *effects, struct resolver_item *item, struct error *error)
{
	const struct resolver_approval *approval = item->approval;
	struct sheet asked = resolver_membership(effects->work);

	for (unsigned i = approval->loaded_asks; i < approval->now.ask_count; i++)
		sheet_add(&asked, store_text(item->response.tenant), store_text(approval->asking.groups[i]),
			  store_text(item->response.responder));
	if (asked.count == 0)
		return true;

	struct store_rows *rows = sheet_query(&asked, effects->work->store, error);

	for (size_t row = 0; rows && row < store_rows_count(rows); row++)
		if (store_row_bool(rows, row, 0))
			item->eligible |= UINT32_C(1) << (approval->loaded_asks + row);
	return rows != NULL;
}

static enum approval_event_kind
kind_of(enum response_verdict verdict)
{
	switch (verdict) {
	case RESPONSE_APPROVE:
		return APPROVAL_APPROVE_GIVEN;
	case RESPONSE_DENY:
		return APPROVAL_DENY_GIVEN;
	case RESPONSE_RECUSE:
		return APPROVAL_RECUSE_GIVEN;
	case RESPONSE_EXTEND:
		return APPROVAL_EXTEND_GIVEN;
	case RESPONSE_WITHDRAW:
		return APPROVAL_WITHDRAW_GIVEN;
	case RESPONSE_REVOKE:
		return APPROVAL_REVOKE_GIVEN;
	case RESPONSE_OVERRIDE:
		return APPROVAL_OVERRIDE_GIVEN;
	case RESPONSE_REVIEW:
		return APPROVAL_REVIEW_GIVEN;
	case RESPONSE_COMMENT:
		break;
	}
	return APPROVAL_COMMENT_GIVEN;
}

/* The agent speaks for itself, by a key that may speak as it: it does not answer for anybody. */
static bool
is_by_the_agent(const struct resolver_item *item)
{
	const char *agent_id = item->approval->about.agent_id;

	return strcmp(item->response.responder, agent_id) == 0 && keyring_speaks_as(item->key, agent_id);
}

static struct approval_event
event_of(const struct resolver_item *item, int64_t now)
{
	const struct resolver_approval *approval = item->approval;
	char digest[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_digest_text(item->response.request_digest, digest);
	return (struct approval_event){
	    .kind = kind_of(item->response.verdict),
	    .now = now,
	    .voter = resolver_voter(approval, item->response.responder),
	    .eligible = item->eligible,
	    .overrides = item->overrides,
	    .responder_is_requester = is_requester(approval, item->response.responder),
	    .requester_verified = is_by_the_agent(item),
	    .is_operator = item->is_operator,
	    .digest_matches = strcmp(digest, approval->about.digest_text) == 0,
	    .deadline = item->response.deadline,
	    .has_reason = item->response.reason && *item->response.reason,
	};
}

static bool
vote(struct resolver_effects *effects, struct resolver_intake *intake, struct resolver_item *item,
     struct error *error)
{
	if (!look_at_new_asks(effects, item, error) || !resolver_look_at_overrides(effects, item, error))
		return false;

	struct approval_event event = event_of(item, effects->work->now);
	struct approval_step step = approval_step(item->approval->now, event);

	if (step.next.voter_count > event.voter)
		item->approval->persons[event.voter] = item->response.responder;
	if (!resolver_perform(effects, item->approval, &step, item, error))
		return false;
	if (step.verdict == APPROVAL_REFUSED)
		return refuse(effects, intake, item, approval_refusal_code(step.refusal), error);
	if (step.effects & APPROVAL_EFFECT_OVERRIDE && item->approval->now.state == APPROVAL_PENDING)
		return refuse(effects, intake, item, item->approval->not_overridden, error);
	keep(effects, intake, item, step.verdict == APPROVAL_TAKEN ? "counted" : "repeated", step.counted);
	return true;
}

bool
resolver_apply_deadline(struct resolver_effects *effects, struct resolver_approval *approval,
			struct error *error)
{
	struct approval_event event = {.kind = APPROVAL_TIME_CHECK, .now = effects->work->now};
	struct approval_step step = approval_step(approval->now, event);

	/* also when nothing comes of it, as where a voter left the group: else it would be due for ever, before all others */
	approval->touched = true;
	return resolver_perform(effects, approval, &step, NULL, error);
}

/* ------------------------------------------------------------------ every response */

static bool
apply_known(struct resolver_effects *effects, const struct resolver_item *item, const uint8_t *before,
	    struct error *error)
{
	if (memcmp(before, item->value_hash, CRYPTO_SHA256_SIZE) != 0)
		return quarantine_as(effects, item, "id_conflict", "response_id",
				     "this response_id was used before by the same key, with other content",
				     error);
	journal_count(effects->resolver->journal, "responses_repeated_total", "");
	return true;
}

static void
wait(struct resolver_effects *effects, const struct resolver_item *item)
{
	effects->waiting[effects->waiting_count] = (struct shelf_item){
	    .record = item->record,
	    .tenant = item->response.tenant,
	    .request_id = item->request_id,
	};
	effects->waiting_count++;
}

static bool
apply(struct resolver_effects *effects, struct resolver_intake *intake, struct resolver_item *item,
      struct error *error)
{
	if (item->refusal.kind != ERROR_NONE)
		return quarantine(effects, item, &item->refusal, error);

	const uint8_t *before =
	    known_find(intake->known, item->response.signature.header.kid, item->response.response_id);

	if (before)
		return apply_known(effects, item, before, error);
	if (!item->request_id)
		return quarantine_as(effects, item, "no_approval", "approval_id", "there is no such approval",
				     error);
	if (!item->key->answers && item->response.verdict != RESPONSE_WITHDRAW)
		return refuse(effects, intake, item, "responder_not_key_owner", error);
	if (!is_fresh(item, effects->work->now))
		return refuse(effects, intake, item, "stale", error);
	if (!item->request_known) {
		wait(effects, item);
		return true;
	}
	if (!item->approval)
		return refuse(effects, intake, item, "no_approval", error);
	return vote(effects, intake, item, error);
}

static bool
refuse_full(struct resolver_effects *effects, const struct shelf_item *item, struct error *error)
{
	struct error reason = {0};

	error_set_field(&reason, ERROR_INVALID, "shelf_full", "request_id",
			"too many responses wait for this request, or at all");
	journal_count(effects->resolver->journal, "responses_refused_total", reason.code);
	return work_quarantine(effects->work, item->record, &reason, item->tenant, item->request_id, error);
}

static bool
shelve(struct resolver_effects *effects, struct error *error)
{
	if (!shelf_put(effects->work, effects->waiting, effects->waiting_count, error))
		return false;
	for (size_t i = 0; i < effects->waiting_count; i++) {
		if (effects->waiting[i].full && !refuse_full(effects, &effects->waiting[i], error))
			return false;
		if (!effects->waiting[i].full)
			journal_count(effects->resolver->journal, "shelved_total", "");
	}
	return true;
}

bool
resolver_apply(struct resolver_effects *effects, struct resolver_intake *intake, struct error *error)
{
	for (size_t i = 0; i < intake->count; i++)
		if (!apply(effects, intake, &intake->items[i], error))
			return false;
	return shelve(effects, error);
}
