/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_approval_states.c - every state that some small approvals can reach is visited once, and every event tried in it.
 * A state is a point: the time, and for each person what was said; voters are told apart by who they are, not by who came first.
 * What is right is told by plain counting here: every way of giving each person away is tried.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/approval/approval_count.h"
#include "tests/unit/approval/story.h"
#include <stdio.h>
#include <stdlib.h>

enum { PEOPLE = 4, STEPS_AT_MOST = 3, TICKS = 9, GRANT_ENDS = OPENED_AT + 7, POINTS = 1 << 20 };

/* One approval whose states are explored. */
struct scene {
	const char *name;
	void (*build)(struct story *story);
	unsigned people;
	uint32_t groups[PEOPLE]; /* the asks of whose groups each of them is a member */
	unsigned crowd;		 /* voters that stepped aside before */
};

struct point {
	uint8_t state, time, steps_taken, deadline,
	    reminded;		      /* times count from the opening; reminded: one more, 0 = never */
	uint8_t stage[STEPS_AT_MOST]; /* of the steps taken */
	uint8_t vote[PEOPLE], counts[PEOPLE];
	uint8_t overridden, reviewed;
};

static struct {
	const struct scene *scene;
	struct approval base; /* as it comes to be opened */
	struct point *points; /* a queue; all before `next` are done */
	uint32_t *table;      /* where a point is in the queue, from 1, by its hash */
	unsigned count, next;
	unsigned long transitions;
} explored;

static unsigned char reached[512]; /* rows of the table, by all scenes */

/* ------------------------------------------------------------------ points */

static void
visit(struct point point)
{
	uint64_t hash = 1469598103934665603u;

	for (size_t i = 0; i < sizeof point; i++)
		hash = (hash ^ ((const unsigned char *)&point)[i]) * 1099511628211u;
	for (size_t i = (size_t)(hash ^ hash >> 29);; i++) {
		uint32_t *place = &explored.table[i % (2 * POINTS)];

		if (*place == 0) {
			assert_true(explored.count < POINTS);
			explored.points[explored.count++] = point;
			*place = explored.count;
			return;
		}
		if (memcmp(&explored.points[*place - 1], &point, sizeof point) == 0)
			return;
	}
}

/* What steps have made of an approval, told by where they stand. */
static void
put_step(struct approval *approval, unsigned index, unsigned stage)
{
	struct approval_timed_step *step = &approval->steps[index];

	step->stage = stage;
	if (stage == APPROVAL_STAGES_MAX || step->kind == APPROVAL_STEP_NOTIFY)
		return;
	for (unsigned i = 0; i < approval->ask_count; i++)
		if (step->kind == APPROVAL_STEP_REPLACE && approval->asks[i].stage == stage)
			approval->asks[i].active = false;
	approval->asks[step->ask].active = true;
	approval->asks[step->ask].stage = stage;
}

static struct approval
approval_at(const struct point *point)
{
	struct approval approval = explored.base;

	approval.state = (enum approval_state)point->state;
	approval.deadline = point->deadline ? OPENED_AT + point->deadline : 0;
	approval.reminded_at = point->reminded ? OPENED_AT + point->reminded - 1 : 0;
	approval.overridden = point->overridden;
	approval.reviewed = point->reviewed;
	if (approval.state == APPROVAL_APPROVED || approval.state == APPROVAL_REVOKED)
		approval.grant_ends = GRANT_ENDS;
	for (unsigned i = 0; i < point->steps_taken; i++)
		put_step(&approval, i, point->stage[i]);
	approval.steps_taken = point->steps_taken;
	if (approval.state == APPROVAL_NONE)
		return approval;
	for (unsigned i = 0; i < explored.scene->crowd; i++)
		approval.voters[approval.voter_count++] = (struct approval_voter){APPROVAL_VOTE_RECUSED, 0};
	for (unsigned i = 0; i < PEOPLE; i++)
		if (point->vote[i])
			approval.voters[approval.voter_count++] =
			    (struct approval_voter){(enum approval_vote)point->vote[i], point->counts[i]};
	return approval;
}

