/* SPDX-License-Identifier: Apache-2.0 */
/* people.c - is there anybody who could answer? */
#include "common/people/people.h"

#include "common/asking/asking.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------ by what is known */

/* His place among the voters; APPROVAL_VOTERS_MAX: there is no room for him, who could answer all the same, if others do not. */
static unsigned
voter_of(struct approval *trial, const char **persons, const char *person)
{
	unsigned n = 0;

	while (n < trial->voter_count && strcmp(persons[n], person) != 0)
		n++;
	if (n == trial->voter_count && n < APPROVAL_VOTERS_MAX) {
		persons[n] = person;
		trial->voters[n] = (struct approval_voter){.vote = APPROVAL_VOTE_APPROVE};
		trial->voter_count++;
	}
	return n;
}

/* As if everybody had approved: would each have to count once only? */
static bool
can_share(const struct policy_requirement *wanted, const struct people_answerers *asks)
{
	struct approval trial = {.state = APPROVAL_PENDING, .opened_at = 1};
	struct asking asking = {0};
	const char *persons[APPROVAL_VOTERS_MAX];
	unsigned ask = 0;

	if (!asking_add(&trial, &asking, wanted, 1))
		return false;
	for (unsigned n = 0; n < trial.ask_count; n++) {
		if (trial.asks[n].of_step)
			continue;
		for (size_t i = 0; i < asks[ask].person_count; i++) {
			unsigned voter = voter_of(&trial, persons, asks[ask].persons[i]);

			if (voter == APPROVAL_VOTERS_MAX)
				return true; /* more than can be told apart here are not nobody */
			trial.voters[voter].counts |= UINT32_C(1) << n;
		}
		ask++;
	}
	return approval_current_stage(&trial, 0) == APPROVAL_STAGES_MAX;
}

bool
people_can_meet(const struct policy_requirement *wanted, const struct people_answerers *asks)
{
	const struct policy_profile *terms = wanted->terms;
	bool all_stages = true, by_step = false;
	size_t ask = 0;

	for (size_t i = 0; i < terms->stage_count; i++) {
		const struct policy_stage *stage = &terms->stages[i];
		size_t met = 0;

		for (size_t j = 0; j < stage->ask_count; j++)
			met += asks[ask++].count >= stage->asks[j].quorum;
		all_stages = all_stages && met >= (stage->all ? stage->ask_count : 1);
	}
	for (size_t i = 0; i < terms->step_count; i++) {
		int64_t count = asks[ask++].count;

		by_step =
		    by_step
		    || (terms->steps[i].how != POLICY_ESCALATE_NOTIFY && count >= terms->steps[i].to.quorum);
	}
	if (all_stages && terms->distinct)
		all_stages = can_share(wanted, asks);
	return all_stages || (by_step && terms->stage_count == 1);
}

/* Where a group has so many there are enough whomever the others take. */
int64_t
people_that_matter(const struct policy_profile *terms)
{
	int64_t seats = 0;

	for (size_t i = 0; terms->distinct && i < terms->stage_count; i++)
		for (size_t j = 0; j < terms->stages[i].ask_count; j++)
			seats += terms->stages[i].asks[j].quorum;
	return seats < APPROVAL_VOTERS_MAX ? seats : APPROVAL_VOTERS_MAX;
}

/* ------------------------------------------------------------------ by the directory */

static void
ask_group(struct sheet *asked, const struct people_question *question, const struct policy_ask *ask)
{
	const struct word_request *about = question->about;

	sheet_add(asked, store_text(about->tenant), store_text(ask->group), store_text(about->agent_id),
		  store_text(about->on_behalf_of), store_text(about->verified_owner),
		  store_int(people_that_matter(question->wanted->terms)));
}

static size_t
ask_groups(struct sheet *asked, const struct people_question *question)
{
	const struct policy_profile *terms = question->wanted->terms;
	size_t before = asked->count;

	for (size_t i = 0; i < terms->stage_count; i++)
		for (size_t j = 0; j < terms->stages[i].ask_count; j++)
			ask_group(asked, question, &terms->stages[i].asks[j]);
	for (size_t i = 0; i < terms->step_count; i++)
		ask_group(asked, question, &terms->steps[i].to);
	return asked->count - before;
}

bool
people_look(struct work *work, struct people_question *questions, size_t count, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_PEOPLE_ELIGIBLE, "tttttn");
	size_t *sizes = arena_take_array(work->arena, count, sizeof *sizes), row = 0;

	for (size_t i = 0; i < count; i++)
		sizes[i] = ask_groups(&asked, &questions[i]);
	if (asked.count == 0)
		return true;

	struct store_rows *rows = sheet_query(&asked, work->store, error);

	for (size_t i = 0; rows && i < count; i++) {
		struct people_answerers *asks = arena_take_array(work->arena, sizes[i], sizeof *asks);

		for (size_t j = 0; j < sizes[i]; j++, row++) {
			asks[j].count = store_row_int(rows, row, 0);
			asks[j].persons = store_row_list(rows, row, 1, &asks[j].person_count);
		}
		questions[i].answerable = people_can_meet(questions[i].wanted, asks);
	}
	assert(!rows || row == store_rows_count(rows));
	return rows != NULL;
}
