/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolver_intake.c - from records to items: parsed, verified, and with all that they are about under lock. A response
 * that can't be verified is nobody's: nothing is looked up for it.
 */
#include "services/resolver/resolver.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------ form and signature */

static bool
parse(struct arena *arena, const struct record *record, bool from_shelf, struct resolver_item *item,
      struct error *error)
{
	item->record = record;
	item->from_shelf = from_shelf;

	bool ok = response_parse(arena, record, &item->response, &item->refusal);

	item->request_id = item->response.request_id;
	if (ok)
		crypto_sha256(item->response.value, item->response.value_length, item->value_hash);
	else if (item->refusal.kind != ERROR_INVALID)
		*error = item->refusal;
	return ok || item->refusal.kind == ERROR_INVALID;
}

static bool
is_verified(const struct resolver_item *item)
{
	return item->refusal.kind == ERROR_NONE;
}

/* The keys as they are now; one of another tenant is as good as none. Rows come in the order asked, one for each item. */
static bool
load_keys(struct work *work, struct resolver_intake *intake, struct error *error)
{
	struct sheet asked = keyring_open(work->arena);

	for (size_t i = 0; i < intake->count; i++)
		if (is_verified(&intake->items[i]))
			keyring_add(&asked, intake->items[i].response.signature.header.kid,
				    intake->items[i].response.tenant, intake->items[i].response.responder);
	if (asked.count == 0)
		return true;

	struct store_rows *rows = sheet_query(&asked, work->store, error);
	size_t row = 0;

	for (size_t i = 0; rows && i < intake->count; i++) {
		if (!is_verified(&intake->items[i]))
			continue;
		intake->items[i].key = keyring_read(work->arena, rows, row++);
	}
	return rows != NULL;
}

static void
check_keys(struct resolver_intake *intake)
{
	for (size_t i = 0; i < intake->count; i++)
		if (is_verified(&intake->items[i]))
			(void)!keyring_check(intake->items[i].key, &intake->items[i].refusal);
}

static void
verify(struct arena *arena, struct resolver_item *item)
{
	const struct response *response = &item->response;

	if (is_verified(item))
		(void)!keyring_verify(arena, item->key, &response->signature, response->value,
				      response->value_length, &item->refusal);
}

static bool
verify_all(struct work *work, struct resolver_intake *intake, struct error *error)
{
	if (!load_keys(work, intake, error))
		return false;
	check_keys(intake);
	for (size_t i = 0; i < intake->count; i++)
		verify(work->arena, &intake->items[i]);
	return true;
}

/* ------------------------------------------------------------------ what was taken before */

static bool
load_known(struct work *work, struct resolver_intake *intake, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_RESOLVER_KNOWN, "tt");

	for (size_t i = 0; i < intake->count; i++)
		if (is_verified(&intake->items[i]))
			sheet_add(&asked, store_text(intake->items[i].response.signature.header.kid),
				  store_text(intake->items[i].response.response_id));

	struct store_rows *rows = sheet_query(&asked, work->store, error);

	if (rows)
		intake->known = known_load(work->arena, rows, intake->count);
	return rows != NULL;
}

/* ------------------------------------------------------------------ what it is about */

static bool
locate(struct work *work, struct resolver_intake *intake, struct error *error)
{
	struct sheet asked = sheet_open(work->arena, STATEMENT_RESOLVER_LOCATE, "ttu");

	for (size_t i = 0; i < intake->count; i++)
		if (is_verified(&intake->items[i]))
			sheet_add(&asked, store_text(intake->items[i].response.tenant),
				  store_text(intake->items[i].response.request_id),
				  store_uuid(intake->items[i].response.approval_id));

	struct store_rows *rows = sheet_query(&asked, work->store, error);
	size_t row = 0;

	for (size_t i = 0; rows && i < intake->count; i++) {
		if (!is_verified(&intake->items[i]))
			continue;
		intake->items[i].request_known = !store_row_null(rows, row, 0);
		if (intake->items[i].request_known)
			intake->items[i].request_id = store_row_text(rows, row, 0);
		intake->items[i].approval_id = store_row_text(rows, row, 1);
		row++;
	}
	return rows != NULL;
}

