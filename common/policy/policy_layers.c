/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_layers.c - several documents decide together, rule 12 of policy_decide.c. Each is asked as if it were alone, step beside step;
 * what stands is the strictest of what they come to, so that none of them can loosen another.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_deciding.h"

#include <assert.h>
#include <string.h>

typedef bool (*take_step)(struct policy_deciding *layer, int64_t now);

static bool
is_late(const struct policy_request *request, int64_t now)
{
	return request->deadline != 0 && now > request->deadline;
}

/* ------------------------------------------------------------------ step beside step */

static bool
can_decide(struct policy_deciding *layer, int64_t now)
{
	(void)now;
	return policy_can_decide(layer);
}

static bool
take_params(struct policy_deciding *layer, int64_t now)
{
	(void)now;
	return policy_take_params(layer);
}

static bool
has_required(struct policy_deciding *layer, int64_t now)
{
	(void)now;
	return policy_has_required(layer);
}

static bool
is_in_time(struct policy_deciding *layer, int64_t now)
{
	return policy_is_in_time(layer, is_late(layer->request, now));
}

/* Every layer takes the step, whatever another came to; those that did not block have decided nothing yet. */
static bool
take(struct policy_deciding *head, take_step step, int64_t now)
{
	bool good = true;

	for (size_t i = 0; i < head->layer_count; i++) {
		bool one = step(&head->layers[i], now);

		head->layers[i].is_silent = one;
		good = good && one;
	}
	return good;
}

/* Each sees the context by its own declarations, and it must satisfy them all. */
static bool
is_valid(struct policy_deciding *head)
{
	const struct policy *policies[POLICY_LAYERS_MAX];
	struct policy_datum contexts[POLICY_LAYERS_MAX];
	struct error *refusal = arena_take(head->arena, sizeof *refusal);

	for (size_t i = 0; i < head->layer_count; i++)
		policies[i] = head->layers[i].policy;
	if (policy_read_context(policies, head->layer_count, head->request->context, head->arena, contexts,
				refusal)) {
		for (size_t i = 0; i < head->layer_count; i++)
			head->layers[i].context = contexts[i];
		return true;
	}
	for (size_t i = 0; i < head->layer_count; i++) {
		head->layers[i].decision->refusal = refusal;
		head->layers[i].is_silent = policy_deciding_block(&head->layers[i], "invalid_request");
	}
	return false;
}

/* What one layer must know of the others. */
static void
tell_each_other(struct policy_deciding *head)
{
	size_t counting = 0;
	bool errors_block = false;

	for (size_t i = 0; i < head->layer_count; i++) {
		const struct policy_deciding *layer = &head->layers[i];

		counting += policy_any_counts(layer);
		for (size_t j = 0; j < layer->class_count; j++)
			errors_block = errors_block || layer->classes[j]->errors_block;
	}
	for (size_t i = 0; i < head->layer_count; i++) {
		head->layers[i].elsewhere = counting > policy_any_counts(&head->layers[i]);
		head->layers[i].errors_block = errors_block;
	}
}

static enum policy_verdict
strictest(const struct policy_deciding *head)
{
	enum policy_verdict verdict = POLICY_ALLOW;

	for (size_t i = 0; i < head->layer_count; i++)
		if (!head->layers[i].is_silent && head->layers[i].decision->verdict > verdict)
			verdict = head->layers[i].decision->verdict;
	return verdict;
}

/* One purse for all documents: what is left for one of them is what the others have left. */
static struct policy_deciding *
next(struct policy_deciding *head, size_t layer)
{
	struct policy_meter *meter = &head->layers[layer].meter;

	meter->others = 0;
	for (size_t i = 0; i < head->layer_count; i++)
		if (i != layer)
			meter->others += head->layers[i].meter.cost;
	return &head->layers[layer];
}

static void
ask_all(struct policy_deciding *head, int64_t now)
{
	for (size_t i = 0; i < head->layer_count; i++)
		policy_ask_conditions(next(head, i), now);
	tell_each_other(head);
	for (size_t i = 0; i < head->layer_count; i++)
		policy_apply_rules(&head->layers[i]);

	bool blocked = strictest(head) == POLICY_BLOCK;

	for (size_t i = 0; i < head->layer_count; i++) {
		if (!blocked)
			policy_apply_limits(next(head, i), now);
		if (is_late(head->request, now))
			policy_apply_hold(&head->layers[i]);
		policy_apply_terms(&head->layers[i]);
	}
}

