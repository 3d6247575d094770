/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint.c - which checks there are, and keeping what they find. */
#include "common/policy/policy_lint.h"
#include "common/policy/policy_linting.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const struct policy_lint_check policy_lint_checks[] = {
    {"E03", "a group without members, or with fewer than must approve"},
    {"E05", "a class that can never be reached"},
    {"E06", "a condition that is always or never true; a word that its input can't be"},
    {"E08", "a rule that has expired already"},
    {"E09", "two rules that count together and oblige to different things"},
    {"E11", "an input that another active policy declares so that no value satisfies both"},
    {"W01", "a rule that another one, at least as strict, makes needless"},
    {"W02", "an ALLOW that is always overridden; a rule that restricts and never changes a decision"},
    {"W03", "a pattern that no action, agent or target of the last 30 days matches"},
    {"W04", "a regular expression in an ALLOW that is not anchored, or that a plain function could replace"},
    {"W05", "an input that may be absent, read without has"},
    {"W06", "a restriction that a request avoids by leaving an input out"},
    {"W07", "a double where money or whole numbers are meant; arithmetic that can overflow"},
    {"W08", "bands over one input with a gap or an overlap"},
    {"W09", "an ALLOW that rests on what the agent says of itself"},
    {"W10", "a class that stays open without an answer though its actions are no reads"},
    {"W11", "a group in which the owner of an agent is alone, or too few are beside him"},
    {"W12", "more than 64 rules about one action"},
    {"W14", "an ALLOW for agents by name where anybody can claim the name"},
    {"W15", "an approval without a deadline of which nobody is reminded, or that has one all the same"},
    {NULL, NULL},
};

const struct policy_lint_check *
policy_lint_find_check(const char *code)
{
	for (const struct policy_lint_check *check = policy_lint_checks; check->code; check++)
		if (strcmp(check->code, code) == 0)
			return check;
	return NULL;
}

static bool
is_among(const char *code, const char *const *codes)
{
	for (; codes && *codes; codes++)
		if (strcmp(*codes, code) == 0)
			return true;
	return false;
}

static bool
is_error(const struct policy_lint_ask *ask, const char *code)
{
	return code[0] == 'E' ? !is_among(code, ask->lowered) : is_among(code, ask->raised);
}

/* What is true of most policies gives way to what is true of few, when there is no room for all. */
static bool
is_common(const struct finding *finding)
{
	static const char *const codes[] = {"W05", "W09", "W14", NULL};

	return is_among(finding->code, codes);
}

static bool
goes_before(const struct finding *left, const struct finding *right)
{
	if (is_common(left) != is_common(right))
		return is_common(right);
	return left->at.start + left->inside < right->at.start + right->inside;
}

/* Keeps those that stand first, whatever the order in which the checks come. */
static void
keep(struct findings *findings, struct finding finding)
{
	size_t at = findings->count;

	if (findings_full(findings)) {
		if (!goes_before(&finding, &findings->items[at - 1]))
			return;
		at = --findings->count;
	}
	findings_add(findings, finding);
	finding = findings->items[at];
	for (; at > 0 && goes_before(&finding, &findings->items[at - 1]); at--)
		findings->items[at] = findings->items[at - 1];
	findings->items[at] = finding;
}

static void
add(struct policy_linting *linting, struct finding finding)
{
	struct policy_lint *lint = linting->lint;
	const struct policy_lint_check *check = policy_lint_find_check(finding.code);
	bool error = is_error(linting->ask, finding.code);

	assert(check);
	lint->counts[check - policy_lint_checks]++;
	if (error)
		lint->error_count++;
	else
		lint->warning_count++;
	keep(error ? &lint->errors : &lint->warnings, finding);
}

void
policy_linting_add(struct policy_linting *linting, const char *code, const char *word,
		   const struct place *place, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	const struct place *there = place;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	while (there->above && !there->spot)
		there = there->above;
	add(linting, (struct finding){.code = code,
				      .word = word,
				      .path = policy_place_path(place),
				      .text = text,
				      .at = there->spot ? there->spot->value : (struct stretch){0}});
}

