/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c - histories through approval_step(): a JSON object a line in, a list of answers a line out, as README tells. */
#include "common/approval/approval.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { PERSONS = 1024 };

static void
fail(const char *what)
{
	fprintf(stderr, "driver: %s\n", what);
	exit(1);
}

/* ------------------------------------------------------------------ reading */

static int64_t
integer(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_integer(value))
		fail(name);
	return json_integer_value(value);
}

static unsigned
number(const json_t *object, const char *name)
{
	int64_t value = integer(object, name);

	if (value < 0 || value > UINT32_MAX)
		fail(name);
	return (unsigned)value;
}

static bool
truth(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_boolean(value))
		fail(name);
	return json_is_true(value);
}

/* The index of a word among `names`. */
static unsigned
choice(const json_t *object, const char *name, const char *const *names, size_t count)
{
	const char *word = json_string_value(json_object_get(object, name));

	for (unsigned i = 0; word && i < count; i++)
		if (strcmp(word, names[i]) == 0)
			return i;
	fail(name);
	return 0;
}

/* A list that is no longer than its array. */
static const json_t *
list(const json_t *object, const char *name, size_t most)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_array(value) || json_array_size(value) > most)
		fail(name);
	return value;
}

static void
read_lists(const json_t *object, struct approval *approval)
{
	static const char *const kinds[] = {"ADD", "REPLACE", "NOTIFY"};
	static const char *const votes[] = {"NONE", "APPROVE", "DENY", "RECUSED"};
	const json_t *one;
	size_t i;

	json_array_foreach(list(object, "demands", APPROVAL_DEMANDS_MAX), i, one) approval->demands[i] =
	    (struct approval_demand){integer(one, "deny_quorum"), truth(one, "distinct"),
				     truth(one, "require_reason"), truth(one, "overridable")};
	json_array_foreach(list(object, "stages", APPROVAL_STAGES_MAX), i, one) approval->stages[i] =
	    (struct approval_stage){number(one, "demand"), truth(one, "all")};
	json_array_foreach(list(object, "asks", APPROVAL_ASKS_MAX), i, one) approval->asks[i] =
	    (struct approval_ask){number(one, "stage"), integer(one, "quorum"), truth(one, "of_step"),
				  truth(one, "active")};
	json_array_foreach(list(object, "steps", APPROVAL_STEPS_MAX), i, one) approval->steps[i] =
	    (struct approval_timed_step){integer(one, "at"),
					 (enum approval_step_kind)choice(one, "kind", kinds, COUNT_OF(kinds)),
					 number(one, "demand"), number(one, "ask"), number(one, "stage")};
	json_array_foreach(list(object, "voters", APPROVAL_VOTERS_MAX), i, one) approval->voters[i] =
	    (struct approval_voter){(enum approval_vote)choice(one, "vote", votes, COUNT_OF(votes)),
				    number(one, "counts")};
}

static struct approval
read_approval(const json_t *object)
{
	static const char *const states[] = {"NONE"};
	struct approval approval = {
	    .state = (enum approval_state)choice(object, "state", states, COUNT_OF(states)),
	    .opened_at = integer(object, "opened_at"),
	    .deadline = integer(object, "deadline"),
	    .latest = integer(object, "latest"),
	    .remind_before = integer(object, "remind_before"),
	    .remind_every = integer(object, "remind_every"),
	    .reminded_at = integer(object, "reminded_at"),
	    .grant_ends = integer(object, "grant_ends"),
	    .demand_count = number(object, "demand_count"),
	    .stage_count = number(object, "stage_count"),
	    .ask_count = number(object, "ask_count"),
	    .step_count = number(object, "step_count"),
	    .voter_count = number(object, "voter_count"),
	    .steps_taken = number(object, "steps_taken"),
	};

	read_lists(object, &approval);
	return approval;
}

static struct approval_event
read_event(const json_t *object)
{
	static const char *const kinds[APPROVAL_EVENTS] = {
	    "OPENED",	      "APPROVE_GIVEN", "DENY_GIVEN",	 "RECUSE_GIVEN",
	    "COMMENT_GIVEN",  "EXTEND_GIVEN",  "WITHDRAW_GIVEN", "REVOKE_GIVEN",
	    "OVERRIDE_GIVEN", "REVIEW_GIVEN",  "TIME_CHECK"};

	return (struct approval_event){
	    .kind = (enum approval_event_kind)choice(object, "kind", kinds, COUNT_OF(kinds)),
	    .now = integer(object, "now"),
	    .eligible = number(object, "eligible"),
	    .excluded = number(object, "excluded"),
	    .overrides = number(object, "overrides"),
	    .override_excluded = number(object, "override_excluded"),
	    .responder_is_requester = truth(object, "responder_is_requester"),
	    .requester_verified = truth(object, "requester_verified"),
	    .is_operator = truth(object, "is_operator"),
	    .digest_matches = truth(object, "digest_matches"),
	    .has_reason = truth(object, "has_reason"),
	    .deadline = integer(object, "deadline"),
	};
}

