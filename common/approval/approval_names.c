/* SPDX-License-Identifier: Apache-2.0 */
/* approval_names.c - states, refusals and the table in words, for machines and for people. */
#include "common/approval/approval.h"

#include <stdarg.h>
#include <stdio.h>

const char *
approval_state_name(enum approval_state state)
{
	static const char *const names[APPROVAL_STATES] = {"NONE",   "PENDING", "APPROVED",
							   "DENIED", "EXPIRED", "CANCELLED"};

	return (size_t)state < APPROVAL_STATES ? names[state] : "UNKNOWN";
}

const char *
approval_refusal_code(enum approval_refusal refusal)
{
	static const char *const codes[APPROVAL_REFUSALS] = {"none",
							     "not_open",
							     "digest_mismatch",
							     "approval_expired",
							     "already_decided",
							     "responder_is_requester",
							     "not_a_member"};

	return (size_t)refusal < APPROVAL_REFUSALS ? codes[refusal] : "unknown";
}

static const char *
event_name(enum approval_event_kind kind)
{
	static const char *const names[APPROVAL_EVENTS] = {"opened", "approve", "deny", "deadline check"};

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

/* Something leads there, nothing leads away. */
static bool
is_end(const struct approval_transition *rows, size_t count, enum approval_state state)
{
	bool reached = false;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].from == state && rows[i].effects)
			return false;
		reached = reached || (rows[i].to == state && rows[i].effects);
	}
	return reached;
}

size_t
approval_diagram(char *buffer, size_t size)
{
	struct page page = {buffer, size, 0};
	size_t count;
	const struct approval_transition *rows = approval_transitions(&count);

	print(&page, "stateDiagram-v2\n");
	for (size_t i = 0; i < count; i++) {
		if (rows[i].effects == 0)
			continue;
		print(&page, "    ");
		print_state(&page, rows[i].from);
		print(&page, " --> ");
		print_state(&page, rows[i].to);
		print(&page, ": %s", event_name(rows[i].event));
		if (rows[i].guard[0]) {
			print(&page, " [");
			print_guard(&page, rows[i].guard);
			print(&page, "]");
		}
		if (rows[i].verdict == APPROVAL_REFUSED)
			print(&page, ", refused");
		print(&page, "\n");
	}
	for (int state = 0; state < APPROVAL_STATES; state++)
		if (is_end(rows, count, (enum approval_state)state))
			print(&page, "    %s --> [*]\n", approval_state_name((enum approval_state)state));
	return page.length;
}
