/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - how long conditions, decisions and loading take in the real library, as one JSON object. No servers. */
#include "common/canonical/canonical.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_explain.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 15, ASKS = 100000, REQUESTS = 16, DECISIONS = 4000, LOADS = 5, NOW = 1000000 };

static int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int
compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double
quantile(double *numbers, size_t count, double part)
{
	qsort(numbers, count, sizeof *numbers, compare);
	return numbers[(size_t)(part * (double)(count - 1))];
}

/* ------------------------------------------------------------------ policies and requests */

static const char *const conditions[] = {
    "context.currency == 'EUR' && context.amount <= 5000 && context.environment != 'production' && "
    "context.tested",
    "context.branch.matches('^release/[0-9]+[.][0-9]+$')",
    "context.tags.exists(t, t == 'phi')",
};
enum { SIMPLE, REGEX, COMPREHENSION, KINDS };
static const char *const kind_names[] = {"simple", "regex", "comprehension"};

static struct value *
strings(struct arena *arena, const char *const *texts, size_t count)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < count; i++)
		value_append(arena, list, value_string(arena, texts[i]));
	return list;
}

static void
set_input(struct arena *arena, struct value *inputs, const char *name, const char *type, int64_t max)
{
	struct value *input = value_map(arena);

	value_set_string(arena, input, "type", type);
	if (max)
		value_set(arena, input, "max", value_int(arena, max));
	value_set(arena, inputs, name, input);
}

static struct value *
inputs(struct arena *arena)
{
	struct value *map = value_map(arena);

	set_input(arena, map, "currency", "string", 3);
	set_input(arena, map, "environment", "string", 32);
	set_input(arena, map, "branch", "string", 255);
	set_input(arena, map, "amount", "int", 0);
	set_input(arena, map, "tested", "bool", 0);
	set_input(arena, map, "tags", "list<string>", 32);
	return map;
}

/* So many rules, of which so many are about the action "pay.out". */
static struct value *
document(struct arena *arena, size_t rules, size_t candidates)
{
	static const char *const everyone[] = {"*"}, *const all[] = {"**"};
	static const char *const verdicts[] = {"ALLOW", "REQUIRE_APPROVAL", "BLOCK"};
	struct value *map = value_map(arena), *class = value_map(arena), *classes = value_list(arena);
	struct value *list = value_list(arena), *approvals = value_map(arena), *people = value_map(arena);
	struct value *ask = value_map(arena), *asks = value_list(arena);

	value_set_string(arena, map, "countersign", "policy/v1");
	value_set_string(arena, map, "policy", "bench");
	value_set(arena, map, "version", value_int(arena, 1));
	value_set(arena, map, "tenants", strings(arena, everyone, 1));
	value_set(arena, map, "inputs", inputs(arena));
	value_set_string(arena, class, "id", "all");
	value_set(arena, class, "actions", strings(arena, all, 1));
	value_set_string(arena, class, "default", "BLOCK");
	value_append(arena, classes, class);
	value_set(arena, map, "classes", classes);
	value_set_string(arena, ask, "group", "people");
	value_set(arena, ask, "quorum", value_int(arena, 1));
	value_append(arena, asks, ask);
	value_set(arena, people, "any_of", asks);
	value_set_string(arena, people, "ttl", "1h");
	value_set(arena, approvals, "people", people);
	value_set(arena, map, "approvals", approvals);
	for (size_t i = 0; i < rules; i++) {
		const char *action = i < candidates ? "pay.out" : arena_format(arena, "pay.other-%zu", i);
		struct value *rule = value_map(arena), *match = value_map(arena);
		size_t verdict = i % 16 == 5 ? 1 : i % 16 == 9 ? 2 : 0;

		value_set_string(arena, rule, "id", arena_format(arena, "rule-%05zu", i));
		value_set(arena, match, "actions", strings(arena, &action, 1));
		value_set(arena, rule, "match", match);
		value_set_string(
		    arena, rule, "when",
		    arena_format(arena, "context.currency == 'EUR' && context.amount <= %zu", 1000 + i));
		value_set_string(arena, rule, "decision", verdicts[verdict]);
		if (verdict == POLICY_REQUIRE_APPROVAL)
			value_set_string(arena, rule, "approval", "people");
		value_set_string(arena, rule, "reason", "Because of the amount.");
		value_append(arena, list, rule);
	}
	value_set(arena, map, "rules", list);
	return map;
}

