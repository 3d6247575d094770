/* SPDX-License-Identifier: Apache-2.0 */
/*
 * countersign.c - POLICY REQUESTS: decides every line of a file of requests by a policy, over and over, and prints as one JSON object
 * what it decided and how many nanoseconds of processor time one decision took: the request as a value, from its JSON text, and the latter with the
 * explanation written as JSON. The context is checked against the declared inputs each time, as in the services.
 */
#include "common/canonical/canonical.h"
#include "common/document/document.h"
#include "common/message/json.h"
#include "common/policy/policy_explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REQUESTS_MAX = 256, BATCHES = 15, BATCH_NS = 20000000, NOW = 1000000 };

struct bench {
	const struct policy *policy;
	struct text lines[REQUESTS_MAX];
	struct policy_request requests[REQUESTS_MAX];
	size_t count;
	struct arena *scratch;
};

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/* Processor time, so that what else the machine does has no part in it. */
static int64_t
used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static struct text
read_file(struct arena *arena, const char *name)
{
	FILE *file = fopen(name, "r");
	struct buffer text = {.arena = arena};
	char part[4096];
	size_t got;

	if (!file)
		die(name);
	while ((got = fread(part, 1, sizeof part, file)))
		buffer_add(&text, part, got);
	fclose(file);
	return (struct text){text.bytes, text.length};
}

static struct policy_request
parsed(struct arena *arena, struct text line)
{
	struct error error = {0};
	const struct value *value = json_parse(arena, line.bytes, line.length, &json_limits_request, &error);

	if (!value)
		die(error.code);
	return (struct policy_request){.tenant = "default",
				       .agent_id = value_get_string(value, "agent_id"),
				       .action = value_get_string(value, "action"),
				       .target = value_get_string(value, "target"),
				       .context = value_get(value, "context")};
}

/* ------------------------------------------------------------------ what is measured */

static enum policy_verdict
decide(struct bench *bench, const struct policy_request *request, bool explain)
{
	struct policy_decision decision;
	struct buffer text = {.arena = bench->scratch};
	struct error error = {0};

	policy_decide(bench->policy, request, NOW, bench->scratch, &decision);
	if (explain && !canonical_format(&text, policy_explain(&decision, bench->scratch), &error))
		die(error.code);
	return decision.verdict;
}

static enum policy_verdict
as_value(struct bench *bench, size_t i)
{
	return decide(bench, &bench->requests[i], false);
}

static enum policy_verdict
as_json(struct bench *bench, size_t i)
{
	struct policy_request request = parsed(bench->scratch, bench->lines[i]);

	return decide(bench, &request, false);
}

static enum policy_verdict
explained(struct bench *bench, size_t i)
{
	struct policy_request request = parsed(bench->scratch, bench->lines[i]);

	return decide(bench, &request, true);
}

static int
compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The median of the batches, the first of which warms up. */
static double
measure(struct bench *bench, enum policy_verdict (*ask)(struct bench *, size_t))
{
	double found[BATCHES];

	for (size_t batch = 0; batch <= BATCHES; batch++) {
		int64_t begin = used_ns(), took;
		size_t asked = 0;

		do {
			for (size_t i = 0; i < bench->count; i++) {
				arena_reset(bench->scratch);
				(void)ask(bench, i);
			}
			asked += bench->count;
			took = used_ns() - begin;
		} while (took < BATCH_NS);
		if (batch)
			found[batch - 1] = (double)took / (double)asked;
	}
	qsort(found, BATCHES, sizeof *found, compare);
	return found[BATCHES / 2];
}

int
main(int argc, char **argv)
{
	struct arena *arena = arena_open();
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct bench bench = {.scratch = arena_open()};
	struct document document;
	struct policy_document policy;

	if (argc != 3)
		die("countersign POLICY REQUESTS");

	struct text source = read_file(arena, argv[1]), lines = read_file(arena, argv[2]);

	if (!document_policy(arena, argv[1], source.bytes, source.length, &document, &policy, &findings))
		die(findings.items[0].text);
	bench.policy = policy.policy;
	for (const char *at = lines.bytes, *end; bench.count < REQUESTS_MAX && (end = strchr(at, '\n'));
	     at = end + 1) {
		bench.lines[bench.count] = (struct text){at, (size_t)(end - at)};
		bench.requests[bench.count] = parsed(arena, bench.lines[bench.count]);
		bench.count++;
	}
	printf("{\"decisions\": [");
	for (size_t i = 0; i < bench.count; i++) {
		enum policy_verdict verdict = as_json(&bench, i);

		if (verdict != as_value(&bench, i))
			die("text and value differ");
		printf("%s\"%s\"", i ? ", " : "", policy_verdict_name(verdict));
	}
	printf("], \"value_ns\": %.1f, ", measure(&bench, as_value));
	printf("\"json_ns\": %.1f, \"explained_ns\": %.1f}\n", measure(&bench, as_json),
	       measure(&bench, explained));
	arena_close(bench.scratch);
	arena_close(arena);
	return 0;
}
