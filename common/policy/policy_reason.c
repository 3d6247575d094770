/* SPDX-License-Identifier: Apache-2.0 */
/* policy_reason.c - a decision's reason in words: one line, bounded, the same for the same decision. */
#include "common/policy/policy.h"
#include "common/policy/policy_private.h"

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

/* The reasons of the rules at the level that counted; a rule that gives none is named. */
static const char *
rules_reason(struct arena *arena, const struct policy_decision *decision,
	     const struct policy_rule *const *candidates, size_t count)
{
	struct line line = {.buffer.arena = arena};

	for (size_t i = 0; i < count; i++) {
		if (candidates[i]->verdict != decision->verdict)
			continue;
		if (line.buffer.length)
			add(&line, " ");
		if (candidates[i]->reason) {
			add(&line, candidates[i]->reason);
			continue;
		}
		add(&line, "Rule ");
		add(&line, candidates[i]->id);
		add(&line, ".");
	}
	return line.buffer.bytes;
}

const char *
policy_reason(struct arena *arena, const struct policy_decision *decision,
	      const struct policy_rule *const *candidates, size_t count)
{
	const char *code = decision->reason_code;

	if (strcmp(code, "rule") == 0)
		return rules_reason(arena, decision, candidates, count);
	if (strcmp(code, "class_default") == 0)
		return joined(arena, "No rule speaks; this is the default of class", &decision->class_id, 1);
	if (strcmp(code, "missing_input") == 0)
		return joined(arena, "Missing:", decision->missing, decision->missing_count);
	if (strcmp(code, "evaluation_timeout") == 0)
		return "The deadline passed before this was decided.";
	if (strcmp(code, "not_honoured") == 0)
		return "The policy holds what this version can't honour.";
	if (strcmp(code, "too_many_rules") == 0)
		return "More rules speak than one decision may name.";
	if (strcmp(code, "too_many_requirements") == 0)
		return "More approvals would be needed than one question may hold.";
	return "No policy is active for this tenant.";
}