/* What was granted is revoked by nobody while its outcomes are judged, and what that does to limits is seen by both. */
static bool
lock_outcomes(struct work *work, const struct resolver_intake *intake, struct error *error)
{
	int64_t *chains = arena_take_array(work->arena, intake->count, sizeof *chains);
	size_t count = 0;

	for (size_t i = 0; i < intake->count; i++) {
		struct resolver_approval *approval = intake->items[i].approval;

		if (!approval || intake->items[i].response.verdict != RESPONSE_REVOKE
		    || approval->now.state != APPROVAL_APPROVED)
			continue;
		approval->may_end = true;
		chains[count++] = work_chain(work, approval->about.key);
	}
	return work_lock_outcomes(work, chains, count, error);
}

static bool
lock_approvals(struct work *work, struct resolver_intake *intake, struct error *error)
{
	const char **ids = arena_take_array(work->arena, intake->count, sizeof *ids);
	size_t count = 0;

	for (size_t i = 0; i < intake->count; i++)
		if (is_verified(&intake->items[i]) && intake->items[i].approval_id)
			ids[count++] = intake->items[i].approval_id;
	if (!resolver_load(work, ids, count, &intake->approvals, error))
		return false;
	for (size_t i = 0; i < intake->count; i++)
		intake->items[i].approval = resolver_find(&intake->approvals, intake->items[i].approval_id);
	return true;
}

/* ------------------------------------------------------------------ who may */

/* Of all groups that may be asked, and of the operators. */
static void
ask_membership(struct sheet *asked, const struct resolver_item *item)
{
	for (unsigned j = 0; j < item->approval->loaded_asks; j++)
		sheet_add(asked, store_text(item->response.tenant),
			  store_text(item->approval->asking.groups[j]), store_text(item->response.responder));
	sheet_add(asked, store_text(item->response.tenant), store_text(RESOLVER_OPERATORS),
		  store_text(item->response.responder));
}

static bool
load_membership(struct work *work, struct resolver_intake *intake, struct error *error)
{
	struct sheet asked = resolver_membership(work);

	for (size_t i = 0; i < intake->count; i++)
		if (intake->items[i].approval)
			ask_membership(&asked, &intake->items[i]);
	if (asked.count == 0)
		return true;

	struct store_rows *rows = sheet_query(&asked, work->store, error);
	size_t row = 0;

	for (size_t i = 0; rows && i < intake->count; i++) {
		struct resolver_item *item = &intake->items[i];

		if (!item->approval)
			continue;
		for (unsigned j = 0; j < item->approval->loaded_asks; j++)
			if (store_row_bool(rows, row++, 0))
				item->eligible |= UINT32_C(1) << j;
		item->is_operator = store_row_bool(rows, row++, 0);
	}
	return rows != NULL;
}

static bool
any_verified(const struct resolver_intake *intake)
{
	for (size_t i = 0; i < intake->count; i++)
		if (is_verified(&intake->items[i]))
			return true;
	return false;
}

/* The keys are asked for again under the locks: one that was revoked while we waited for them counts for nothing. */
static bool
look_up(struct resolver *resolver, struct work *work, struct resolver_intake *intake, struct error *error)
{
	if (!snapshot_refresh(resolver->snapshot, work, error) || !locate(work, intake, error)
	    || !lock_approvals(work, intake, error) || !lock_outcomes(work, intake, error)
	    || !load_known(work, intake, error) || !load_membership(work, intake, error)
	    || !load_keys(work, intake, error))
		return false;
	check_keys(intake);
	return true;
}

bool
resolver_intake(struct resolver *resolver, struct work *work, const struct record *records, size_t count,
		bool from_shelf, struct resolver_intake *intake, struct error *error)
{
	*intake = (struct resolver_intake){.count = count};
	intake->items = arena_take_array(work->arena, count, sizeof *intake->items);
	for (size_t i = 0; i < count; i++)
		if (!parse(work->arena, &records[i], from_shelf, &intake->items[i], error))
			return false;
	return verify_all(work, intake, error)
	       && (!any_verified(intake) || look_up(resolver, work, intake, error));
}