/* The place of a person among the voters, or where the next one goes. */
static unsigned
place_of(const struct point *point, unsigned person)
{
	unsigned place = explored.scene->crowd;

	for (unsigned i = 0; i < PEOPLE; i++) {
		if (!point->vote[person] ? point->vote[i] != 0 : i < person && point->vote[i] != 0)
			place++;
	}
	return place;
}

/* The point after a step; `person` is who may have been added. */
static struct point
point_after(const struct point *before, const struct approval *next, unsigned person, int64_t now)
{
	struct point point = *before;

	point.state = (uint8_t)next->state;
	point.time = (uint8_t)(now - OPENED_AT);
	point.deadline = (uint8_t)(next->deadline ? next->deadline - OPENED_AT : 0);
	point.reminded = (uint8_t)(next->reminded_at ? next->reminded_at - OPENED_AT + 1 : 0);
	point.overridden = next->overridden;
	point.reviewed = next->reviewed;
	point.steps_taken = (uint8_t)next->steps_taken;
	for (unsigned i = 0; i < next->steps_taken; i++)
		point.stage[i] = (uint8_t)next->steps[i].stage;
	for (unsigned i = 0; i < PEOPLE; i++) {
		if (!before->vote[i] && !(i == person && next->voter_count > place_of(before, i)))
			continue;
		point.vote[i] = (uint8_t)next->voters[place_of(before, i)].vote;
		point.counts[i] = (uint8_t)next->voters[place_of(before, i)].counts;
	}
	return point;
}

/* Nothing but what a point tells has changed. */
static void
check_whole(const struct point *point, const struct approval *next)
{
	struct approval told = approval_at(point), given = *next;

	assert_int_equal(told.voter_count, given.voter_count);
	given.grant_ends = told.grant_ends; /* the shell's to set */
	memset(told.voters, 0, sizeof told.voters);
	memset(given.voters, 0, sizeof given.voters);
	assert_true(memcmp(&told, &given, sizeof told) == 0);
}

/* ------------------------------------------------------------------ plain counting */

/* Whether the first `stages` stages of a demand are met by `votes` for each ask. */
static bool
are_met(const struct approval *approval, unsigned demand, unsigned stages, const unsigned votes[])
{
	for (unsigned stage = 0; stage < approval->stage_count && stages > 0; stage++) {
		bool all = true, any = false, by_step = false;

		if (approval->stages[stage].demand != demand)
			continue;
		stages--;
		for (unsigned i = 0; i < approval->ask_count; i++) {
			const struct approval_ask *ask = &approval->asks[i];
			bool met = votes[i] >= ask->quorum;

			if (ask->stage != stage || (ask->of_step && !ask->active))
				continue;
			if (ask->of_step)
				by_step = by_step || met;
			else
				any = any || (ask->active && met);
			all = all && (ask->of_step || (ask->active && met));
		}
		if (!by_step && !(approval->stages[stage].all ? all : any))
			return false;
	}
	return true;
}

/* The same, when each of the persons from `person` on is given to one ask, or to none. */
static bool
can_be_met(const struct approval *approval, const struct point *point, unsigned demand, unsigned stages,
	   unsigned person, unsigned votes[])
{
	if (person == PEOPLE)
		return are_met(approval, demand, stages, votes);
	if (can_be_met(approval, point, demand, stages, person + 1, votes))
		return true;
	for (unsigned i = 0; i < approval->ask_count; i++) {
		bool met;

		if (point->vote[person] != APPROVAL_VOTE_APPROVE || !(point->counts[person] & BIT(i)))
			continue;
		votes[i]++;
		met = can_be_met(approval, point, demand, stages, person + 1, votes);
		votes[i]--;
		if (met)
			return true;
	}
	return false;
}

static unsigned
open_stage(const struct approval *approval, const struct point *point, unsigned demand)
{
	unsigned stages = 0, votes[APPROVAL_ASKS_MAX] = {0};
	bool distinct = approval->demands[demand].distinct;

	for (unsigned i = 0; i < PEOPLE && !distinct; i++)
		for (unsigned j = 0; j < approval->ask_count; j++)
			votes[j] += point->vote[i] == APPROVAL_VOTE_APPROVE && point->counts[i] & BIT(j);
	for (unsigned stage = 0; stage < approval->stage_count; stage++) {
		if (approval->stages[stage].demand != demand)
			continue;
		stages++;
		if (distinct ? !can_be_met(approval, point, demand, stages, 0, votes)
			     : !are_met(approval, demand, stages, votes))
			return stage;
	}
	return APPROVAL_STAGES_MAX;
}