static const struct policy *
load(struct arena *arena, const struct value *value)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	const struct policy *policy = policy_load_whole(arena, value, NULL, &findings);

	if (!policy) {
		fprintf(stderr, "%s: %s\n", findings.items[0].path, findings.items[0].text);
		exit(1);
	}
	return policy;
}

/* The same facts for the library and for plain C. */
struct plain {
	const char *currency, *environment, *branch;
	int64_t amount;
	bool tested;
};

static struct plain
plain(size_t i)
{
	return (struct plain){.currency = i % 4 ? "EUR" : "USD",
			      .environment = i % 8 == 3 ? "production" : "staging",
			      .branch = i % 2 ? "release/12.4" : "feature/wonderful",
			      .amount = 1000 + (int64_t)i * 300,
			      .tested = i % 16 != 7};
}

static struct policy_request
request(struct arena *arena, size_t i)
{
	static const char *const tags[] = {"a", "bb", "ccc", "pii", "x", "y", "z", "phi"};
	struct plain facts = plain(i);
	struct value *context = value_map(arena);

	value_set_string(arena, context, "currency", facts.currency);
	value_set_string(arena, context, "environment", facts.environment);
	value_set_string(arena, context, "branch", facts.branch);
	value_set(arena, context, "amount", value_int(arena, facts.amount));
	value_set(arena, context, "tested", value_bool(arena, facts.tested));
	value_set(arena, context, "tags", strings(arena, tags, i % 2 ? 8 : 7));
	return (struct policy_request){
	    .tenant = "acme", .agent_id = "bot", .action = "pay.out", .target = "x", .context = context};
}

/* ------------------------------------------------------------------ conditions */

static __attribute__((noinline)) bool
plain_condition(const struct plain *facts)
{
	return strcmp(facts->currency, "EUR") == 0 && facts->amount <= 5000
	       && strcmp(facts->environment, "production") != 0 && facts->tested;
}

static double
time_plain(const struct plain *facts, size_t *held)
{
	double found[BATCHES];

	for (size_t batch = 0; batch < BATCHES; batch++) {
		int64_t begin = now_ns();

		for (size_t i = 0; i < ASKS; i++) {
			const struct plain *one = &facts[i % REQUESTS];

			__asm__ volatile("" : "+r"(one)::"memory");
			*held += plain_condition(one);
		}
		found[batch] = (double)(now_ns() - begin) / ASKS;
	}
	return quantile(found, BATCHES, 0.5);
}

static double
time_condition(const struct policy_condition *condition, const struct policy_meter *meters,
	       struct arena *scratch, size_t *held)
{
	double found[BATCHES];

	for (size_t batch = 0; batch < BATCHES; batch++) {
		int64_t begin = now_ns();

		for (size_t i = 0; i < ASKS; i++) {
			struct policy_meter meter = meters[i % REQUESTS];

			if (i % 1024 == 0)
				arena_reset(scratch);
			*held += policy_condition_ask(condition, &meter).truth == POLICY_TRUE;
		}
		found[batch] = (double)(now_ns() - begin) / ASKS;
	}
	return quantile(found, BATCHES, 0.5);
}