/* ------------------------------------------------------------------ writing */

static void
print_effects(unsigned effects)
{
	static const struct {
		unsigned effect;
		const char *name;
	} names[] = {{APPROVAL_EFFECT_ANNOUNCE, "ANNOUNCE"}, {APPROVAL_EFFECT_ASK, "ASK"},
		     {APPROVAL_EFFECT_CANCEL, "CANCEL"},     {APPROVAL_EFFECT_CLOSE, "CLOSE"},
		     {APPROVAL_EFFECT_DENY, "DENY"},	     {APPROVAL_EFFECT_EXPIRE, "EXPIRE"},
		     {APPROVAL_EFFECT_EXTEND, "EXTEND"},     {APPROVAL_EFFECT_GRANT, "GRANT"},
		     {APPROVAL_EFFECT_OVERRIDE, "OVERRIDE"}, {APPROVAL_EFFECT_REMIND, "REMIND"},
		     {APPROVAL_EFFECT_REVIEW, "REVIEW"},     {APPROVAL_EFFECT_REVOKE, "REVOKE"},
		     {APPROVAL_EFFECT_STEPS, "STEPS"},	     {APPROVAL_EFFECT_VOTE, "VOTE"}};
	const char *between = "";

	printf(", \"effects\": [");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (!(effects & names[i].effect))
			continue;
		printf("%s\"%s\"", between, names[i].name);
		between = ", ";
	}
	printf("]");
}

static void
print_derived(const struct approval *approval, int64_t now)
{
	bool pending = approval->state == APPROVAL_PENDING;
	int64_t next = approval_next_time(approval);

	printf(", \"open_asks\": %u, \"current_stages\": [",
	       pending ? (unsigned)approval_open_asks(approval) : 0);
	for (unsigned i = 0; pending && i < approval->demand_count; i++)
		printf("%s%u", i ? ", " : "", approval_current_stage(approval, i));
	printf("], \"votes\": [");
	for (unsigned i = 0; pending && i < approval->ask_count; i++)
		if (approval->asks[i].active)
			printf("%s%lld", i ? ", " : "", (long long)approval_votes(approval, i));
		else
			printf("%snull", i ? ", " : "");
	if (next == INT64_MAX)
		printf("], \"next_time\": null");
	else
		printf("], \"next_time\": %lld", (long long)(next > now ? next : now));
}

static void
print_answer(const struct approval_step *step, int64_t now)
{
	static const char *const verdicts[] = {"TAKEN", "REPEATED", "REFUSED"};

	printf("{\"verdict\": \"%s\", \"refusal\": \"%s\", \"state\": \"%s\"", verdicts[step->verdict],
	       step->refusal ? approval_refusal_code(step->refusal) : "",
	       approval_state_name(step->next.state));
	print_effects(step->effects);
	printf(", \"counted\": %u, \"steps_taken\": %u, \"deadline\": %lld, \"reminded_at\": %lld",
	       (unsigned)step->counted, step->next.steps_taken, (long long)step->next.deadline,
	       (long long)step->next.reminded_at);
	printf(", \"overridden\": %s, \"reviewed\": %s", step->next.overridden ? "true" : "false",
	       step->next.reviewed ? "true" : "false");
	print_derived(&step->next, now);
	printf("}");
}

/* ------------------------------------------------------------------ a history */

/* Who has which place among the voters. */
struct places {
	bool known[PERSONS];
	unsigned place[PERSONS];
};

static void
run(const json_t *history)
{
	struct approval approval = read_approval(json_object_get(history, "approval"));
	int64_t grant_for = integer(history, "grant_for");
	struct places places = {0};
	const json_t *one;
	size_t i;

	printf("[");
	json_array_foreach(list(history, "events", SIZE_MAX), i, one)
	{
		struct approval_event event = read_event(one);
		unsigned person = number(one, "person");

		if (person >= PERSONS)
			fail("person");
		event.voter = places.known[person] ? places.place[person] : approval.voter_count;
		struct approval_step step = approval_step(approval, event);

		if (step.next.voter_count > approval.voter_count) {
			places.known[person] = true;
			places.place[person] = approval.voter_count;
		}
		if (step.next.state == APPROVAL_APPROVED && approval.state != APPROVAL_APPROVED)
			step.next.grant_ends = event.now + grant_for;
		printf("%s", i ? ", " : "");
		print_answer(&step, event.now);
		approval = step.next;
	}
	printf("]\n");
}

int
main(void)
{
	json_error_t error;
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		json_t *history = json_loads(line, JSON_REJECT_DUPLICATES, &error);

		if (!history)
			fail(error.text);
		run(history);
		json_decref(history);
	}
	free(line);
	return fflush(stdout) == 0 ? 0 : 1;
}
