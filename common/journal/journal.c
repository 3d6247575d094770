/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - keeping notes in an arena of its own, since the transaction's is emptied by others. */
#include "common/journal/journal.h"

#include "common/memory/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A count when `counter` is set, else a line. */
struct entry {
	struct entry *next;
	const char *counter, *label_values;
	enum log_level level;
	const char *event;
	struct log_field fields[JOURNAL_FIELDS_MAX];
};

struct journal {
	const struct log *log;
	struct monitor *monitor;
	struct arena *arena;
	struct entry *first, **last;
};

struct journal *
journal_open(const struct log *log, struct monitor *monitor)
{
	struct journal *journal = memory_take(sizeof *journal);

	journal->log = log;
	journal->monitor = monitor;
	journal->arena = arena_open();
	journal->last = &journal->first;
	return journal;
}

void
journal_close(struct journal *journal)
{
	if (!journal)
		return;
	arena_close(journal->arena);
	free(journal);
}

void
journal_begin(struct journal *journal)
{
	arena_reset(journal->arena);
	journal->first = NULL;
	journal->last = &journal->first;
}

static struct entry *
add(struct journal *journal)
{
	struct entry *entry = arena_take(journal->arena, sizeof *entry);

	*journal->last = entry;
	journal->last = &entry->next;
	return entry;
}

void
journal_count(struct journal *journal, const char *counter, const char *label_values)
{
	struct entry *entry = add(journal);

	entry->counter = counter;
	entry->label_values = arena_string(journal->arena, label_values);
}

void
journal_line(struct journal *journal, enum log_level level, const char *event, const struct log_field *fields,
	     size_t count)
{
	struct entry *entry = add(journal);

	assert(count <= JOURNAL_FIELDS_MAX);
	entry->level = level;
	entry->event = event;
	memcpy(entry->fields, fields, count * sizeof *fields);
	for (size_t i = 0; i < count; i++)
		entry->fields[i].text = arena_string(journal->arena, fields[i].text);
}

/* Fields that are not used have no name and so end the list. */
static void
write_line(struct log_page *page, const struct log *log, const struct entry *entry)
{
	const struct log_field *f = entry->fields;

	log_page_add(page, log, entry->level, entry->event, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7],
		     LOG_END);
}

void
journal_publish(struct journal *journal)
{
	struct log_page page = {.length = 0};

	for (const struct entry *entry = journal->first; entry; entry = entry->next) {
		if (entry->counter)
			monitor_add(journal->monitor, entry->counter, entry->label_values, 1);
		else
			write_line(&page, journal->log, entry);
	}
	log_page_write(&page);
	journal_begin(journal);
}

bool
journal_finish(struct journal *journal, struct work *work, bool ok, bool anything, struct error *error)
{
	if (ok && anything)
		ok = work_commit(work, error);
	if (ok && anything)
		journal_publish(journal);
	else
		work_rollback(work);
	return ok;
}
