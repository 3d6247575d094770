/* SPDX-License-Identifier: Apache-2.0 */
/* policy_gate.c - invariants tried and tests run before a policy may decide. */
#include "services/countersign/policy_gate.h"
#include "common/canonical/canonical.h"
#include "common/policy/policy_coverage.h"
#include "common/policy/policy_model.h"

#include <inttypes.h>
#include <string.h>

static const char *
json(struct cli *cli, const struct value *value)
{
	struct buffer text = {.arena = cli->arena};
	struct error unused = {0};

	return canonical_format(&text, value, &unused) ? text.bytes : "";
}

static void
say_proof(struct cli *cli, const struct policy_file *file, const struct policy_proof *proof, bool report)
{
	if (!proof->holds)
		cli_say("%s: E07 invariants: %s does not hold: %s is decided about %s", file->document.name,
			proof->invariant, policy_verdict_name(proof->verdict), json(cli, proof->request));
	else if (report || proof->assumed == 0)
		cli_say("%s: invariant %s holds in %" PRIu64 " of %" PRIu64 " requests tried, %s%s",
			file->document.name, proof->invariant, proof->assumed, proof->tried,
			proof->exhaustive ? "which are all small ones" : "not exhaustive",
			proof->assumed ? "" : ": it was never about any, so this proves nothing");
}

int
policy_gate_invariants(struct cli *cli, const struct policy_file *file, bool report)
{
	int result = CLI_OK;

	for (size_t i = 0; i < policy_invariant_count(file->policy.policy); i++) {
		struct policy_proof proof = policy_invariant_try(file->policy.policy, i, cli_now(), cli->arena);

		say_proof(cli, file, &proof, report);
		if (!proof.holds)
			result = CLI_FAILED;
	}
	return result;
}

static size_t
count_failures(const struct policy_file *file, const struct policy_suite *suite,
	       struct policy_coverage *coverage)
{
	struct arena *scratch = arena_open();
	size_t failed = 0;

	for (size_t i = 0; i < suite->count; i++) {
		struct policy_decision decision;
		const char *line;

		arena_reset(scratch);
		policy_suite_decide(file->policy.policy, NULL, &suite->cases[i], scratch, &decision);
		if (policy_suite_differences(&suite->cases[i], &decision, scratch, &line, 1) > 0) {
			cli_say("%s: test \"%s\" fails: %s", file->document.name, suite->cases[i].name, line);
			failed++;
		}
		policy_coverage_add(coverage, &decision, scratch);
	}
	arena_close(scratch);
	return failed;
}

/* Rules that are decisive in no test, the first FINDINGS_MAX of them by name. */
static size_t
say_untested(const struct policy_file *file, const struct policy_coverage *coverage)
{
	size_t untested = 0;

	for (size_t i = 0; i < policy_coverage_count(coverage); i++) {
		struct policy_covered covered = policy_coverage_of(coverage, i);

		if (covered.is_limit || covered.decisive || untested++ >= FINDINGS_MAX)
			continue;
		cli_say("%s: W13 no test is decided by rule %s", file->document.name, covered.id);
	}
	if (untested > FINDINGS_MAX)
		cli_say("%s: W13 and by %zu other rules", file->document.name, untested - FINDINGS_MAX);
	return untested;
}

int
policy_gate_tests(struct cli *cli, const struct policy_file *file, const char *path, bool all_tested)
{
	struct policy_suite suite;
	struct policy_coverage *coverage = policy_coverage_open(file->policy.policy, cli->arena);
	const char *beside = policy_file_suite(cli, path);

	if (!beside) {
		cli_say("%s: W13 there are no tests beside it: nothing shows that it decides as you mean",
			file->document.name);
		return all_tested ? CLI_FAILED : CLI_OK;
	}
	if (policy_file_read_suite(cli, path, beside, &suite) != CLI_OK)
		return CLI_FAILED;
	if (strcmp(suite.policy, policy_name(file->policy.policy)) != 0) {
		cli_say("%s: its tests are of policy %s", file->document.name, suite.policy);
		return CLI_FAILED;
	}

	size_t failed = count_failures(file, &suite, coverage), untested = say_untested(file, coverage);

	if (failed)
		cli_say("%s: E08 %zu of %zu tests fail", file->document.name, failed, suite.count);
	return failed || (untested && all_tested) ? CLI_FAILED : CLI_OK;
}
