/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolver_again.c - the second decision. It never loosens: an ALLOW of now removes nothing that was asked before; a BLOCK
 * stands; whoever must be asked now is asked as well. A vote that was given before counts for a new demand when its voter
 * is a member of that group at this moment; what these votes meet is not asked any more.
 */
#include "services/resolver/resolver.h"

#include "common/people/people.h"
#include "common/policy/policy_obligations.h"

#include <string.h>

/* Those who approved count for what is demanded now where they are members of the group at this moment. */
static bool
count_for(struct resolver_effects *effects, const struct resolver_approval *approval, struct approval *trial,
	  const struct asking *asking, struct error *error)
{
	struct sheet asked = resolver_membership(effects->work);
	unsigned first = approval->now.ask_count;

	for (unsigned i = 0; i < trial->voter_count; i++)
		for (unsigned n = first; n < trial->ask_count; n++)
			if (trial->voters[i].vote == APPROVAL_VOTE_APPROVE)
				sheet_add(&asked, store_text(approval->about.tenant),
					  store_text(asking->groups[n]), store_text(approval->persons[i]));

	struct store_rows *rows = sheet_query(&asked, effects->work->store, error);
	size_t row = 0;

	for (unsigned i = 0; rows && i < trial->voter_count; i++)
		for (unsigned n = first; n < trial->ask_count; n++)
			if (trial->voters[i].vote == APPROVAL_VOTE_APPROVE && store_row_bool(rows, row++, 0))
				trial->voters[i].counts |= UINT32_C(1) << n;
	return rows != NULL;
}

/* From when on: also where the clock was put back no step comes before one that was taken. */
static int64_t
since(const struct approval *approval, int64_t now)
{
	int64_t taken = approval->steps_taken ? approval->steps[approval->steps_taken - 1].at : now;

	return taken > now ? taken : now;
}

/* Whom the policy of now asks for it, the people of now being what they are; `nobody`: none who could answer, and it does not wait for them. */
static bool
choose(struct resolver_effects *effects, const struct resolver_approval *approval,
       const struct policy_decision *decision, struct policy_requirement *wanted, bool *nobody,
       struct error *error)
{
	struct policy_requirement other = *wanted;
	struct people_question questions[] = {{.about = &approval->about, .wanted = wanted},
					      {.about = &approval->about, .wanted = &other}};

	if (decision->escalate_if_nobody)
		other = policy_requirement_escalate(wanted);
	if (!people_look(effects->work, questions, decision->escalate_if_nobody ? 2 : 1, error))
		return false;
	*nobody = !questions[0].answerable && !questions[1].answerable && !decision->hold_if_nobody;
	if (!questions[0].answerable && questions[1].answerable)
		*wanted = other;
	return true;
}

/* One more demand, unless it is there already or those who approved meet it. */
static bool
demand(struct resolver_effects *effects, struct resolver_approval *approval,
       const struct policy_decision *decision, struct policy_requirement wanted, enum resolver_again *again,
       struct error *error)
{
	struct approval trial = approval->now;
	struct asking asking = approval->asking;
	bool nobody = false;

	if (asking_has(&trial, &asking, &wanted))
		return true;
	if (!choose(effects, approval, decision, &wanted, &nobody, error))
		return false;
	if (nobody) {
		*again = RESOLVER_NOBODY;
		return true;
	}
	if (wanted.is_fallback && asking_has(&trial, &asking, &wanted))
		return true;
	if (!asking_add(&trial, &asking, &wanted, since(&trial, effects->work->now))) {
		*again = RESOLVER_BLOCKS;
		return true;
	}
	if (!count_for(effects, approval, &trial, &asking, error))
		return false;
	if (approval_current_stage(&trial, trial.demand_count - 1) == APPROVAL_STAGES_MAX)
		return true;
	approval->now = trial;
	approval->asking = asking;
	*again = RESOLVER_ASKS;
	return true;
}

/* A limit that was exceeded meanwhile asks once more at most: the second decision was the first that could. */
static bool
asks_too_often(const struct resolver_approval *approval, const struct policy_decision *decision)
{
	return decision->limit_count > 0 && approval->asked_in > 2;
}

static bool
is_end(enum resolver_again again)
{
	return again == RESOLVER_BLOCKS || again == RESOLVER_NOBODY;
}

static bool
ask_more(struct resolver_effects *effects, struct resolver_approval *approval,
	 const struct policy_decision *decision, enum resolver_again *again, struct error *error)
{
	const struct approval was = approval->now;
	const struct asking names = approval->asking;

	for (size_t i = 0; i < decision->requirement_count && !is_end(*again); i++)
		if (!demand(effects, approval, decision, decision->requirements[i], again, error))
			return false;
	if (*again == RESOLVER_ASKS && asks_too_often(approval, decision))
		*again = RESOLVER_BLOCKS;
	if (*again == RESOLVER_ASKS)
		asking_rows(&effects->asked, approval->approval_id, &approval->now, &approval->asking,
			    was.demand_count);
	if (is_end(*again)) {
		approval->now = was;
		approval->asking = names;
	}
	return true;
}

