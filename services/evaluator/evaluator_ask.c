/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator_ask.c - REQUIRE_APPROVAL: the question to people, as rows and as what is said of it. */
#include "services/evaluator/evaluator.h"

#include <assert.h>

static struct approval_step
open_approval(const struct evaluator_item *item, int64_t now, struct asking *asking)
{
	const struct policy_decision *decision = &item->decision;
	struct approval approval = {.opened_at = now,
				    .deadline = decision->ttl ? now + decision->ttl : 0,
				    .latest = decision->extend_to ? now + decision->extend_to : 0,
				    .remind_before = decision->remind_before,
				    .remind_every = decision->remind_every};
	struct approval_event event = {.kind = APPROVAL_OPENED, .now = now};
	bool fits = true;

	for (size_t i = 0; fits && i < decision->requirement_count; i++)
		fits = asking_add(&approval, asking, &decision->requirements[i], now);
	assert(fits); /* what does not is BLOCK too_many_requirements */
	for (unsigned i = 0; i < approval.ask_count; i++)
		if (!approval.asks[i].of_step)
			asking->ahead[i] = evaluator_ahead(item, asking->groups[i]);
	return approval_step(approval, event);
}

static void
keep_approval(struct evaluator_answers *answers, const struct evaluator_item *item, const char *approval_id,
	      const struct approval *approval, const struct asking *asking)
{
	const struct policy_decision *decision = &item->decision;
	int64_t next = approval_next_time(approval);

	sheet_add(&answers->approvals, store_uuid(approval_id), store_text(item->about.tenant),
		  store_text(item->about.request_id), store_text(approval_state_name(approval->state)),
		  store_text(item->about.digest_text), store_text(item->stored.reason_text),
		  store_int(decision->valid_for), store_int(decision->hold_for),
		  store_time(approval->opened_at), store_time(approval->deadline),
		  store_time(approval->latest), store_int(approval->remind_before),
		  store_int(approval->remind_every), store_int(approval_open_asks(approval)),
		  store_time(next == INT64_MAX ? 0 : next), store_int(1));
	sheet_add(&answers->lines, store_text(item->about.tenant), store_text(item->about.digest_text),
		  store_uuid(approval_id), store_text(item->about.agent_id), store_text(decision->class_id));
	asking_rows(&answers->asked, approval_id, approval, asking, 0);
}

static bool
announce_opened(struct evaluator_answers *answers, const struct evaluator_item *item, const char *approval_id,
		const struct approval *approval, const struct asking *asking, struct error *error)
{
	struct notice notice = word_notice(answers->work, &item->about);

	notice.approval_id = approval_id;
	notice.state = "OPEN";
	notice.cause = "opened";
	notice.needs = asking_needs(answers->arena, approval, asking, &notice.need_count);
	notice.rules = item->stored.rules;
	notice.rule_count = item->stored.rule_count;
	notice.explanation_digest = item->decided > 0 ? item->stored.explanation_digest : NULL;
	notice.reason_text = item->stored.reason_text;
	notice.obligations = item->stored.obligations;
	notice.opened_at = approval->opened_at;
	notice.approval_deadline = approval->deadline;
	notice.ahead = item->ahead;
	notice.ahead_count = item->ahead_count;
	return word_announce(answers->work, &notice, error);
}

bool
evaluator_ask_people(struct evaluator_answers *answers, const struct evaluator_item *item, struct error *error)
{
	struct asking asking = {0};
	struct approval_step step = open_approval(item, answers->work->now, &asking);
	struct id id = word_approval_id(&item->about);
	const char *approval_id = arena_string(answers->arena, id.text);
	struct authorization word = word_make(answers->work, &item->about, &item->stored);

	assert(step.effects == (APPROVAL_EFFECT_ANNOUNCE | APPROVAL_EFFECT_ASK));
	keep_approval(answers, item, approval_id, &step.next, &asking);
	word.status = AUTHORIZATION_PENDING;
	word.approval_id = approval_id;
	word.approval_deadline = step.next.deadline;
	word.ahead = item->ahead;
	word.ahead_count = item->ahead_count;
	if (!announce_opened(answers, item, approval_id, &step.next, &asking, error))
		return false;
	return item->decided > 0 /* PENDING was said when it was held */
	       || evaluator_speak(answers, item, &word, error);
}
