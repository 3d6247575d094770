/* SPDX-License-Identifier: Apache-2.0 */
/* policy_reason.c - a decision's reason in words: one line, bounded, the same for the same decision. */
#include "common/policy/policy.h"
#include "common/policy/policy_deciding.h"

#include <string.h>

struct line {
	struct buffer buffer;
	bool cut;
};

/* Room is kept for the sign that something was cut. */
static void
add(struct line *line, const char *text)
{
	static const char sign[] = "…";
	size_t length = strlen(text), left = POLICY_REASON_MAX - strlen(sign) - line->buffer.length;

	if (line->cut)
		return;
	if (length > left) {
		line->cut = true;
		for (length = left; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
			length--; /* not inside a character */
	}
	buffer_add(&line->buffer, text, length);
	if (line->cut)
		buffer_add_text(&line->buffer, sign);
}

const char *
policy_line_cut(struct arena *arena, const char *text)
{
	struct line line = {.buffer.arena = arena};

	if (strlen(text) <= POLICY_REASON_MAX)
		return text;
	add(&line, text);
	return line.buffer.bytes;
}

static const char *
joined(struct arena *arena, const char *before, const char *const *strings, size_t count)
{
	struct line line = {.buffer.arena = arena};

	add(&line, before);
	for (size_t i = 0; i < count; i++) {
		add(&line, i ? ", " : " ");
		add(&line, strings[i]);
	}
	add(&line, ".");
	return line.buffer.bytes;
}

/* The reasons of the rules that decide; a rule that gives none is named, and so is one that could not be evaluated. */
static const char *
rules_reason(const struct policy_deciding *deciding)
{
	struct line line = {.buffer.arena = deciding->arena};

	for (size_t i = 0; i < deciding->candidate_count; i++) {
		const struct policy_candidate *candidate = &deciding->candidates[i];
		bool erred = candidate->outcome.truth == POLICY_ERROR;

		if (!candidate->decides)
			continue;
		if (line.buffer.length)
			add(&line, " ");
		if (candidate->rule->reason && !erred) {
			add(&line, policy_filled(deciding, candidate->rule->reason, deciding->arena));
			continue;
		}
		add(&line, "Rule ");
		add(&line, candidate->rule->id);
		if (erred) {
			add(&line, " could not be evaluated (");
			add(&line, cel_code_name(candidate->outcome.code));
			add(&line, ")");
		}
		add(&line, ".");
	}
	return line.buffer.bytes;
}

/* Of one that could not be evaluated nobody knows whether its advice helps. */
static const char *
advice_of(const struct policy_candidate *candidate)
{
	bool advises = candidate->decides && candidate->outcome.truth == POLICY_TRUE;

	return advises ? candidate->rule->remediation : NULL;
}

static bool
is_repeated(const struct policy_deciding *deciding, size_t candidate)
{
	const char *text = advice_of(&deciding->candidates[candidate]);

	for (size_t i = 0; i < candidate; i++) {
		const char *before = advice_of(&deciding->candidates[i]);

		if (before && strcmp(before, text) == 0)
			return true;
	}
	return false;
}

const char *
policy_remediation(const struct policy_deciding *deciding)
{
	struct line line = {.buffer.arena = deciding->arena};

	for (size_t i = 0; i < deciding->candidate_count; i++) {
		const char *advice = advice_of(&deciding->candidates[i]);

		if (!advice || is_repeated(deciding, i))
			continue;
		if (line.buffer.length)
			add(&line, " ");
		add(&line, policy_filled(deciding, advice, deciding->arena));
	}
	return line.buffer.length ? line.buffer.bytes : NULL;
}

static const char *
limits_reason(const struct policy_deciding *deciding)
{
	struct line line = {.buffer.arena = deciding->arena};

	for (size_t i = 0; i < deciding->check_count; i++) {
		const struct policy_check *check = &deciding->checks[i];
		const char *how = check->outcome.truth == POLICY_ERROR || !check->counter.key
				      ? " could not be evaluated."
				  : check->unknown ? " could not be read."
						   : " is exceeded.";

		if (!check->decides)
			continue;
		if (line.buffer.length)
			add(&line, " ");
		add(&line, "Limit ");
		add(&line, check->limit->id);
		add(&line, how);
		if (check->limit->reason) {
			add(&line, " ");
			add(&line, check->limit->reason);
		}
	}
	return line.buffer.bytes;
}

static const char *
refusal_reason(const struct policy_deciding *deciding)
{
	const struct error *refusal = deciding->decision->refusal;
	struct line line = {.buffer.arena = deciding->arena};

	add(&line, refusal->field);
	add(&line, ": ");
	add(&line, refusal->code);
	add(&line, ": ");
	add(&line, refusal->text);
	return line.buffer.bytes;
}

const char *
policy_reason_join(struct arena *arena, const char *const *reasons, size_t count)
{
	struct line line = {.buffer.arena = arena};

	for (size_t i = 0; i < count; i++) {
		if (i)
			add(&line, " ");
		add(&line, reasons[i]);
	}
	return line.buffer.bytes;
}

const char *
policy_reason(const struct policy_deciding *deciding)
{
	const struct policy_decision *decision = deciding->decision;
	const char *code = decision->reason_code;
	struct arena *arena = deciding->arena;

	if (strcmp(code, "rule") == 0 || strcmp(code, "rule_error") == 0)
		return rules_reason(deciding);
	if (strcmp(code, "limit_exceeded") == 0)
		return limits_reason(deciding);
	if (strcmp(code, "class_default") == 0)
		return joined(arena, "No rule speaks; this is the default of class", &decision->class_id, 1);
	if (strcmp(code, "missing_input") == 0)
		return joined(arena, "Missing:", decision->missing, decision->missing_count);
	if (strcmp(code, "identity_not_verified") == 0)
		return joined(arena, "Only signed requests are taken in class", &decision->class_id, 1);
	if (strcmp(code, "invalid_request") == 0)
		return refusal_reason(deciding);
	if (strcmp(code, "evaluation_timeout") == 0)
		return "The deadline passed before this was decided.";
	if (strcmp(code, "bad_param") == 0)
		return "What the tenant's policy gives for a param of the organisation's is not within its "
		       "bounds.";
	if (strcmp(code, "too_many_rules") == 0)
		return "More rules speak than one decision may name.";
	if (strcmp(code, "too_many_requirements") == 0)
		return "More approvals would be needed than one question may hold.";
	return "No policy is active for this tenant.";
}