/* What people saw stays; what is demanded now comes to it. False: nobody could satisfy both. */
static bool
add_obligations(struct arena *arena, struct resolver_approval *approval,
		const struct policy_decision *decision, struct word_decision *deciding)
{
	const char *conflict;
	const struct value *united =
	    policy_obligations_unite(arena, approval->obligations, decision->obligations, &conflict);

	if (!conflict) {
		approval->obligations = united;
		return true;
	}
	deciding->reason_code = *conflict ? "obligation_conflict" : "too_many_obligations";
	deciding->reason_text =
	    *conflict
		? arena_format(arena,
			       "The policy of now gives the obligation %s another value than people saw.",
			       conflict)
		: "The policy of now obliges to more than one grant can hold.";
	return false;
}

static void
take(struct resolver_effects *effects, const struct resolver_approval *approval,
     const struct policy_decision *decision)
{
	limits_take(effects->limits, approval->about.tenant, approval->about.request_id, decision,
		    effects->work->now + approval->hold_for + approval->valid_for);
}

/* What these approvals' requests hold of limits; nobody else changes it while they are locked. */
static bool
recall(struct resolver_effects *effects, const struct resolver_approvals *approvals, struct error *error)
{
	struct arena *arena = effects->work->arena;
	const char **tenants = arena_take_array(arena, approvals->count, sizeof *tenants);
	const char **request_ids = arena_take_array(arena, approvals->count, sizeof *request_ids);
	size_t count = 0;

	for (size_t i = 0; i < approvals->count; i++) {
		const struct resolver_approval *approval = &approvals->items[i];

		if (approval->now.state != APPROVAL_PENDING && !approval->may_end)
			continue;
		tenants[count] = approval->about.tenant;
		request_ids[count++] = approval->about.request_id;
	}
	return !count || limits_recall(effects->limits, tenants, request_ids, count, error);
}

bool
resolver_foresee(struct resolver_effects *effects, const struct resolver_approvals *approvals,
		 struct error *error)
{
	const struct snapshot *snapshot = effects->resolver->snapshot;
	bool limited = snapshot_has_limits(snapshot), again = true;

	if (!recall(effects, approvals, error))
		return false;
	while (again) {
		for (size_t i = 0; limited && i < approvals->count; i++) {
			struct policy_decision unused;

			if (approvals->items[i].now.state == APPROVAL_PENDING)
				word_decide(snapshot, &approvals->items[i].about, 0, effects->work,
					    effects->limits, &unused, NULL);
		}
		if (!limits_settle(effects->limits, &again, error))
			return false;
	}
	return true;
}

/* What stands in the way of what the policy does not block. */
static const struct snapshot_hold *
find_hold(const struct resolver_effects *effects, const struct resolver_approval *approval,
	  const struct policy_decision *decision)
{
	if (decision->verdict == POLICY_BLOCK)
		return NULL;
	return snapshot_held(effects->resolver->snapshot, approval->about.tenant, approval->about.agent_id,
			     approval->about.target, decision, effects->work->now);
}

bool
resolver_decide_again(struct resolver_effects *effects, struct resolver_approval *approval,
		      enum resolver_again *again, struct word_decision *deciding,
		      const struct snapshot_hold **hold, struct error *error)
{
	struct policy_decision decision;
	struct word_decision stored;

	word_decide(effects->resolver->snapshot, &approval->about, 0, effects->work, effects->limits,
		    &decision, &stored);
	*hold = find_hold(effects, approval, &decision);
	if (*hold && !(*hold)->refuses) {
		*again = RESOLVER_WAITS;
		return true;
	}
	limits_note(effects->limits, &decision);
	word_decided(&effects->words, &approval->about, approval->decisions++, &stored);
	approval->asked_in++;
	*again = decision.verdict == POLICY_BLOCK ? RESOLVER_BLOCKS : RESOLVER_STANDS;
	*deciding = stored;
	if (decision.verdict == POLICY_BLOCK)
		return true;
	if (*hold) {
		*again = RESOLVER_BLOCKS;
		deciding->reason_code = "held";
		deciding->reason_text = snapshot_hold_text(*hold, effects->work->arena);
		return true;
	}
	if (!add_obligations(effects->work->arena, approval, &decision, deciding)) {
		*again = RESOLVER_BLOCKS;
		return true;
	}
	if (decision.verdict == POLICY_ALLOW) {
		*deciding = approval->decision;
		deciding->explanation_digest = stored.explanation_digest;
		take(effects, approval, &decision);
		return true;
	}
	approval->decision = stored;
	if (decision.valid_for < approval->valid_for)
		approval->valid_for = decision.valid_for;
	if (decision.hold_for > approval->hold_for)
		approval->hold_for = decision.hold_for;
	if (!ask_more(effects, approval, &decision, again, error))
		return false;
	if (*again == RESOLVER_STANDS)
		take(effects, approval, &decision);
	if (*again == RESOLVER_ASKS)
		limits_ask(effects->limits, approval->about.tenant, approval->about.request_id, &decision);
	if (*again == RESOLVER_BLOCKS && asks_too_often(approval, &decision)) {
		deciding->reason_code = "limit_exceeded";
		deciding->reason_text =
		    "A limit has been exceeded since people were asked more, and asks once at most.";
	} else if (*again == RESOLVER_NOBODY) {
		deciding->reason_code = "no_eligible_approver";
		deciding->reason_text =
		    "The policy of now asks for more people, of whom too few could approve this.";
	} else if (*again == RESOLVER_BLOCKS) {
		deciding->reason_code = "too_many_requirements";
		deciding->reason_text = "The policy of now asks for more people than one approval can hold.";
	}
	return true;
}
