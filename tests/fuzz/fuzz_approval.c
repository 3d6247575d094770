/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_approval.c - bytes as an approval, also one that makes no sense, and as what happens to it. What is not well-formed takes
 * nothing but its deadline; what is stays so, ends once, and is granted only when plain counting says so.
 */
#include "common/approval/approval.h"
#include "tests/fuzz/fuzz.h"

enum { OPENED_AT = 1000, EVENTS = 40 };

struct bytes {
	const uint8_t *at;
	size_t left;
};

static unsigned
byte(struct bytes *bytes)
{
	if (bytes->left == 0)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

/* Below the limit; now and then what is beyond every one. */
static unsigned
below(struct bytes *bytes, unsigned limit)
{
	unsigned value = byte(bytes);

	return value == 255 ? UINT32_MAX : value == 254 ? limit : value % limit;
}

/* Near the opening; now and then at the ends of time. */
static int64_t
moment(struct bytes *bytes)
{
	unsigned value = byte(bytes);

	return value == 255   ? INT64_MAX
	       : value == 254 ? INT64_MIN
	       : value == 253 ? 0
			      : OPENED_AT + (int64_t)value;
}

static int64_t
quorum(struct bytes *bytes)
{
	unsigned value = byte(bytes);

	return value > 250 ? (int64_t)value - 253 : value > 200 ? value - 150 : 1 + value % 3;
}

static uint32_t
mask(struct bytes *bytes)
{
	uint32_t mask = byte(bytes);

	return mask & 1 ? mask >> 1 : mask >> 1 | byte(bytes) << 7 | byte(bytes) << 15 | byte(bytes) << 23;
}

static void
read_lists(struct bytes *bytes, struct approval *approval)
{
	for (unsigned i = 0; i < approval->demand_count && i < APPROVAL_DEMANDS_MAX; i++) {
		unsigned facts = byte(bytes);

		approval->demands[i] =
		    (struct approval_demand){facts & 4 ? quorum(bytes) : 1, facts & 1, facts & 2, facts & 8};
	}
	for (unsigned i = 0; i < approval->stage_count && i < APPROVAL_STAGES_MAX; i++) {
		unsigned facts = byte(bytes), last = i > 0 ? approval->stages[i - 1].demand : 0;

		approval->stages[i] = (struct approval_stage){facts & 8 ? below(bytes, APPROVAL_DEMANDS_MAX)
							      : i > 0	? last + (facts >> 1 & 1)
									: 0,
							      facts & 1};
	}
	for (unsigned i = 0; i < approval->step_count && i < APPROVAL_STEPS_MAX; i++)
		approval->steps[i] = (struct approval_timed_step){
		    .at = moment(bytes),
		    .kind = (enum approval_step_kind)below(bytes, APPROVAL_STEP_NOTIFY + 1),
		    .demand = below(bytes, APPROVAL_DEMANDS_MAX),
		    .ask = below(bytes, APPROVAL_ASKS_MAX),
		    .stage = below(bytes, APPROVAL_STAGES_MAX + 1)};
	for (unsigned i = 0; i < approval->ask_count && i < APPROVAL_ASKS_MAX; i++) {
		unsigned facts = byte(bytes);

		approval->asks[i] = (struct approval_ask){
		    i < approval->stage_count && !(facts & 8) ? i : below(bytes, APPROVAL_STAGES_MAX),
		    quorum(bytes), facts & 1, !(facts & 1) ^ (facts >> 1 & 1)};
	}
	for (unsigned i = 0; i < approval->voter_count && i < APPROVAL_VOTERS_MAX; i++) {
		approval->voters[i].vote = (enum approval_vote)below(bytes, APPROVAL_VOTE_OVERRIDE + 1);
		approval->voters[i].counts = mask(bytes);
	}
}

static struct approval
read_approval(struct bytes *bytes)
{
	unsigned facts = byte(bytes);
	struct approval approval = {.opened_at = facts & 1 ? moment(bytes) : OPENED_AT,
				    .deadline = moment(bytes)};

	approval.demand_count = below(bytes, APPROVAL_DEMANDS_MAX + 1);
	approval.stage_count = below(bytes, APPROVAL_STAGES_MAX + 1);
	approval.ask_count = below(bytes, APPROVAL_ASKS_MAX + 1);
	approval.step_count = below(bytes, APPROVAL_STEPS_MAX + 1);
	if (facts & 2) {
		approval.latest = moment(bytes);
		approval.remind_before = byte(bytes);
		approval.remind_every = byte(bytes);
	}
	if (facts & 4) {
		approval.state = (enum approval_state)below(bytes, APPROVAL_STATES);
		approval.steps_taken = below(bytes, APPROVAL_STEPS_MAX + 1);
		approval.voter_count = below(bytes, APPROVAL_VOTERS_MAX + 1);
		approval.reminded_at = moment(bytes);
		approval.grant_ends = moment(bytes);
		approval.overridden = facts & 8;
		approval.reviewed = facts & 16;
	}
	read_lists(bytes, &approval);
	return approval;
}

static struct approval_event
read_event(struct bytes *bytes, const struct approval *approval)
{
	unsigned facts = byte(bytes), kind = facts & 15;

	return (struct approval_event){.kind = (enum approval_event_kind)(kind < APPROVAL_EVENTS ? kind : 1),
				       .now = moment(bytes),
				       .voter = facts & 16 ? below(bytes, APPROVAL_VOTERS_MAX)
							   : approval->voter_count,
				       .eligible = mask(bytes),
				       .excluded = facts & 32 ? mask(bytes) : 0,
				       .overrides = facts & 64 ? UINT32_MAX : 0,
				       .override_excluded = facts & 32 ? UINT32_MAX : 0,
				       .responder_is_requester = facts & 32 && byte(bytes) & 1,
				       .requester_verified = facts & 64,
				       .is_operator = facts & 128,
				       .digest_matches = facts != 33,
				       .has_reason = kind & 1 || facts & 128,
				       .deadline = kind == APPROVAL_EXTEND_GIVEN ? moment(bytes) : 0};
}

/* ------------------------------------------------------------------ what must hold */

/* Each stage has a way for which each ask has its votes: what is needed at least, whoever is counted twice. */
static void
check_granted(const struct approval *approval)
{
	for (unsigned stage = 0; stage < approval->stage_count; stage++) {
		bool all = true, any = false, by_step = false;

		for (unsigned i = 0; i < approval->ask_count; i++) {
			const struct approval_ask *ask = &approval->asks[i];
			bool met = ask->active && approval_votes(approval, i) >= ask->quorum;

			if (ask->stage != stage || (ask->of_step && !ask->active))
				continue;
			by_step = by_step || (ask->of_step && met);
			any = any || (!ask->of_step && met);
			all = all && (ask->of_step || met);
		}
		assert(by_step || (approval->stages[stage].all ? all : any));
	}
	assert(approval->demand_count > 0 && approval->stage_count > 0);
}

/* In a distinct demand no set of asks may want more persons than count for any of it: all asks of the demand here. */
static void
check_stages(const struct approval *approval)
{
	uint32_t open = approval_open_asks(approval);

	for (unsigned i = 0; i < approval->demand_count; i++) {
		unsigned stage = approval_current_stage(approval, i);

		assert(stage == APPROVAL_STAGES_MAX
		       || (stage < approval->stage_count && approval->stages[stage].demand == i));
		for (unsigned j = 0; j < approval->ask_count; j++) {
			const struct approval_ask *ask = &approval->asks[j];

			if (approval->stages[ask->stage].demand == i)
				assert((open >> j & 1) == (ask->active && ask->stage <= stage));
		}
	}
	for (unsigned j = 0; j < approval->ask_count; j++)
		assert(approval_votes(approval, j) >= 0 && approval_votes(approval, j) <= approval->voter_count);
}

/* One more who approves everything closes no stage. */
static void
check_more(const struct approval *approval)
{
	struct approval more = *approval;

	if (approval->voter_count >= APPROVAL_VOTERS_MAX)
		return;
	more.voters[more.voter_count++] = (struct approval_voter){
	    APPROVAL_VOTE_APPROVE,
	    approval->ask_count < 32 ? (UINT32_C(1) << approval->ask_count) - 1 : UINT32_MAX};
	for (unsigned i = 0; i < approval->demand_count; i++)
		assert(approval_current_stage(&more, i) >= approval_current_stage(approval, i));
}

static void
check_step(const struct approval *before, const struct approval_event *event, const struct approval_step *step)
{
	const struct approval *after = &step->next;
	bool was_open = before->state <= APPROVAL_PENDING, granted = step->effects & APPROVAL_EFFECT_GRANT;
	bool overdue =
	    before->state == APPROVAL_PENDING && before->deadline != 0 && event->now >= before->deadline;

	assert((step->verdict == APPROVAL_REFUSED) == (step->refusal != APPROVAL_REFUSAL_NONE));
	if (step->effects == 0)
		assert(memcmp(before, after, sizeof *before) == 0);
	if (!was_open && after->state != before->state)
		assert(before->state == APPROVAL_APPROVED && after->state == APPROVAL_REVOKED);
	assert(granted == (was_open && after->state == APPROVAL_APPROVED));
	assert(overdue == (before->state == APPROVAL_PENDING && after->state == APPROVAL_EXPIRED));
	if (!approval_is_well_formed(before)) {
		assert(!was_open || overdue || step->effects == 0);
		return;
	}
	assert(approval_is_well_formed(after));
	assert((step->counted & ~event->eligible) == 0);
	if (granted && !(step->effects & APPROVAL_EFFECT_OVERRIDE))
		check_granted(after);
	assert(after->overridden == before->overridden || event->kind == APPROVAL_OVERRIDE_GIVEN);
	check_stages(after);
	check_more(after);
	if (after->state == APPROVAL_PENDING && event->kind == APPROVAL_TIME_CHECK)
		assert(approval_next_time(after) > event->now || event->now == INT64_MAX);
	if (after->state == APPROVAL_PENDING && after->deadline != 0)
		assert(approval_next_time(after) <= after->deadline);
}

int
FUZZ_TARGET(approval)(const uint8_t *bytes, size_t length)
{
	struct bytes rest = {bytes, length};
	struct approval approval = read_approval(&rest);

	for (int i = 0; i < EVENTS && rest.left > 0; i++) {
		struct approval_event event = read_event(&rest, &approval);
		struct approval_step step = approval_step(approval, event);

		check_step(&approval, &event, &step);
		approval = step.next;
	}
	return 0;
}