struct count {
	uint32_t open;
	bool met;
};

static struct count
count(const struct approval *approval, const struct point *point)
{
	struct count count = {0, true};

	for (unsigned demand = 0; demand < approval->demand_count; demand++) {
		unsigned until = open_stage(approval, point, demand);

		count.met = count.met && until == APPROVAL_STAGES_MAX;
		assert_int_equal(approval_current_stage(approval, demand), until);
		for (unsigned i = 0; i < approval->ask_count; i++)
			if (approval->asks[i].active && approval->stages[approval->asks[i].stage].demand == demand
			    && approval->asks[i].stage <= until)
				count.open |= BIT(i);
	}
	assert_int_equal(approval_open_asks(approval), count.open);
	return count;
}

static bool
is_denied(const struct approval *approval, const struct point *point)
{
	for (unsigned demand = 0; demand < approval->demand_count; demand++) {
		int64_t denies = 0;

		for (unsigned i = 0; i < PEOPLE; i++) {
			bool his = false;

			for (unsigned j = 0; j < approval->ask_count; j++)
				if (point->counts[i] & BIT(j))
					his = his || approval->stages[approval->asks[j].stage].demand == demand;
			denies += point->vote[i] == APPROVAL_VOTE_DENY && his;
		}
		if (denies >= approval->demands[demand].deny_quorum)
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ one transition */

/* Once it is final time changes nothing, but that an authorization ends. */
static struct point
without_idle_time(struct point point)
{
	if (point.state > APPROVAL_PENDING)
		point.time = point.state == APPROVAL_APPROVED && OPENED_AT + point.time < GRANT_ENDS
				 ? GRANT_ENDS - 1 - OPENED_AT
				 : TICKS;
	return point;
}

/* The approval at a point and a time, after the steps of that time. */
struct moment {
	const struct point *point;
	struct approval before, after_steps;
	struct count count;
	int64_t now;
	bool overdue;
};

static struct moment
moment_at(const struct point *point, int64_t now)
{
	struct moment moment = {.point = point, .before = approval_at(point), .now = now};
	struct approval *approval = &moment.after_steps;

	*approval = moment.before;
	moment.overdue = approval->state == APPROVAL_PENDING && approval->deadline && now >= approval->deadline;
	if (approval->state != APPROVAL_PENDING || moment.overdue)
		return moment;
	for (; approval->steps_taken < approval->step_count; approval->steps_taken++) {
		unsigned index = approval->steps_taken;

		if (approval->steps[index].at > now)
			break;
		put_step(approval, index, open_stage(approval, point, approval->steps[index].demand));
	}
	moment.count = count(approval, point);
	return moment;
}

/* The row that it must be, looked up here. */
static const struct approval_transition *
row_of(const struct approval *approval, const struct approval_event *event)
{
	size_t rows;
	const struct approval_transition *row = approval_transitions(&rows);

	for (size_t i = 0; i < rows; i++) {
		if (row[i].from != approval->state || row[i].event != event->kind)
			continue;
		if (row[i].holds && !row[i].holds(approval, event))
			continue;
		assert_true(i < sizeof reached);
		reached[i] = 1;
		return &row[i];
	}
	return NULL;
}

static void
check_row(const struct moment *moment, const struct approval_event *event, const struct approval_step *step)
{
	const struct approval_transition *row = row_of(&moment->after_steps, event);
	bool stepped = moment->after_steps.steps_taken > moment->before.steps_taken;
	enum approval_verdict verdict;

	assert_non_null(row);
	verdict = stepped && event->kind == APPROVAL_TIME_CHECK ? APPROVAL_TAKEN : row->verdict;
	assert_int_equal(step->verdict, verdict);
	assert_int_equal(step->refusal, row->refusal);
	assert_int_equal(step->next.state, row->to);
	assert_int_equal(step->effects, row->effects | (stepped ? STEPS | ANNOUNCE : 0));
}

/* What each person has said after it, by the event alone. */
static struct point
said_after(const struct moment *moment, const struct approval_event *event, unsigned person, bool taken)
{
	struct point said = *moment->point;

	if (taken && event->kind == APPROVAL_OVERRIDE_GIVEN) {
		said.vote[person] = APPROVAL_VOTE_OVERRIDE;
		said.counts[person] = 0;
	}
	if (!taken || event->kind > APPROVAL_RECUSE_GIVEN || event->kind == APPROVAL_OPENED)
		return said;
	said.vote[person] = event->kind == APPROVAL_APPROVE_GIVEN ? APPROVAL_VOTE_APPROVE
			    : event->kind == APPROVAL_DENY_GIVEN  ? APPROVAL_VOTE_DENY
								  : APPROVAL_VOTE_RECUSED;
	said.counts[person] = 0;
	if (event->kind != APPROVAL_RECUSE_GIVEN)
		said.counts[person] = (uint8_t)event->eligible;
	if (event->kind == APPROVAL_DENY_GIVEN)
		said.counts[person] &= (uint8_t)moment->count.open;
	return said;
}

static void
check_counts(const struct moment *moment, const struct approval_event *event, unsigned person,
	     const struct approval_step *step, const struct point *point)
{
	bool taken = step->verdict == APPROVAL_TAKEN, changed;
	struct point said = said_after(moment, event, person, taken);
	struct count counted;

	assert_memory_equal(said.vote, point->vote, sizeof said.vote);
	assert_memory_equal(said.counts, point->counts, sizeof said.counts);
	changed = memcmp(said.counts, moment->point->counts, sizeof said.counts) != 0
		  || memcmp(said.vote, moment->point->vote, sizeof said.vote) != 0;
	if (moment->before.state != APPROVAL_PENDING || moment->overdue
	    || (!changed && event->kind != APPROVAL_TIME_CHECK))
		return;
	counted = changed ? count(&step->next, &said) : moment->count;
	if (event->kind == APPROVAL_APPROVE_GIVEN || event->kind == APPROVAL_TIME_CHECK)
		assert_int_equal(step->next.state == APPROVAL_APPROVED, counted.met);
	assert_int_equal(step->next.state == APPROVAL_DENIED, is_denied(&moment->after_steps, &said));
}

static void
try(const struct moment *moment, struct approval_event event, unsigned person)
{
	struct approval_step step;
	struct point point;

	event.now = moment->now;
	event.voter = moment->before.state == APPROVAL_NONE ? 0 : place_of(moment->point, person);
	step = approval_step(moment->before, event);
	explored.transitions++;
	check_sense(&moment->before, &event, &step);
	check_row(moment, &event, &step);
	point = point_after(moment->point, &step.next, person, event.now);
	if (step.effects != 0) {
		check_counts(moment, &event, person, &step, &point);
		check_whole(&point, &step.next);
	} else if (event.kind == APPROVAL_TIME_CHECK) {
		assert_true(step.next.state != APPROVAL_PENDING || !moment->count.met);
	}
	if (moment->overdue)
		assert_int_equal(step.next.state, APPROVAL_EXPIRED);
	else
		assert_true(step.next.state != APPROVAL_EXPIRED || moment->before.state == APPROVAL_EXPIRED);
	if (step.next.state != APPROVAL_NONE)
		visit(without_idle_time(point));
}

/* ------------------------------------------------------------------ all events */

/* Every answer of a person: in his groups, having left some or all, excluded from some or all; in his groups, also with facts that
 * are against it, one, two, all. */
static void
try_answers(const struct moment *moment, unsigned person, bool every_fact)
{
	enum { OTHER_DIGEST = 1, NO_REASON = 2, REQUESTER = 4, AGENT = 8, OPERATOR = 16 };
	static const unsigned all_facts[] = {0,
					     AGENT,
					     OPERATOR,
					     OTHER_DIGEST,
					     NO_REASON,
					     REQUESTER,
					     OTHER_DIGEST | NO_REASON,
					     NO_REASON | REQUESTER,
					     REQUESTER | AGENT,
					     AGENT | OPERATOR,
					     REQUESTER | OPERATOR,
					     OTHER_DIGEST | OPERATOR,
					     NO_REASON | OPERATOR,
					     31};
	static const int64_t deadlines[] = {OPENED_AT + 6, OPENED_AT + 7, OPENED_AT + 5, 0};
	uint32_t groups = explored.scene->groups[person];
	const uint32_t members[][2] = {{groups, 0}, {groups & 0x55, groups & 0xaa}, {0, groups}, {0, 0}};
	static const uint32_t overrides[][2] = {{3, 0}, {1, 2}, {2, 0}, {0, 3}};

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		for (size_t j = 0; j < COUNT_OF(all_facts) && (j < 3 || (every_fact && i == 0)); j++) {
			unsigned facts = all_facts[j];
			struct approval_event event = {.digest_matches = !(facts & OTHER_DIGEST),
						       .has_reason = !(facts & NO_REASON),
						       .responder_is_requester = facts & REQUESTER,
						       .requester_verified = facts & AGENT,
						       .is_operator = facts & OPERATOR,
						       .eligible = members[i][0],
						       .excluded = members[i][1],
						       .overrides = overrides[i][0],
						       .override_excluded = overrides[i][1],
						       .deadline = deadlines[i]};

			for (int kind = APPROVAL_APPROVE_GIVEN; kind <= APPROVAL_REVIEW_GIVEN; kind++) {
				event.kind = (enum approval_event_kind)kind;
				try(moment, event, person);
			}
		}
	}
}

static void
try_everything(const struct point *point)
{
	static const int jumps[] = {0, 1, 3, TICKS};

	for (size_t i = 0; i < COUNT_OF(jumps); i++) {
		int64_t tick = point->time + jumps[i] < TICKS ? point->time + jumps[i] : TICKS;
		struct moment moment = moment_at(point, OPENED_AT + tick);

		if (i > 0 && moment.now == OPENED_AT + point->time)
			continue;
		try(&moment, (struct approval_event){.kind = APPROVAL_OPENED}, 0);
		try(&moment, (struct approval_event){.kind = APPROVAL_TIME_CHECK}, 0);
		for (unsigned person = 0; person < explored.scene->people && i != 2; person++)
			try_answers(&moment, person, i == 0);
	}
}

static void
explore(const struct scene *scene)
{
	struct story story = begin();
	struct point start = {0};

	story.approval.deadline = OPENED_AT + 5;
	story.approval.latest = OPENED_AT + 6;
	scene->build(&story);
	assert_in_range(story.approval.ask_count, 1, 8);
	assert_in_range(story.approval.step_count, 0, STEPS_AT_MOST);
	explored.scene = scene;
	explored.base = story.approval;
	explored.count = explored.next = 0;
	explored.transitions = 0;
	memset(explored.table, 0, 2 * POINTS * sizeof *explored.table);
	start.deadline = (uint8_t)(story.approval.deadline ? story.approval.deadline - OPENED_AT : 0);
	if (scene->crowd > 0)
		start.state = APPROVAL_PENDING; /* as test_approval.c tells it */
	visit(start);
	while (explored.next < explored.count) {
		struct point point = explored.points[explored.next++];

		try_everything(&point);
	}
	print_message("%s: %u states, %lu transitions\n", scene->name, explored.count, explored.transitions);
}

/* ------------------------------------------------------------------ the scenes */

static void
stages_with_a_reminder(struct story *story)
{
	demand(story);
	story->approval.demands[0].deny_quorum = 2;
	story->approval.demands[0].overridable = true;
	stage(story, false);
	ask(story, 2);
	stage(story, false);
	ask(story, 1);
	story->approval.remind_before = 2;
}

static void
distinct_stages_with_another_way(struct story *story)
{
	demand(story);
	story->approval.demands[0] = (struct approval_demand){.deny_quorum = 2, .distinct = true};
	stage(story, false);
	ask(story, 1);
	ask(story, 1);
	stage(story, false);
	ask(story, 1);
	step_at(story, OPENED_AT + 2, APPROVAL_STEP_ADD, 1);
}

static void
distinct_all_of_that_is_replaced(struct story *story)
{
	demand(story);
	story->approval.demands[0] =
	    (struct approval_demand){.deny_quorum = 2, .distinct = true, .require_reason = true};
	stage(story, true);
	ask(story, 1);
	ask(story, 1);
	step_at(story, OPENED_AT + 1, APPROVAL_STEP_NOTIFY, 0);
	step_at(story, OPENED_AT + 2, APPROVAL_STEP_REPLACE, 2);
	step_at(story, OPENED_AT + 4, APPROVAL_STEP_ADD, 1);
}

static void
two_demands_one_with_a_reason(struct story *story)
{
	demand(story);
	story->approval.demands[0].require_reason = true;
	stage(story, false);
	ask(story, 1);
	story->approval.demands[0].overridable = true;
	demand(story);
	story->approval.demands[1].deny_quorum = 2;
	story->approval.demands[1].overridable = true;
	stage(story, true);
	ask(story, 1);
	ask(story, 2);
	step_at(story, OPENED_AT + 3, APPROVAL_STEP_REPLACE, 1);
}

static void
four_people_two_distinct_stages(struct story *story)
{
	demand(story);
	story->approval.demands[0] = (struct approval_demand){.deny_quorum = 3, .distinct = true};
	stage(story, true);
	ask(story, 1);
	ask(story, 1);
	stage(story, false);
	ask(story, 2);
	ask(story, 1);
	story->approval.latest = 0;
}

static void
without_an_end(struct story *story)
{
	plain_demand(story, 2);
	step_at(story, OPENED_AT + 2, APPROVAL_STEP_REPLACE, 1);
	step_at(story, OPENED_AT + 2, APPROVAL_STEP_ADD, 1);
	story->approval.deadline = 0;
	story->approval.remind_every = 3;
}

static void
one_place_left(struct story *story)
{
	plain_demand(story, 1);
	story->approval.demands[0].deny_quorum = 2;
	story->approval.demands[0].overridable = true;
}

static void
nobody_asked(struct story *story)
{
	plain_demand(story, 0);
}

static const struct scene scenes[] = {
    {"two stages and a reminder", stages_with_a_reminder, 3, {1, 3, 2}, 0},
    {"distinct, another way", distinct_stages_with_another_way, 3, {1 | 4, 1 | 2 | 8, 2 | 4}, 0},
    {"distinct all_of, replaced", distinct_all_of_that_is_replaced, 3, {1 | 4 | 8, 1 | 2 | 4, 2 | 4}, 0},
    {"two demands, a reason", two_demands_one_with_a_reason, 3, {1 | 2, 2 | 4 | 8, 4 | 1}, 0},
    {"four people, distinct", four_people_two_distinct_stages, 4, {1 | 4, 2 | 4, 1 | 2 | 8, 4 | 8}, 0},
    {"without an end", without_an_end, 3, {1, 1 | 2, 1 | 4}, 0},
    {"one place left", one_place_left, 2, {1, 1}, APPROVAL_VOTERS_MAX - 1},
    {"nobody asked", nobody_asked, 1, {1}, 0},
};

static void
every_state_of_small_approvals_is_right(void **state)
{
	(void)state;
	explored.points = malloc(POINTS * sizeof *explored.points);
	explored.table = malloc(2 * POINTS * sizeof *explored.table);
	assert_non_null(explored.points);
	assert_non_null(explored.table);
	for (size_t i = 0; i < COUNT_OF(scenes); i++)
		explore(&scenes[i]);
	free(explored.points);
	free(explored.table);
}

static void
and_every_row_of_the_table_was_taken(void **state)
{
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);
	unsigned missing = 0;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (reached[i])
			continue;
		print_message("never taken: %s, event %d, guard \"%s\": %s\n",
			      approval_state_name(rows[i].from), (int)rows[i].event, rows[i].guard,
			      rows[i].comment);
		missing++;
	}
	assert_int_equal(missing, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_state_of_small_approvals_is_right),
	    cmocka_unit_test(and_every_row_of_the_table_was_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
