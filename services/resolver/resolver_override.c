/* SPDX-License-Identifier: Apache-2.0 */
/* resolver_override.c - one person past all who are asked: who may, and the review that it leaves to somebody else. */
#include "services/resolver/resolver.h"

bool
resolver_look_at_overrides(struct resolver_effects *effects, struct resolver_item *item, struct error *error)
{
	const struct resolver_approval *approval = item->approval;
	struct sheet asked = resolver_membership(effects->work);
	unsigned demands[APPROVAL_DEMANDS_MAX];

	if (item->response.verdict != RESPONSE_OVERRIDE)
		return true;
	for (unsigned i = 0; i < approval->now.demand_count; i++) {
		if (!approval->asking.overrides[i])
			continue;
		demands[asked.count] = i;
		sheet_add(&asked, store_text(item->response.tenant),
			  store_text(approval->asking.overrides[i]), store_text(item->response.responder));
	}
	if (asked.count == 0)
		return true;

	struct store_rows *rows = sheet_query(&asked, effects->work->store, error);

	for (size_t row = 0; rows && row < store_rows_count(rows); row++)
		if (store_row_bool(rows, row, 0))
			item->overrides |= UINT32_C(1) << demands[row];
	return rows != NULL;
}

void
resolver_open_review(struct resolver_effects *effects, struct resolver_approval *approval,
		     const struct resolver_item *item)
{
	approval->overrider = item->response.responder;
	sheet_add(&effects->opened_reviews, store_uuid(approval->approval_id),
		  store_text(approval->about.tenant), store_text(approval->about.request_id),
		  store_text(approval->overrider), store_text(item->response.reason),
		  store_time(effects->work->now));
	journal_count(effects->resolver->journal, "overrides_total", "");
	journal_warn(effects->resolver->journal, "overridden", log_text("tenant", approval->about.tenant),
		     log_text("request_id", approval->about.request_id),
		     log_text("approval_id", approval->approval_id),
		     log_text("responder", approval->overrider));
}

void
resolver_close_review(struct resolver_effects *effects, struct resolver_approval *approval,
		      const struct resolver_item *item)
{
	approval->reviewer = item->response.responder;
	sheet_add(&effects->closed_reviews, store_uuid(approval->approval_id), store_text(approval->reviewer),
		  store_text(item->response.reason), store_time(effects->work->now));
}

/* Votes that count for what was added stay so. */
void
resolver_undo_override(struct resolver_approval *approval, const struct approval *before, const char *code)
{
	approval->not_overridden = code;
	approval->now.state = APPROVAL_PENDING;
	approval->now.overridden = false;
	approval->now.voter_count = before->voter_count;
	for (unsigned i = 0; i < before->voter_count; i++)
		if (approval->now.voters[i].vote == APPROVAL_VOTE_OVERRIDE)
			approval->now.voters[i] = before->voters[i];
	approval->answer_count--; /* it was shown as one */
}
