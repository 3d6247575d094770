/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_class.c - what classes cover: E05, W10, W12, W14; approvals without a deadline: W15. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <string.h>

enum { CANDIDATES_USUAL = 64, CLASS_STEPS = 100000000 };

static const char *
last_segment(const char *pattern)
{
	const char *dot = strrchr(pattern, '.');

	return dot ? dot + 1 : pattern;
}

/* By the last word of an action's name. */
static bool
is_read(const char *pattern)
{
	static const char *const words[] = {"read",   "list",	  "get",   "show",   "view",  "describe",
					    "search", "status",	  "count", "find",   "fetch", "head",
					    "look",   "query",	  "peek",  "browse", "stat",  "exists",
					    "info",   "download", NULL};
	const char *last = last_segment(pattern);

	for (size_t i = 0; words[i]; i++)
		if (strcmp(words[i], last) == 0)
			return true;
	return false;
}

/* ------------------------------------------------------------------ E05 */

/* Does its own `except` leave nothing of it? */
static bool
is_excepted(const struct policy_class *class, struct policy_allowance *allowance)
{
	return class->except.count && policy_strings_cover(&class->except, &class->actions, allowance);
}

/* A class that covers every action, so that nothing is left for the fallback. */
static const struct policy_class *
find_everything(const struct policy_linting *linting, struct policy_allowance *allowance)
{
	for (size_t i = 0; i < linting->policy->class_count; i++) {
		const struct policy_class *class = &linting->policy->classes[i];

		if (class != linting->policy->fallback && policy_class_covers(class, "**", allowance))
			return class;
	}
	return NULL;
}

static void
check_reach(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct policy_allowance allowance = {CLASS_STEPS};

	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];
		struct place place = policy_place_item(&linting->classes, i),
			     actions = policy_place_member(&place, "actions"),
			     except = policy_place_member(&place, "except");
		const struct policy_class *all =
		    class == policy->fallback ? find_everything(linting, &allowance) : NULL;

		if (all)
			policy_linting_add(linting, "E05", "unreachable_class", &actions,
					   "nothing is left for the fallback: class %s covers every action; "
					   "make that one the fallback with [\"**\"], or narrow it",
					   all->id);
		else if (is_excepted(class, &allowance))
			policy_linting_add(
			    linting, "E05", "unreachable_class", &except,
			    "leaves nothing of the class's actions: it can never be reached; narrow except");
	}
	if (allowance.left == 0)
		policy_linting_note(linting, "E05: too many patterns in the classes to compare them all");
}

/* ------------------------------------------------------------------ W10 */

static void
check_open(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;

	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];
		struct place place = policy_place_item(&linting->classes, i),
			     failure = policy_place_member(&place, "failure"),
			     cell = policy_place_member(&failure, "unavailable");

		for (size_t j = 0;
		     class->cells.unavailable == POLICY_UNAVAILABLE_OPEN && j < class->actions.count; j++)
			if (!is_read(class->actions.items[j])) {
				policy_linting_add(
				    linting, "W10", "open_class", &cell,
				    "%.128s is not a read by its name, and would go ahead without "
				    "any answer; say closed, or put the reads into a class of "
				    "their own",
				    class->actions.items[j]);
				break;
			}
	}
}

/* ------------------------------------------------------------------ W12 */

static void
check_crowds(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct policy_set told = policy_set_make(linting->scratch, policy);
	struct policy_set found = policy_set_make(linting->scratch, policy);

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = linting->in_order[i];
		const struct policy_strings actions = policy_actions_of(&rule->match);
		struct place place = policy_linting_rule(linting, rule);

		for (size_t j = 0; j < actions.count
				   && policy_set_next(&told, (size_t)(rule - policy->rules))
					  != (size_t)(rule - policy->rules);
		     j++) {
			const char *action = policy_pattern_instance(linting->scratch, actions.items[j]);

			memset(found.words, 0, found.word_count * sizeof *found.words);
			policy_index_find(policy, action, &found);
			if (policy_set_count(&found) <= CANDIDATES_USUAL)
				continue;
			policy_linting_add(
			    linting, "W12", "many_rules", &place,
			    "%zu rules are about the action %.128s, more than %d: who reads a "
			    "decision has to read them all; join rules, or narrow their actions",
			    policy_set_count(&found), action, CANDIDATES_USUAL);
			for (size_t k = policy_set_next(&found, 0); k != SIZE_MAX;
			     k = policy_set_next(&found, k + 1))
				policy_set_add(&told, k);
		}
	}
}

/* ------------------------------------------------------------------ W15 */

static void
check_endless(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;
	struct place approvals = policy_place_member(&linting->root, "approvals");

	for (size_t i = 0; i < policy->profile_count; i++) {
		const struct policy_profile *profile = &policy->profiles[i];
		struct place place = policy_place_member(&approvals, profile->name),
			     ttl = policy_place_member(&place, "ttl");

		if (!profile->ttl && !profile->remind_every)
			policy_linting_add(linting, "W15", "no_reminder", &ttl,
					   "nobody is reminded of what may wait for ever; add remind_every");
	}
	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];
		struct place place = policy_place_item(&linting->classes, i),
			     approval = policy_place_member(&place, "approval");

		if (class->profile && !class->profile->ttl && !class->no_deadline)
			policy_linting_add(linting, "W15", "ends_all_the_same", &approval,
					   "%s has the ttl none, which counts as 24h here; say "
					   "no_deadline: true, or give it a ttl",
					   class->profile->name);
	}
}

/* ------------------------------------------------------------------ W14 */

/* Is there an action of this pattern for which no class asks that the agent is known for sure? */
static const struct policy_class *
find_claimed(const struct policy *policy, const char *pattern, struct policy_allowance *allowance)
{
	const struct policy_class *claimed = policy->fallback->verified_identity ? NULL : policy->fallback;

	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];

		if (class == policy->fallback)
			continue;
		if (class->verified_identity ? policy_class_covers(class, pattern, allowance) : false)
			return NULL;
		if (!class->verified_identity && policy_class_meets(class, pattern, allowance))
			claimed = class;
	}
	return claimed;
}

static void
check_names(struct policy_linting *linting)
{
	struct policy_allowance allowance = {CLASS_STEPS};

	for (size_t i = 0; i < linting->policy->rule_count && allowance.left; i++) {
		const struct policy_rule *rule = linting->in_order[i];
		const struct policy_strings actions = policy_actions_of(&rule->match);
		struct place place = policy_linting_rule(linting, rule),
			     match = policy_place_member(&place, "match"),
			     agents = policy_place_member(&match, "agents");
		const struct policy_class *claimed = NULL;

		if (rule->verdict != POLICY_ALLOW || rule->is_shadow || !rule->match.agents.count)
			continue;
		for (size_t j = 0; j < actions.count && !claimed; j++)
			claimed = find_claimed(linting->policy, actions.items[j], &allowance);
		if (claimed && allowance.left)
			policy_linting_add(
			    linting, "W14", "claimed_agent", &agents,
			    "allows by a name that anybody can claim: class %s does not ask for "
			    "a verified identity; say identity: verified there, or let "
			    "conditions and people decide",
			    claimed->id);
	}
	if (allowance.left == 0)
		policy_linting_note(linting, "W14: too many patterns to compare them all with the classes");
}

void
policy_lint_classes(struct policy_linting *linting)
{
	check_reach(linting);
	check_open(linting);
	check_crowds(linting);
	check_names(linting);
	check_endless(linting);
}
