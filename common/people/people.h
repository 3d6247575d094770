/* SPDX-License-Identifier: Apache-2.0 */
/* people.h - is there anybody who could answer? Demands beside the directory of this moment, for whoever is about to ask people. */
#ifndef COUNTERSIGN_PEOPLE_H
#define COUNTERSIGN_PEOPLE_H

#include "common/policy/policy.h"
#include "common/word/word.h"

/* Could this demand, about this request, be met? */
struct people_question {
	const struct word_request *about;
	const struct policy_requirement *wanted;
	bool answerable; /* the answer */
};

/*
 * Answers all questions by the groups as they are, without those who never answer for the request: the agent, its owner, the one it acts
 * on behalf of, and the owner of the key that signed it. A demand can be met when every stage can, or when it has one stage
 * and the ask of a step can; one that is distinct when no person has to count twice, or there are more persons than an approval has voters. One round trip, none without questions.
 */
bool people_look(struct work *work, struct people_question *questions, size_t count,
		 struct error *error) CS_MUST_CHECK;

/* What is known of one ask: how many could answer; of a distinct demand so many of them as matter. */
struct people_answerers {
	int64_t count;
	const char *const *persons;
	size_t person_count;
};
/* Pure. `asks`: of all stages in order, then of all steps. */
bool people_can_meet(const struct policy_requirement *wanted, const struct people_answerers *asks);
/* So many of each group matter: 0 unless it is distinct. */
int64_t people_that_matter(const struct policy_profile *terms);

#endif
