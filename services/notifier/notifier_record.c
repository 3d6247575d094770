/* SPDX-License-Identifier: Apache-2.0 */
/* notifier_record.c - what an attempt's end means for its delivery, recorded against the claim under which it was made. */
#include "services/notifier/backoff.h"
#include "common/clock/clock.h"
#include "services/notifier/notifier.h"

#include "common/sheet/sheet.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define REST_MAX (300 * SECOND) /* of a target, however long one answer asked for */

/* What becomes of the delivery. */
struct fate {
	const char *state, *result; /* of the row; for the counter */
	int64_t pause, uncounted;   /* attempts that are taken back: 0 or 1 */
};

static struct fate
fate_of(const struct notifier *notifier, const struct attempt *attempt)
{
	const struct channel_result *result = &attempt->result;
	uint64_t random;

	switch (result->verdict) {
	case CHANNEL_SENT:
		return (struct fate){.state = "sent", .result = "sent"};
	case CHANNEL_REFUSED:
	case CHANNEL_GONE:
		return (struct fate){.state = "dead", .result = "dead"};
	case CHANNEL_RETRY:
	case CHANNEL_BUSY:
	case CHANNEL_UNTRIED:
		break;
	}

	bool counts = result->verdict != CHANNEL_UNTRIED;

	if (counts && attempt->n >= notifier->config->attempts)
		return (struct fate){.state = "dead", .result = "dead"};
	crypto_random(&random, sizeof random);

	int64_t pause = backoff_pause(notifier->config->backoff, counts ? attempt->n : 1,
				      result->verdict == CHANNEL_BUSY, random);

	return (struct fate){.state = "pending",
			     .result = "retry",
			     .pause = pause > result->retry_after ? pause : result->retry_after,
			     .uncounted = !counts};
}

/* ------------------------------------------------------------------ the transaction */

static bool
disable(struct notifier *notifier, struct work *work, struct error *error)
{
	struct sheet gone = sheet_open(work->arena, STATEMENT_NOTIFIER_DISABLE, "tt");
	struct store_rows *rows;

	for (const struct attempt *attempt = notifier->finished; attempt; attempt = attempt->next)
		if (attempt->result.verdict == CHANNEL_GONE)
			sheet_add(&gone, store_text(attempt->channel->name),
				  store_text(attempt->send.target->name));
	if (gone.count == 0)
		return true;
	rows = sheet_query(&gone, work->store, error);
	for (size_t row = 0; rows && row < store_rows_count(rows); row++)
		journal_warn(notifier->journal, "target_disabled",
			     log_text("channel", store_row_text(rows, row, 0)),
			     log_text("target", store_row_text(rows, row, 1)), log_text("code", "http_410"));
	return rows != NULL;
}

static bool
save(struct notifier *notifier, struct work *work, const struct fate *fates, struct store_rows **rows,
     struct error *error)
{
	struct sheet sheet = sheet_open(work->arena, STATEMENT_NOTIFIER_RECORD, "untnnttt");
	size_t n = 0;

	for (const struct attempt *attempt = notifier->finished; attempt; attempt = attempt->next, n++) {
		const struct channel_result *result = &attempt->result;

		sheet_add(&sheet, store_uuid(attempt->send.delivery_id), store_int(attempt->epoch),
			  store_text(fates[n].state), store_int(fates[n].pause),
			  store_int(fates[n].uncounted), store_text(result->code), store_text(result->text),
			  store_text(result->reference[0] != '\0' ? result->reference : NULL));
	}
	*rows = sheet_query(&sheet, work->store, error);
	return *rows != NULL;
}

/* ------------------------------------------------------------------ what is said about it */

static bool
was_recorded(const struct attempt *attempt, const struct store_rows *rows)
{
	for (size_t row = 0; row < store_rows_count(rows); row++)
		if (strcmp(store_row_text(rows, row, 0), attempt->send.delivery_id) == 0)
			return true;
	return false;
}

/* The line of one attempt. `overtaken`: somebody else has claimed the delivery since. */
static void
say(struct notifier *notifier, const struct attempt *attempt, const struct fate *fate, bool overtaken)
{
	const struct channel_send *send = &attempt->send;
	const char *result = overtaken ? "overtaken" : fate->result;

	journal_line(
	    notifier->journal, attempt->result.verdict == CHANNEL_SENT ? LOG_INFO : LOG_WARN, "attempt",
	    (struct log_field[]){log_text("delivery_id", send->delivery_id),
				 log_text("approval_id", send->approval_id),
				 log_text("target", send->target->name), log_text("kind", send->kind),
				 log_number("n", attempt->n), log_text("code", attempt->result.code),
				 log_text("result", result), log_number("took_ms", attempt->took / 1000)},
	    8);
	if (!overtaken)
		journal_count(notifier->journal, "deliveries_total",
			      arena_format(attempt->arena, "%s\n%s", attempt->channel->name, fate->result));
}

/* A receiver that asks for patience gets it from all that it is to be sent, not from one message alone. */
static void
rest(struct notifier *notifier, const struct attempt *attempt)
{
	const struct channel_result *result = &attempt->result;
	int64_t pause = result->retry_after > 0 ? result->retry_after : notifier->config->backoff;
	int64_t until = clock_monotonic() + (pause < REST_MAX ? pause : REST_MAX);

	if (result->verdict == CHANNEL_BUSY && until > notifier->rest_until[attempt->lane])
		notifier->rest_until[attempt->lane] = until;
}

/* ------------------------------------------------------------------ all that have ended */

void
notifier_collect(struct notifier *notifier)
{
	struct attempt **last = &notifier->finished;

	while (*last)
		last = &(*last)->next;
	*last = sender_steal(notifier->sender);
	for (const struct attempt *attempt = *last; attempt; attempt = attempt->next)
		rest(notifier, attempt);
}

static struct fate *
fates_of(const struct notifier *notifier, struct arena *arena)
{
	struct fate *fates;
	size_t count = 0;

	for (const struct attempt *attempt = notifier->finished; attempt; attempt = attempt->next)
		count++;
	fates = arena_take_array(arena, count, sizeof *fates);
	count = 0;
	for (const struct attempt *attempt = notifier->finished; attempt; attempt = attempt->next)
		fates[count++] = fate_of(notifier, attempt);
	return fates;
}

static void
forget(struct notifier *notifier)
{
	while (notifier->finished) {
		struct attempt *attempt = notifier->finished;

		notifier->finished = attempt->next;
		attempt_close(attempt);
	}
}

bool
notifier_record(struct notifier *notifier, struct arena *arena, bool *any, struct error *error)
{
	struct store_rows *rows;
	struct fate *fates;
	struct work work;
	size_t n = 0;

	notifier_collect(notifier);
	if (!notifier->finished)
		return true;
	journal_begin(notifier->journal);
	fates = fates_of(notifier, arena);

	bool ok = work_begin(notifier->context, arena, &work, error)
		  && save(notifier, &work, fates, &rows, error) && disable(notifier, &work, error);

	for (const struct attempt *attempt = notifier->finished; ok && attempt; attempt = attempt->next, n++)
		say(notifier, attempt, &fates[n], !was_recorded(attempt, rows));
	if (!journal_finish(notifier->journal, &work, ok, true, error))
		return false;
	forget(notifier);
	*any = true;
	return true;
}
