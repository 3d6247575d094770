/* SPDX-License-Identifier: Apache-2.0 */
/* evaluator_people.c - is there anybody who could answer? */
#include "services/evaluator/evaluator.h"

#include "common/people/people.h"

#include <assert.h>

bool
evaluator_asks_people(const struct evaluator_item *item)
{
	return item->fate == EVALUATOR_NEW && item->decision.verdict == POLICY_REQUIRE_APPROVAL && !item->hold
	       && !item->is_over;
}

bool
evaluator_leads_nowhere(const struct evaluator_item *item)
{
	return item->nobody && !item->decision.hold_if_nobody;
}

/* What is asked about one item: each requirement, and behind it what may stand in for it. */
static size_t
questions_of(const struct evaluator_item *item, struct people_question *questions)
{
	const struct policy_decision *decision = &item->decision;
	size_t count = 0;

	for (size_t i = 0; evaluator_asks_people(item) && i < decision->requirement_count; i++) {
		questions[count++] =
		    (struct people_question){.about = &item->about, .wanted = &decision->requirements[i]};
		if (decision->escalate_if_nobody)
			questions[count++] =
			    (struct people_question){.about = &item->about, .wanted = &item->fallbacks[i]};
	}
	return count;
}

/* Whom the class asks instead, of each requirement. */
static void
find_fallbacks(struct arena *arena, struct evaluator_item *item)
{
	const struct policy_decision *decision = &item->decision;

	if (!evaluator_asks_people(item) || !decision->escalate_if_nobody)
		return;
	item->fallbacks = arena_take_array(arena, decision->requirement_count, sizeof *item->fallbacks);
	for (size_t i = 0; i < decision->requirement_count; i++)
		item->fallbacks[i] = policy_requirement_escalate(&decision->requirements[i]);
}

/* Takes as many answers as questions_of asked. */
static size_t
conclude(struct evaluator_item *item, const struct people_question *answers)
{
	struct policy_decision *decision = &item->decision;
	size_t count = 0;

	for (size_t i = 0; evaluator_asks_people(item) && i < decision->requirement_count; i++) {
		bool answerable = answers[count++].answerable;
		bool by_others = decision->escalate_if_nobody && answers[count++].answerable;

		if (!answerable && by_others)
			decision->requirements[i] = item->fallbacks[i];
		else if (!answerable)
			item->nobody = true;
	}
	/* more than one approval holds can be asked by nobody either */
	if (count > 0 && !policy_requirements_fit(decision))
		item->nobody = true;
	return count;
}

bool
evaluator_look_for_people(struct work *work, struct evaluator_item *items, size_t count, struct error *error)
{
	struct people_question *questions;
	size_t room = 0, asked = 0, answered = 0;

	for (size_t i = 0; i < count; i++)
		room += evaluator_asks_people(&items[i]) ? 2 * items[i].decision.requirement_count : 0;
	questions = arena_take_array(work->arena, room, sizeof *questions);
	for (size_t i = 0; i < count; i++) {
		find_fallbacks(work->arena, &items[i]);
		asked += questions_of(&items[i], questions + asked);
	}
	if (!people_look(work, questions, asked, error))
		return false;
	for (size_t i = 0; i < count; i++)
		answered += conclude(&items[i], questions + answered);
	assert(answered == asked);
	return true;
}