void
policy_linting_add_within(struct policy_linting *linting, const char *code, const char *word,
			  const struct policy_expression *expression, uint32_t position, const char *format,
			  ...)
{
	char text[ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	add(linting, (struct finding){.code = code,
				      .word = word,
				      .path = expression->path,
				      .text = text,
				      .at = expression->at,
				      .inside = expression->at.line ? (size_t)position + 1 : 0});
}

void
policy_linting_note(struct policy_linting *linting, const char *format, ...)
{
	struct buffer text = {.arena = linting->arena};
	char line[ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	buffer_add_text(&text, line);
	if (linting->lint->note_count < POLICY_LINT_NOTES_MAX)
		linting->lint->notes[linting->lint->note_count++] = text.bytes;
}

bool
policy_allowance_take(struct policy_allowance *allowance, uint64_t steps)
{
	if (allowance->left < steps) {
		allowance->left = 0;
		return false;
	}
	allowance->left -= steps;
	return true;
}

struct place
policy_linting_rule(const struct policy_linting *linting, const struct policy_rule *rule)
{
	return policy_place_item(&linting->rules, rule->position);
}

static void
open_places(struct policy_linting *linting)
{
	const struct policy *policy = linting->policy;

	linting->reader = (struct policy_reader){linting->arena, &linting->lint->errors, NULL};
	linting->root = policy_place_root(&linting->reader, linting->ask->document, linting->ask->spot);
	linting->rules = policy_place_member(&linting->root, "rules");
	linting->classes = policy_place_member(&linting->root, "classes");
	linting->covered = policy_set_make(linting->arena, policy);
	linting->in_order = arena_take_array(linting->arena, policy->rule_count, sizeof *linting->in_order);
	for (size_t i = 0; i < policy->rule_count; i++)
		linting->in_order[policy->rules[i].position] = &policy->rules[i];
}

/* E11 */
static void
lint_others(struct policy_linting *linting)
{
	const struct policy_lint_ask *ask = linting->ask;
	struct place inputs = policy_place_member(&linting->root, "inputs");

	for (size_t i = 0; i < ask->other_count; i++) {
		struct error error = {0};

		if (policy_inputs_fit(linting->policy, ask->others[i], linting->scratch, &error))
			continue;

		const char *path = strchr(error.field, '.') + 1;
		struct place place =
		    policy_place_member(&inputs, arena_copy(linting->arena, path, strcspn(path, ".")));

		policy_linting_add(linting, "E11", error.code, &place, "%s: %s", error.field, error.text);
	}
}

struct policy_lint
policy_lint(const struct policy_lint_ask *ask, struct arena *arena)
{
	/* those of the directory are the last */
	static void (*const checks[])(struct policy_linting *) = {
	    policy_lint_classes,  policy_lint_expressions, policy_lint_reads, policy_lint_pairs,
	    policy_lint_requests, policy_lint_catalogue,   lint_others,	      policy_lint_directory};
	const size_t count = sizeof checks / sizeof *checks;
	const size_t from = ask->part == POLICY_LINT_DIRECTORY ? count - 1 : 0,
		     to = ask->part == POLICY_LINT_DOCUMENT ? count - 1 : count;
	struct policy_lint lint = {.errors = findings_open(arena, FINDINGS_MAX),
				   .warnings = findings_open(arena, FINDINGS_MAX)};
	struct policy_linting linting = {
	    .ask = ask, .policy = ask->policy, .lint = &lint, .arena = arena, .scratch = arena_open()};

	open_places(&linting);
	for (size_t i = from; i < to; i++) {
		checks[i](&linting);
		arena_reset(linting.scratch);
	}
	arena_close(linting.scratch);
	findings_sort(&lint.errors);
	findings_sort(&lint.warnings);
	return lint;
}
