/* SPDX-License-Identifier: Apache-2.0 */
/* word.c - from a decision to the row that keeps it and the event that says it. */
#include "common/word/word.h"
#include "common/canonical/canonical.h"
#include "common/clock/clock.h"
#include "common/policy/policy_explain.h"

#include <string.h>

struct words
words_open(struct work *work, struct arena *arena)
{
	return (struct words){
	    .work = work,
	    .arena = arena,
	    .decisions = sheet_open(arena, STATEMENT_WORD_DECISION, "ttnttttttntntntttt"),
	    .spoken = sheet_open(arena, STATEMENT_WORD_SPOKEN, "tttutttutnnnt"),
	};
}

static bool
is_over(void *started)
{
	return clock_computing() - *(const int64_t *)started > WORD_DECIDING_MAX;
}

/* NULL when it can't be written, which takes nothing from the decision. */
static const char *
text_of(const struct value *value, struct arena *arena)
{
	struct buffer text = {.arena = arena};
	struct error unused = {0};

	return value && canonical_format(&text, value, &unused) ? text.bytes : NULL;
}

static const struct value *
layers_of(const struct snapshot_layers *layers, struct arena *arena)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < layers->count; i++) {
		struct value *one = value_map(arena);

		value_set_string(arena, one, "id", layers->items[i]->policy_id);
		value_set(arena, one, "version", value_int(arena, layers->items[i]->version));
		value_set_string(arena, one, "digest", layers->items[i]->digest);
		value_append(arena, list, one);
	}
	return list;
}

/* ------------------------------------------------------------------ shadows */

static bool
is_over_for_shadows(void *started)
{
	return clock_computing() - *(const int64_t *)started > WORD_SHADOWS_MAX;
}

static bool
is_asked_alike(const struct policy_decision *left, const struct policy_decision *right)
{
	bool same = left->requirement_count == right->requirement_count;

	for (size_t i = 0; same && i < left->requirement_count; i++)
		same = policy_profile_equal(left->requirements[i].terms, right->requirements[i].terms);
	return same;
}

static void
set_shadow_decision(struct value *map, const struct policy_decision *real,
		    const struct policy_decision *shadow, struct arena *arena)
{
	struct value *rules = value_list(arena);

	for (size_t i = 0; i < shadow->rule_count; i++)
		value_append(arena, rules, value_string(arena, shadow->rules[i]));
	value_set_string(arena, map, "decision", policy_verdict_name(shadow->verdict));
	value_set_string(arena, map, "reason_code", shadow->reason_code);
	value_set(arena, map, "rules", rules);
	value_set(arena, map, "differs",
		  value_bool(arena, shadow->verdict != real->verdict || !is_asked_alike(shadow, real)));
}

/* What one would have decided, or why nobody knows: "unusable", "cost". */
static struct value *
shadow_of(const struct snapshot_shadow *shadow, const struct policy_request *asked, int64_t now,
	  const struct policy_decision *real, struct arena *arena)
{
	struct value *map = value_map(arena);
	struct policy_decision decision;

	value_set_string(arena, map, "id", shadow->policy->policy_id);
	value_set(arena, map, "version", value_int(arena, shadow->policy->version));
	value_set_string(arena, map, "digest", shadow->policy->digest);
	if (!shadow->policy->policy) {
		value_set_string(arena, map, "error", "unusable");
		return map;
	}
	if (is_over_for_shadows(asked->clock)) {
		value_set_string(arena, map, "error", "cost");
		return map;
	}
	policy_decide_layers(shadow->layers.policies, shadow->layers.count, asked, now, arena, &decision);
	if (policy_is_exhausted(&decision))
		value_set_string(arena, map, "error", "cost");
	else
		set_shadow_decision(map, real, &decision, arena);
	return map;
}

/* Of a decision that stands already. */
static void
set_shadows(const struct snapshot *snapshot, const struct policy_request *asked, int64_t now,
	    const struct policy_decision *real, struct value *explanation, struct arena *arena)
{
	struct snapshot_shadow shadows[SNAPSHOT_SHADOWS_MAX];
	size_t count = snapshot_find_shadows(snapshot, asked->tenant, shadows);
	int64_t started;
	struct policy_request again = *asked;
	struct value *list;

	if (!count)
		return;
	started = clock_computing();
	again.expired = is_over_for_shadows;
	again.clock = &started;
	again.used = limits_seen;
	list = value_list(arena);
	for (size_t i = 0; i < count; i++)
		value_append(arena, list, shadow_of(&shadows[i], &again, now, real, arena));
	value_set(arena, explanation, "shadows", list);
}

/* ------------------------------------------------------------------ deciding */

static const char *
explanation_of(const struct snapshot *snapshot, const struct policy_request *asked, const struct work *work,
	       const struct policy_decision *decision)
{
	struct arena *scratch = work_scratch(work);
	struct value *explanation = policy_explain(decision, scratch);

	set_shadows(snapshot, asked, work->now, decision, explanation, scratch);
	return arena_string(work->arena, text_of(explanation, scratch));
}

static const char *
digest_of(const char *text, struct arena *arena)
{
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char *words = arena_take(arena, CRYPTO_DIGEST_TEXT_SIZE);

	if (!text)
		return NULL;
	crypto_sha256(text, strlen(text), digest);
	crypto_digest_text(digest, words);
	return words;
}

void
word_decide(const struct snapshot *snapshot, const struct word_request *request, int64_t deadline,
	    struct work *work, struct limits *limits, struct policy_decision *decision,
	    struct word_decision *stored)
{
	const struct snapshot_layers layers = snapshot_find(snapshot, request->tenant);
	const struct snapshot_policy *active = layers.count ? layers.items[layers.count - 1] : NULL;
	int64_t *started = arena_take(work->arena, sizeof *started);
	struct policy_request *asked = arena_take(work->arena, sizeof *asked);

