/* SPDX-License-Identifier: Apache-2.0 */
/* approval_text.c - states, refusals and the table in words, for machines and for people. */
#include "common/approval/approval.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *
approval_state_name(enum approval_state state)
{
	static const char *const names[APPROVAL_STATES] = {
	    [APPROVAL_NONE] = "NONE",	      [APPROVAL_PENDING] = "PENDING",
	    [APPROVAL_APPROVED] = "APPROVED", [APPROVAL_DENIED] = "DENIED",
	    [APPROVAL_EXPIRED] = "EXPIRED",   [APPROVAL_CANCELLED] = "CANCELLED",
	    [APPROVAL_REVOKED] = "REVOKED",
	};

	return (size_t)state < APPROVAL_STATES ? names[state] : "UNKNOWN";
}

const char *
approval_refusal_code(enum approval_refusal refusal)
{
	static const char *const codes[APPROVAL_REFUSALS] = {
	    [APPROVAL_REFUSAL_NONE] = "none",
	    [APPROVAL_REFUSAL_NOT_OPEN] = "not_open",
	    [APPROVAL_REFUSAL_OTHER_DIGEST] = "digest_mismatch",
	    [APPROVAL_REFUSAL_EXPIRED] = "approval_expired",
	    [APPROVAL_REFUSAL_DECIDED] = "already_decided",
	    [APPROVAL_REFUSAL_REQUESTER] = "responder_is_requester",
	    [APPROVAL_REFUSAL_EXCLUDED] = "excluded",
	    [APPROVAL_REFUSAL_NOT_ELIGIBLE] = "not_a_member",
	    [APPROVAL_REFUSAL_RECUSED] = "recused",
	    [APPROVAL_REFUSAL_DENIED_BEFORE] = "denied_before",
	    [APPROVAL_REFUSAL_STAGE] = "stage_not_open",
	    [APPROVAL_REFUSAL_NO_REASON] = "reason_required",
	    [APPROVAL_REFUSAL_VOTERS] = "too_many_voters",
	    [APPROVAL_REFUSAL_NOT_REQUESTER] = "not_requester",
	    [APPROVAL_REFUSAL_NOT_EXTENDABLE] = "not_extendable",
	    [APPROVAL_REFUSAL_NOT_LATER] = "not_later",
	    [APPROVAL_REFUSAL_BEYOND_MAXIMUM] = "beyond_maximum",
	    [APPROVAL_REFUSAL_NOT_GRANTED] = "not_granted",
	    [APPROVAL_REFUSAL_NOT_APPROVER] = "not_an_approver",
	    [APPROVAL_REFUSAL_OVER] = "authorization_expired",
	    [APPROVAL_REFUSAL_NOT_OVERRIDABLE] = "not_overridable",
	    [APPROVAL_REFUSAL_NOT_OVERRIDDEN] = "not_overridden",
	    [APPROVAL_REFUSAL_OVERRIDER] = "responder_is_overrider",
	    [APPROVAL_REFUSAL_REVIEWED] = "already_reviewed",
	};

	return (size_t)refusal < APPROVAL_REFUSALS ? codes[refusal] : "unknown";
}

static const char *
event_name(enum approval_event_kind kind)
{
	static const char *const names[APPROVAL_EVENTS] = {
	    [APPROVAL_OPENED] = "opened",	    [APPROVAL_APPROVE_GIVEN] = "approve",
	    [APPROVAL_DENY_GIVEN] = "deny",	    [APPROVAL_RECUSE_GIVEN] = "recuse",
	    [APPROVAL_COMMENT_GIVEN] = "comment",   [APPROVAL_EXTEND_GIVEN] = "extend",
	    [APPROVAL_WITHDRAW_GIVEN] = "withdraw", [APPROVAL_REVOKE_GIVEN] = "revoke",
	    [APPROVAL_OVERRIDE_GIVEN] = "override", [APPROVAL_REVIEW_GIVEN] = "review",
	    [APPROVAL_TIME_CHECK] = "time check",
	};

	return names[kind];
}

/* What was written so far, and what would have been with room enough. */
struct page {
	char *buffer;
	size_t size, length;
};

static void __attribute__((format(printf, 2, 3)))
print(struct page *page, const char *format, ...)
{
	size_t used = page->length < page->size ? page->length : page->size;
	va_list arguments;

	va_start(arguments, format);
	int length =
	    vsnprintf(page->size > used ? page->buffer + used : NULL, page->size - used, format, arguments);
	va_end(arguments);
	page->length += length > 0 ? (size_t)length : 0;
}

static void
print_state(struct page *page, enum approval_state state)
{
	print(page, "%s", state == APPROVAL_NONE ? "[*]" : approval_state_name(state));
}

/* "quorum_met" as "quorum met" */
static void
print_guard(struct page *page, const char *guard)
{
	for (; *guard; guard++)
		print(page, "%c", *guard == '_' ? ' ' : *guard);
}

/* Something leads there, and time leads nowhere from it. */
static bool
is_end(const struct approval_transition *rows, size_t count, enum approval_state state)
{
	bool reached = false;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].from == state && rows[i].event == APPROVAL_TIME_CHECK && rows[i].effects)
			return false;
		reached = reached || (rows[i].to == state && rows[i].effects);
	}
	return reached;
}

/* Whether two rows that have an effect are one line of the diagram. */
static bool
drawn_together(const struct approval_transition *left, const struct approval_transition *right)
{
	return left->effects != 0 && right->effects != 0 && left->from == right->from && left->to == right->to
	       && left->verdict == right->verdict && strcmp(left->guard, right->guard) == 0;
}

static bool
is_drawn_before(const struct approval_transition *rows, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (drawn_together(&rows[i], &rows[index]))
			return true;
	return false;
}

/* The line of a row, for all the events that do the same. */
static void
print_line(struct page *page, const struct approval_transition *rows, size_t count, size_t index)
{
	const struct approval_transition *row = &rows[index];

	print(page, "    ");
	print_state(page, row->from);
	print(page, " --> ");
	print_state(page, row->to);
	print(page, ": %s", event_name(row->event));
	for (size_t i = index + 1; i < count; i++)
		if (drawn_together(row, &rows[i]))
			print(page, ", %s", event_name(rows[i].event));
	if (row->guard[0]) {
		print(page, " [");
		print_guard(page, row->guard);
		print(page, "]");
	}
	print(page, "%s\n", row->verdict == APPROVAL_REFUSED ? ", refused" : "");
}

size_t
approval_diagram(char *buffer, size_t size)
{
	struct page page = {buffer, size, 0};
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);

	print(&page, "stateDiagram-v2\n");
	for (size_t i = 0; i < count; i++)
		if (rows[i].effects != 0 && !is_drawn_before(rows, i))
			print_line(&page, rows, count, i);
	for (int state = 0; state < APPROVAL_STATES; state++)
		if (is_end(rows, count, (enum approval_state)state))
			print(&page, "    %s --> [*]\n", approval_state_name((enum approval_state)state));
	return page.length;
}