/* ------------------------------------------------------------------ what they say together */

/* Does it make the decision what it is? */
static bool
speaks(const struct policy_deciding *head, const struct policy_deciding *layer)
{
	return !layer->is_silent && layer->decision->verdict == head->decision->verdict;
}

/* The more particular of what two of the same level say lends its code. */
static size_t
rank(const char *code)
{
	static const char *const codes[] = {"rule", "rule_error", "limit_exceeded", "evaluation_timeout",
					    "class_default"};
	size_t at = 0;

	while (at < sizeof codes / sizeof *codes && strcmp(codes[at], code) != 0)
		at++;
	return at == sizeof codes / sizeof *codes ? 0 : at;
}

static const struct policy_deciding *
speaker_of(const struct policy_deciding *head)
{
	const struct policy_deciding *found = NULL;

	for (size_t i = 0; i < head->layer_count; i++) {
		const struct policy_deciding *layer = &head->layers[i];

		if (speaks(head, layer)
		    && (!found || rank(layer->decision->reason_code) < rank(found->decision->reason_code)))
			found = layer;
	}
	assert(found); /* if no rule counts, all defaults do */
	return found;
}

struct names {
	const char **items;
	size_t count;
};

static void
add(const struct policy_deciding *head, struct names *names, const char *const *more, size_t count)
{
	const char **all = arena_take_array(head->arena, names->count + count, sizeof *all);

	for (size_t i = 0; i < names->count; i++)
		all[i] = names->items[i];
	for (size_t i = 0; i < count; i++)
		all[names->count + i] = more[i];
	names->items = all;
	names->count = policy_strings_distinct(all, names->count + count);
}

static void
unite_names(struct policy_deciding *head)
{
	struct policy_decision *decision = head->decision;
	struct names rules = {0}, errors = {0}, limits = {0}, missing = {0};

	for (size_t i = 0; i < head->layer_count; i++) {
		const struct policy_decision *one = head->layers[i].decision;

		add(head, &errors, one->errors, one->error_count);
		add(head, &missing, one->missing, one->missing_count);
		if (!speaks(head, &head->layers[i]))
			continue;
		add(head, &rules, one->rules, one->rule_count);
		add(head, &limits, one->limits, one->limit_count);
	}
	decision->rules = rules.items;
	decision->rule_count = rules.count;
	decision->errors = errors.items;
	decision->error_count = errors.count;
	decision->limits = limits.items;
	decision->limit_count = limits.count;
	decision->missing = missing.items;
	decision->missing_count = missing.count;
}

static int64_t
lesser(int64_t left, int64_t right)
{
	return left < right ? left : right;
}

/* All requirements of those who ask. False: more than one question may hold. */
static bool
unite_requirements(struct policy_decision *decision, const struct policy_deciding *layer)
{
	const struct policy_decision *one = layer->decision;

	for (size_t i = 0; i < one->requirement_count; i++) {
		if (decision->requirement_count == POLICY_REQUIREMENTS_MAX)
			return false;
		decision->requirements[decision->requirement_count] = one->requirements[i];
		decision->requirements[decision->requirement_count++].policy = policy_name(layer->policy);
	}
	policy_unite_times(decision, *one);
	return policy_asks_fit(decision);
}

static void
unite_terms(struct policy_deciding *head)
{
	struct policy_decision *decision = head->decision;

	bool no_deadline = true;

	decision->valid_for = decision->extend_to = INT64_MAX;
	policy_set_nobody(decision, head->layers, head->layer_count);
	for (size_t i = 0; i < head->layer_count; i++) {
		const struct policy_deciding *layer = &head->layers[i];

		no_deadline = no_deadline && policy_has_no_deadline(layer);
		/* one that is silent still has classes with a valid_for */
		if (layer->decision->verdict != decision->verdict)
			continue;
		decision->valid_for = lesser(decision->valid_for, layer->decision->valid_for);
		if (decision->verdict == POLICY_REQUIRE_APPROVAL && !unite_requirements(decision, layer)) {
			policy_deciding_outgrown(head);
			return;
		}
	}
	policy_set_ttl(decision, no_deadline);
	if (decision->verdict == POLICY_ALLOW) {
		decision->extend_to = 0;
		decision->hold_if_nobody = decision->escalate_if_nobody = false;
	}
}