static void
print_conditions(void)
{
	struct arena *arena = arena_open(), *scratch = arena_open();
	struct policy_meter meters[REQUESTS];
	struct plain facts[REQUESTS];
	size_t plainly = 0;

	for (size_t i = 0; i < REQUESTS; i++)
		facts[i] = plain(i);

	double reference = time_plain(facts, &plainly);

	printf("\"plain_ns\": %.2f", reference);
	for (size_t kind = 0; kind < KINDS; kind++) {
		struct value *value = document(arena, 1, 1);
		struct value *rule = value_get(value, "rules")->as.list.items[0];
		size_t held = 0;

		*value_get(rule, "when") = *value_string(arena, conditions[kind]);

		const struct policy *policy = load(arena, value);

		for (size_t i = 0; i < REQUESTS; i++) {
			struct policy_request *one = arena_take(arena, sizeof *one);
			struct policy_decision *decision = arena_take(arena, sizeof *decision);

			*one = request(arena, i);
			policy_decide(policy, one, NOW, arena, decision);
			meters[i] = decision->trail->meter;
			meters[i].cost = meters[i].polled = 0;
			meters[i].arena = scratch;
		}
		double took = time_condition(&policy->rules[0].condition, meters, scratch, &held);

		if (kind == SIMPLE && held != plainly) {
			fprintf(stderr, "plain C says something else\n");
			exit(1);
		}
		printf(", \"%s_ns\": %.1f", kind_names[kind], took);
	}
	arena_close(scratch);
	arena_close(arena);
}

/* ------------------------------------------------------------------ decisions */

static void
print_decisions(size_t rules, size_t candidates)
{
	static double decided[DECISIONS], explained[DECISIONS], written[DECISIONS];
	struct arena *arena = arena_open(), *scratch = arena_open();
	const struct policy *policy = load(arena, document(arena, rules, candidates));
	struct policy_request requests[REQUESTS];

	for (size_t i = 0; i < REQUESTS; i++)
		requests[i] = request(arena, i);
	for (size_t i = 0; i < 2 * DECISIONS; i++) { /* the first half warms up */
		struct policy_decision decision;
		struct buffer text = {.arena = scratch};
		struct error error = {0};
		int64_t begin, told, made;

		arena_reset(scratch);
		begin = now_ns();
		policy_decide(policy, &requests[i % REQUESTS], NOW, scratch, &decision);
		made = now_ns();

		struct value *explanation = policy_explain(&decision, scratch);

		told = now_ns();
		if (decision.trail->candidate_count != candidates
		    || !canonical_format(&text, explanation, &error)) {
			fprintf(stderr, "not what was meant to be measured\n");
			exit(1);
		}
		decided[i % DECISIONS] = (double)(made - begin) / 1000;
		explained[i % DECISIONS] = (double)(told - begin) / 1000;
		written[i % DECISIONS] = (double)(now_ns() - begin) / 1000;
	}
	printf("{\"rules\": %zu, \"candidates\": %zu, \"decide_p50_us\": %.2f, \"decide_p99_us\": %.2f, ",
	       rules, candidates, quantile(decided, DECISIONS, 0.5), quantile(decided, DECISIONS, 0.99));
	printf("\"p50_us\": %.2f, \"p99_us\": %.2f, ", quantile(explained, DECISIONS, 0.5),
	       quantile(explained, DECISIONS, 0.99));
	printf("\"written_p50_us\": %.2f, \"written_p99_us\": %.2f}", quantile(written, DECISIONS, 0.5),
	       quantile(written, DECISIONS, 0.99));
	arena_close(scratch);
	arena_close(arena);
}

static void
print_load(size_t rules)
{
	struct arena *arena = arena_open();
	const struct value *value = document(arena, rules, 10);
	double found[LOADS];
	size_t used = 0;

	for (size_t i = 0; i < LOADS; i++) {
		size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
		struct arena *target = arena_open();
		int64_t begin = now_ns();

		load(target, value);
		found[i] = (double)(now_ns() - begin) / 1e6;
		used = mallinfo2().uordblks + mallinfo2().hblkhd - before;
		arena_close(target);
	}
	printf("{\"rules\": %zu, \"ms\": %.1f, \"kib_a_rule\": %.3f}", rules, quantile(found, LOADS, 0.5),
	       (double)used / 1024 / (double)rules);
	arena_close(arena);
}

int
main(void)
{
	static const size_t shapes[][2] = {{10, 10},   {1000, 10},  {10000, 10},
					   {100, 100}, {1000, 100}, {10000, 100}};

	printf("{");
	print_conditions();
	printf(", \"decisions\": [");
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		printf("%s", i ? ", " : "");
		print_decisions(shapes[i][0], shapes[i][1]);
	}
	printf("], \"load\": ");
	print_load(10000);
	printf("}\n");
	return 0;
}
