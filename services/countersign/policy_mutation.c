/* SPDX-License-Identifier: Apache-2.0 */
/* policy_mutation.c - all tests against every mutant, and what can be said of those that survive. */
#include "services/countersign/policy_mutation.h"
#include "common/canonical/canonical.h"
#include "common/policy/policy_difference.h"
#include "services/countersign/policy_mutant.h"

struct mutation {
	const struct policy_file *file;
	const struct policy_suite *suite;
	struct arena *arena;   /* of one mutant */
	struct arena *scratch; /* of one test */
	size_t seen, survived, harmless, no_policy;
};

static bool
passes_all(const struct mutation *mutation, const struct policy *policy)
{
	for (size_t i = 0; i < mutation->suite->count; i++) {
		const struct policy_case *one = &mutation->suite->cases[i];
		struct policy_decision decision;
		const char *line;

		arena_reset(mutation->scratch);
		policy_suite_decide(policy, NULL, one, mutation->scratch, &decision);
		if (policy_suite_differences(one, &decision, mutation->scratch, &line, 1) > 0)
			return false;
	}
	return true;
}

static void
print_line(const char *text)
{
	cli_print_text(text, stdout);
	putchar('\n');
}

static const char *
written(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error unused = {0};

	return canonical_format(&text, value, &unused) ? text.bytes : "";
}

/* Why the mutant does no harm. */
static const char *
cause_of(struct arena *arena, const struct policy_difference *difference)
{
	struct buffer text = {.arena = arena};

	if (!difference->touched)
		return "it comes to the same";
	buffer_add_text(&text, "covered by ");
	for (size_t i = 0; i < difference->cover_count; i++)
		buffer_add_format(&text, "%s%s", i ? ", " : "", difference->covers[i]);
	if (difference->by_default)
		buffer_add_format(&text, "%sthe default of its class", difference->cover_count ? ", " : "");
	return text.bytes;
}

/* What a test would see. */
static const char *
effect_of(struct arena *arena, const struct policy_difference *difference)
{
	const char *before = policy_verdict_name(difference->before);

	return difference->before == difference->after
		   ? arena_format(arena, "%s of others, for another time, or with other obligations", before)
		   : policy_verdict_name(difference->after);
}

static void
report_survivor(struct mutation *mutation, const struct policy_mutant *mutant, const struct policy *policy)
{
	struct arena *arena = mutation->arena;
	struct policy_difference difference = policy_difference_find(
	    mutation->file->policy.policy, policy, mutant->rule, mutation->suite->cases[0].now, arena);

	mutation->survived++;
	print_line(arena_format(arena, "#   survived: %s, %s", mutant->rule, mutant->change));
	if (difference.request) {
		print_line(arena_format(arena, "#     untested: %s is %s, and would be %s",
					written(arena, difference.request),
					policy_verdict_name(difference.before), effect_of(arena, &difference)));
		return;
	}
	mutation->harmless++;
	print_line(arena_format(arena, "#     harmless in %s: %s",
				difference.exhaustive ? "all small requests" : "the small requests tried",
				cause_of(arena, &difference)));
}

static void
try_mutant(struct mutation *mutation, const struct policy_mutant *mutant)
{
	struct findings findings;
	const struct policy *policy;

	arena_reset(mutation->arena);
	findings = findings_open(mutation->arena, 1);
	policy = policy_load_whole(
	    mutation->arena, policy_mutant_document(mutation->arena, mutation->file->document.value, mutant),
	    NULL, &findings);
	if (!policy)
		mutation->no_policy++;
	else if (!passes_all(mutation, policy))
		mutation->seen++;
	else
		report_survivor(mutation, mutant, policy);
}

void
policy_mutation_report(struct cli *cli, const struct policy_file *file, const struct policy_suite *suite)
{
	struct policy_mutants mutants = policy_mutants_of(cli->arena, file->document.value);
	struct mutation mutation = {
	    .file = file, .suite = suite, .arena = arena_open(), .scratch = arena_open()};

	for (size_t i = 0; i < mutants.count; i++)
		try_mutant(&mutation, &mutants.items[i]);
	printf("# mutants: %zu seen by a test, %zu survived, %zu of them harmless; %zu were no policy\n",
	       mutation.seen, mutation.survived, mutation.harmless, mutation.no_policy);
	arena_close(mutation.scratch);
	arena_close(mutation.arena);
}
