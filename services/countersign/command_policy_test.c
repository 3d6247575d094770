/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy_test.c - a policy against the tests beside it, in the Test Anything Protocol (version 13): what fails, and what nothing tried. */
#include "common/policy/policy_coverage.h"
#include "services/countersign/policy_layers.h"
#include "services/countersign/policy_mutation.h"

#include <string.h>

enum { DIFFERENCES_MAX = 16 };

struct testing {
	struct cli *cli;
	const struct policy *policy, *beside;
	struct policy_coverage *coverage;
	struct arena *scratch;
	size_t failed;
};

static void
say(const char *before, const char *text)
{
	fputs(before, stdout);
	cli_print_text(text, stdout);
}

static void
print_case(size_t number, const struct policy_case *one, const char *const *lines, size_t count)
{
	printf("%sok %zu", count ? "not " : "", number);
	say(" - ", one->name);
	putchar('\n');
	if (!count)
		return;
	puts("  ---");
	printf("  line: %u\n  differences:\n", one->at.line);
	for (size_t i = 0; i < count; i++) {
		say("    - \"", lines[i]);
		puts("\"");
	}
	puts("  ...");
}

static void
run_case(struct testing *testing, size_t number, const struct policy_case *one)
{
	struct policy_decision decision;
	const char *lines[DIFFERENCES_MAX];

	arena_reset(testing->scratch);
	policy_suite_decide(testing->policy, testing->beside, one, testing->scratch, &decision);

	size_t count = policy_suite_differences(one, &decision, testing->scratch, lines, DIFFERENCES_MAX);

	print_case(number, one, lines, count);
	testing->failed += count > 0;
	policy_coverage_add(testing->coverage, &decision, testing->scratch);
}

static void
print_conjuncts(const struct policy_coverage *coverage, size_t n, const struct policy_covered *covered)
{
	for (size_t k = 0; k < covered->conjuncts; k++) {
		struct policy_covered_conjunct one = policy_coverage_conjunct(coverage, n, k);

		if (one.seen_true && one.seen_false)
			continue;
		say("#   never seen ", !one.seen_true && !one.seen_false ? "true nor false"
				       : one.seen_true			 ? "false"
									 : "true");
		say(", in ", covered->id);
		say(": ", one.text);
		putchar('\n');
	}
}

/* What no test tried. */
static void
print_coverage(const struct policy_coverage *coverage)
{
	size_t decisive[2] = {0}, all[2] = {0}, conjuncts = 0, seen = 0;

	for (size_t n = 0; n < policy_coverage_count(coverage); n++) {
		struct policy_covered covered = policy_coverage_of(coverage, n);

		all[covered.is_limit]++;
		decisive[covered.is_limit] += covered.decisive > 0;
		for (size_t k = 0; k < covered.conjuncts; k++) {
			struct policy_covered_conjunct one = policy_coverage_conjunct(coverage, n, k);

			seen += one.seen_true && one.seen_false;
		}
		conjuncts += covered.conjuncts;
		if (!covered.decisive) {
			say("#   never decisive: ", covered.id);
			putchar('\n');
		}
		print_conjuncts(coverage, n, &covered);
	}
	printf("# decisive: %zu of %zu rules, %zu of %zu limits\n", decisive[0], all[0], decisive[1], all[1]);
	printf("# conditions seen true and false: %zu of %zu\n", seen, conjuncts);
}

int
command_policy_test(struct cli *cli)
{
	struct policy_file file;
	struct policy_suite suite;
	struct policy_layers layers;
	const char *path = cli->arguments[0];
	int result = policy_file_read(cli, path, &file);

	if (cli_option(cli, "with") && cli_option(cli, "mutate"))
		return cli_usage(cli, "--mutate tries the mistakes of one document: it goes without --with");
	if (result == CLI_OK)
		result = policy_file_read_suite(cli, path, cli->argument_count > 1 ? cli->arguments[1] : NULL,
						&suite);
	if (result == CLI_OK)
		result = policy_layers_read(cli, file.policy.policy, &layers);
	if (result != CLI_OK)
		return result;
	if (strcmp(suite.policy, policy_name(file.policy.policy)) != 0) {
		cli_say("the tests are of policy %s, the document is %s", suite.policy,
			policy_name(file.policy.policy));
		return CLI_FAILED;
	}

	struct testing testing = {.cli = cli,
				  .policy = file.policy.policy,
				  .beside = layers.count < 2			    ? NULL
					    : layers.items[0] == file.policy.policy ? layers.items[1]
										    : layers.items[0],
				  .coverage = policy_coverage_open(file.policy.policy, cli->arena),
				  .scratch = arena_open()};

	printf("TAP version 13\n1..%zu\n", suite.count);
	for (size_t i = 0; i < suite.count; i++)
		run_case(&testing, i + 1, &suite.cases[i]);
	print_coverage(testing.coverage);
	printf("# %zu passed, %zu failed\n", suite.count - testing.failed, testing.failed);
	arena_close(testing.scratch);
	if (cli_option(cli, "mutate") && testing.failed)
		puts("# mutants: not tried, as tests fail already");
	else if (cli_option(cli, "mutate"))
		policy_mutation_report(cli, &file, &suite);
	return testing.failed ? CLI_FAILED : CLI_OK;
}