	*started = clock_computing();
	*asked = (struct policy_request){
	    .tenant = request->tenant,
	    .agent_id = request->agent_id,
	    .action = request->action,
	    .target = request->target,
	    .context = request->context,
	    .digest = request->digest_text,
	    .is_verified = request->verified_kid != NULL,
	    .deadline = deadline,
	    .expired = is_over,
	    .clock = started,
	    .used = limits_used,
	    .usage = limits,
	};
	if (limits)
		limits_about(limits, request->tenant, request->request_id);
	policy_decide_layers(layers.policies, layers.count, asked, work->now, work->arena, decision);

	if (!stored)
		return;

	*stored = (struct word_decision){
	    .verdict = policy_verdict_name(decision->verdict),
	    .reason_code = decision->reason_code,
	    .reason_text = decision->reason_text,
	    .class_id = decision->class_id,
	    .rules = decision->rules,
	    .rule_count = decision->rule_count,
	    .policy_id = active ? active->policy_id : NULL,
	    .policy_digest = active ? active->digest : NULL,
	    .policy_version = active ? active->version : 0,
	    .generation = snapshot_generation(snapshot),
	    .remediation = decision->remediation,
	    .obligations = decision->obligations,
	    .layers = layers.count > 1 ? layers_of(&layers, work->arena) : NULL,
	    .explanation = explanation_of(snapshot, asked, work, decision),
	};
	stored->explanation_digest = digest_of(stored->explanation, work->arena);
}

void
word_decided(struct words *words, const struct word_request *request, int64_t n,
	     const struct word_decision *decision)
{
	sheet_add(&words->decisions, store_text(request->tenant), store_text(request->request_id),
		  store_int(n), store_text(decision->verdict), store_text(decision->reason_code),
		  store_text(decision->reason_text),
		  sheet_list(words->arena, decision->rules, decision->rule_count),
		  store_text(decision->class_id), store_text(decision->policy_id),
		  store_int(decision->policy_version), store_text(decision->policy_digest),
		  store_int(decision->generation), store_text(CS_VERSION), store_time(words->work->now),
		  store_text(decision->explanation), store_text(text_of(decision->layers, words->arena)),
		  store_text(decision->remediation), store_text(text_of(decision->obligations, words->arena)));
}

struct authorization
word_make(const struct work *work, const struct word_request *request, const struct word_decision *decision)
{
	return (struct authorization){
	    .tenant = request->tenant,
	    .request_id = request->request_id,
	    .key = request->key,
	    .chain = work_chain(work, request->key),
	    .agent_id = request->agent_id,
	    .digest_text = request->digest_text,
	    .decision = decision->verdict,
	    .reason_code = decision->reason_code,
	    .reason_text = decision->reason_text,
	    .rules = decision->rules,
	    .rule_count = decision->rule_count,
	    .explanation_digest = decision->explanation_digest,
	    .policy_id = decision->policy_id,
	    .policy_version = decision->policy_version,
	    .policy_digest = decision->policy_digest,
	    .remediation = decision->remediation,
	    .layers = decision->layers,
	    .decided_at = work->now,
	    .traceparent = request->traceparent,
	    .source = work->context->source,
	};
}

bool
word_speak(struct words *words, const struct authorization *authorization, struct error *error)
{
	struct work *work = words->work;
	struct event event;
	const char *token = NULL;

	if (!authorization_event(work_scratch(work), &work->context->issuer, authorization, &event, &token,
				 error))
		return false;
	work_event(work, &event);
	sheet_add(&words->spoken, store_text(authorization->tenant), store_text(authorization->request_id),
		  store_text(authorization_status_name(authorization->status)),
		  store_uuid(arena_string(words->arena, event.event_id.text)),
		  store_text(authorization->decision), store_text(authorization->reason_code),
		  store_text(authorization->reason_text), store_uuid(authorization->approval_id),
		  store_text(authorization->digest_text), store_time(authorization->decided_at),
		  store_time(authorization->not_before), store_time(authorization->expires_at),
		  store_text(arena_string(words->arena, token)));
	return true;
}

struct notice
word_notice(const struct work *work, const struct word_request *request)
{
	return (struct notice){
	    .tenant = request->tenant,
	    .request_id = request->request_id,
	    .key = request->key,
	    .chain = work_chain(work, request->key),
	    .agent_id = request->agent_id,
	    .action = request->action,
	    .target = request->target,
	    .context = request->context,
	    .execution = request->execution,
	    .request_reason = request->reason,
	    .on_behalf_of = request->on_behalf_of,
	    .signed_by_kid = request->verified_kid,
	    .signed_by_owner = request->verified_owner,
	    .digest_text = request->digest_text,
	    .at = work->now,
	    .traceparent = request->traceparent,
	    .source = work->context->source,
	    .sign_with = work->context->issuer.key,
	};
}

bool
word_announce(struct work *work, const struct notice *notice, struct error *error)
{
	struct event event;
	bool ok = notice_event(work_scratch(work), notice, &event, error);

	if (ok)
		work_event(work, &event);
	return ok;
}

struct id
word_approval_id(const struct word_request *request)
{
	return id_event(request->tenant, request->request_id, "approval_id", 0);
}

bool
words_send(const struct words *words, struct error *error)
{
	return sheet_send(&words->decisions, words->work->store, error)
	       && sheet_send(&words->spoken, words->work->store, error);
}