/* What those say that speak, behind each other; the same once. NULL: nothing. */
static const char *
joined(const struct policy_deciding *head, const char *(*text_of)(const struct policy_deciding *))
{
	const char *texts[POLICY_LAYERS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < head->layer_count; i++) {
		const char *text = speaks(head, &head->layers[i]) ? text_of(&head->layers[i]) : NULL;

		if (text && (count == 0 || strcmp(texts[count - 1], text) != 0))
			texts[count++] = text;
	}
	return count ? policy_reason_join(head->arena, texts, count) : NULL;
}

static const char *
advice(const struct policy_deciding *head)
{
	const char *texts[POLICY_LAYERS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < head->layer_count; i++) {
		const char *text = speaks(head, &head->layers[i]) ? policy_remediation(&head->layers[i]) : NULL;

		if (text && (count == 0 || strcmp(texts[count - 1], text) != 0))
			texts[count++] = text;
	}
	return count ? policy_reason_join(head->arena, texts, count) : NULL;
}

static void
unite(struct policy_deciding *head)
{
	struct policy_decision *decision = head->decision;

	decision->verdict = strictest(head);

	const struct policy_deciding *speaker = speaker_of(head);

	decision->reason_code = speaker->decision->reason_code;
	decision->class_id = speaker->speaker ? speaker->speaker->id : NULL;
	decision->refusal = speaker->decision->refusal;
	decision->default_used = true;
	for (size_t i = 0; i < head->layer_count; i++) {
		struct policy_deciding *layer = &head->layers[i];

		layer->decision->class_id = layer->speaker ? layer->speaker->id : NULL;
		decision->default_used = decision->default_used && layer->default_used;
	}
	unite_names(head);
	decision->reason_text = joined(head, policy_reason);
	decision->remediation = joined(head, policy_remediation);
	decision->remediation = advice(head);
	if (decision->verdict != POLICY_BLOCK)
		unite_terms(head);
	if (strcmp(decision->reason_code, "too_many_requirements") == 0)
		decision->reason_text = policy_reason(head);
	policy_oblige(head);
}

static void
decide(struct policy_deciding *head, int64_t now)
{
	if (!take(head, can_decide, now) || !take(head, take_params, now) || !is_valid(head)
	    || !take(head, has_required, now) || !take(head, is_in_time, now)
	    || !take(head, policy_find_candidates, now))
		return;
	ask_all(head, now);
}

void
policy_decide_layers(const struct policy *const *layers, size_t count, const struct policy_request *request,
		     int64_t now, struct arena *arena, struct policy_decision *decision)
{
	struct policy_deciding *head;

	if (count <= 1) {
		policy_decide(count ? layers[0] : NULL, request, now, arena, decision);
		return;
	}
	head = arena_take(arena, sizeof *head);
	*head = policy_deciding_open(NULL, request, arena, decision);
	decision->trail = head;
	if (count > POLICY_LAYERS_MAX) {
		policy_deciding_block(head, "no_policy");
		decision->reason_text = policy_reason(head);
		return;
	}
	head->layers = arena_take_array(arena, count, sizeof *head->layers);
	head->layer_count = count;
	for (size_t i = 0; i < count; i++) {
		struct policy_decision *own = arena_take(arena, sizeof *own);

		head->layers[i] = policy_deciding_open(layers[i], request, arena, own);
		own->trail = &head->layers[i];
		head->layers[i].head = head;
	}
	decide(head, now);
	unite(head);
}

bool
policy_is_exhausted(const struct policy_decision *decision)
{
	const struct policy_deciding *trail = decision->trail;

	for (size_t i = 0; i < trail->layer_count; i++)
		if (trail->layers[i].meter.exhausted)
			return true;
	return trail->meter.exhausted;
}
