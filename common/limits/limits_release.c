/* SPDX-License-Identifier: Apache-2.0 */
/* limits_release.c - uses that are given back because nothing came of them, and that count again when somebody says otherwise. */
#include "common/limits/limits_private.h"
#include "common/sheet/sheet.h"

void
limits_keep(struct limits *limits, const struct limits_place *place)
{
	limits->kept[limits->kept_count++] = (struct limits_kept){.counter = place->counter,
								  .tenant = place->tenant,
								  .request_id = place->request_id,
								  .amount = place->amount,
								  .at = limits->work->now,
								  .is_new = true};
}

bool
limits_load_kept(struct limits *limits, struct error *error)
{
	struct sheet sheet = sheet_open(limits->work->arena, STATEMENT_LIMITS_USES, "btt");
	struct store_rows *rows;

	if (limits->recalled_count == 0)
		return true;
	for (size_t i = 0; i < limits->recalled_count; i++) {
		const struct limits_kept *kept = &limits->kept[i];

		sheet_add(&sheet, store_bytes(kept->counter->id, CRYPTO_SHA256_SIZE),
			  store_text(kept->tenant), store_text(kept->request_id));
	}
	rows = sheet_query(&sheet, limits->work->store, error);
	for (size_t i = 0; rows && i < limits->recalled_count; i++) {
		struct limits_kept *kept = &limits->kept[i];

		kept->amount = store_row_int(rows, i, 0);
		kept->at = store_row_time(rows, i, 1);
		kept->is_released = store_row_bool(rows, i, 2);
	}
	return rows != NULL;
}

/* A sum that went over the edge can't tell any more what is left of it. */
static bool
can_release(const struct limits_kept *kept)
{
	const struct counter *counter = kept->counter;

	if (!kept->amount || kept->is_released)
		return false;
	if (kept->is_new)
		return counter->taken >= kept->amount && counter->taken < INT64_MAX;
	return counter->used >= kept->amount && counter->used < INT64_MAX
	       && !(limits_is_bucket(counter) && kept->at < counter->since);
}

static void
release(struct limits *limits, struct limits_kept *kept)
{
	struct counter *counter = kept->counter;

	if (kept->is_new) {
		counter->taken -= kept->amount;
	} else {
		counter->used -= kept->amount;
		if (limits_is_bucket(counter))
			counter->bucket =
			    bucket_give_back(counter->bucket, kept->amount, limits->work->now - kept->at);
	}
	kept->is_released = kept->is_changed = counter->touched = true;
	journal_count(limits->journal, "limit_uses_released_total", limits_labels(limits, counter->what));
}

static bool
is_of(const struct limits_kept *kept, const char *tenant, const char *request_id)
{
	return limits_is_of(kept->tenant, kept->request_id, tenant, request_id);
}

void
limits_release(struct limits *limits, const char *tenant, const char *request_id)
{
	for (size_t i = 0; i < limits->kept_count; i++)
		if (is_of(&limits->kept[i], tenant, request_id) && can_release(&limits->kept[i]))
			release(limits, &limits->kept[i]);
}

/* As one that is used now: of a bucket nobody could tell what would be missing without the release. */
void
limits_retake(struct limits *limits, const char *tenant, const char *request_id)
{
	for (size_t i = 0; i < limits->kept_count; i++) {
		struct limits_kept *kept = &limits->kept[i];

		if (!kept->amount || !kept->is_released || !is_of(kept, tenant, request_id))
			continue;
		kept->counter->taken = limits_sum(kept->counter->taken, kept->amount);
		kept->at = limits->work->now;
		kept->is_released = false;
		kept->is_new = kept->is_changed = kept->counter->touched = true;
	}
}

bool
limits_send_kept(struct limits *limits, struct error *error)
{
	struct work *work = limits->work;
	struct sheet sheet = sheet_open(work->arena, STATEMENT_LIMITS_RELEASE, "bttnn");

	for (size_t i = 0; i < limits->kept_count; i++) {
		const struct limits_kept *kept = &limits->kept[i];

		if (kept->is_changed)
			sheet_add(&sheet, store_bytes(kept->counter->id, CRYPTO_SHA256_SIZE),
				  store_text(kept->tenant), store_text(kept->request_id),
				  store_time(kept->at), store_time(kept->is_released ? work->now : 0));
	}
	return sheet_send(&sheet, work->store, error);
}
