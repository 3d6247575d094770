/* SPDX-License-Identifier: Apache-2.0 */
/* notifier_plan.c - from approvals as PostgreSQL has them to the exact bytes that each target is sent. */
#include "services/notifier/notifier.h"

#include "common/message/json.h"
#include "common/policy/policy_obligations.h"
#include "common/sheet/sheet.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------ the card */

static bool
read_json(struct arena *arena, const char *text, const struct value **value, struct error *error)
{
	struct error why = {0};

	*value = NULL;
	if (!text)
		return true;
	*value = json_parse(arena, text, strlen(text), &json_limits_event, &why);
	return (*value && (*value)->kind == VALUE_MAP)
	       || error_set(error, ERROR_BROKEN, "stored_request", "what is stored of a request can't be read");
}

/* Of all decisions, as a grant will carry them; of what was DENIED because the last one contradicted, what was united before. */
static bool
read_obligations(struct arena *arena, const char *text, struct card *card, struct error *error)
{
	struct error why = {0};
	const struct value *list =
	    text ? json_parse(arena, text, strlen(text), &json_limits_event, &why) : NULL;
	bool denied = card->result && strcmp(card->result, "DENIED") == 0;
	const char *conflict = NULL;

	for (size_t i = 0; list && i < list->as.list.count && !conflict; i++) {
		const struct value *united =
		    policy_obligations_unite(arena, card->obligations, list->as.list.items[i], &conflict);

		if (!conflict)
			card->obligations = united;
	}
	return ((!text || list) && (!conflict || denied))
	       || error_set(error, ERROR_BROKEN, "stored_obligations",
			    "what decisions on a request oblige to can't be read");
}

static void
read_needs(struct arena *arena, const struct store_rows *rows, size_t row, struct card *card)
{
	size_t counts[9];
	const char *const *profiles = store_row_list(rows, row, 17, &counts[0]);
	const char *const *groups = store_row_list(rows, row, 18, &counts[1]);
	const int64_t *quorums = store_row_int_list(rows, row, 19, &counts[2]);
	const int64_t *votes = store_row_int_list(rows, row, 20, &counts[3]);
	const char *const *policies = store_row_list(rows, row, 25, &counts[4]);
	const int64_t *stages = store_row_int_list(rows, row, 29, &counts[5]);
	const int64_t *wholes = store_row_int_list(rows, row, 30, &counts[6]);
	const int64_t *asked = store_row_int_list(rows, row, 31, &counts[7]);
	const int64_t *escalations = store_row_int_list(rows, row, 32, &counts[8]);
	struct notice_need *needs = arena_take_array(arena, counts[0], sizeof *needs);

	for (size_t i = 1; i < sizeof counts / sizeof *counts; i++)
		assert(counts[i] == counts[0]);
	for (size_t i = 0; i < counts[0]; i++)
		needs[i] = (struct notice_need){.policy = policies[i][0] ? policies[i] : NULL,
						.profile = profiles[i],
						.group = groups[i],
						.quorum = quorums[i],
						.votes = votes[i],
						.stage = stages[i],
						.all = wholes[i] != 0,
						.asked = asked[i] != 0,
						.escalated = escalations[i] != 0};
	card->needs = needs;
	card->need_count = counts[0];
}

static void
read_responses(struct arena *arena, const struct store_rows *rows, size_t row, struct card *card)
{
	size_t counts[4];
	const char *const *responders = store_row_list(rows, row, 21, &counts[0]);
	const char *const *verdicts = store_row_list(rows, row, 22, &counts[1]);
	const char *const *reasons = store_row_list(rows, row, 23, &counts[2]);
	const int64_t *times = store_row_int_list(rows, row, 24, &counts[3]);
	struct authorization_response *list = arena_take_array(arena, counts[0], sizeof *list);

	assert(counts[1] == counts[0] && counts[2] == counts[0] && counts[3] == counts[0]);
	for (size_t i = 0; i < counts[0]; i++)
		list[i] = (struct authorization_response){.responder = responders[i],
							  .verdict = verdicts[i],
							  .reason = reasons[i][0] != '\0' ? reasons[i] : NULL,
							  .at = times[i]};
	card->responses = list;
	card->response_count = counts[0];
}

static bool
read_card(struct arena *arena, const struct store_rows *rows, size_t row, struct card *card, struct error *error)
{
	*card = (struct card){
	    .approval_id = store_row_text(rows, row, 0),
	    .tenant = store_row_text(rows, row, 1),
	    .request_id = store_row_text(rows, row, 2),
	    .request_digest = store_row_text(rows, row, 3),
	    .why = store_row_text(rows, row, 4),
	    .opened_at = store_row_time(rows, row, 5),
	    .deadline = store_row_time(rows, row, 6),
	    .closed_at = store_row_time(rows, row, 7),
	    .agent_id = store_row_text(rows, row, 8),
	    .action = store_row_text(rows, row, 9),
	    .target = store_row_text(rows, row, 10),
	    .context_text = store_row_text(rows, row, 11),
	    .execution_text = store_row_text(rows, row, 12),
	    .reason = store_row_text(rows, row, 13),
	    .on_behalf_of = store_row_text(rows, row, 14),
	    .result = store_row_text(rows, row, 16),
	    .signed_by_kid = store_row_text(rows, row, 27),
	    .signed_by_owner = store_row_text(rows, row, 28),
	};
	card->rules = store_row_list(rows, row, 15, &card->rule_count);
	card->reminded_at = store_row_time(rows, row, 33);
	card->told = store_row_list(rows, row, 34, &card->told_count);
	card->revoked_at = store_row_time(rows, row, 35);
	card->overridden_by = store_row_text(rows, row, 41);
	card->reviewed_by = store_row_text(rows, row, 42);
	card->failed_before = store_row_int(rows, row, 36);
	card->before = (struct card_before){.request_id = store_row_text(rows, row, 37),
					    .status = store_row_text(rows, row, 38),
					    .code = store_row_text(rows, row, 39),
					    .detail = store_row_text(rows, row, 40)};
	read_needs(arena, rows, row, card);
	read_responses(arena, rows, row, card);
	return read_json(arena, card->context_text, &card->context, error)
	       && read_json(arena, card->execution_text, &card->execution, error)
	       && read_obligations(arena, store_row_text(rows, row, 26), card, error);
}

/* ------------------------------------------------------------------ deliveries */

/* Those of later stages are told when theirs opens, or when somebody went past them. */
static bool
wants(const struct target *target, const struct card *card, enum target_event event, bool later)
{
	const char *groups[64];
	size_t count = 0;

	for (size_t i = 0; i < card->need_count && count < sizeof groups / sizeof *groups; i++)
		if (card->needs[i].asked || later)
			groups[count++] = card->needs[i].group;
	for (size_t i = 0; i < card->told_count && count < sizeof groups / sizeof *groups; i++)
		groups[count++] = card->told[i];
	return targets_wants(target, card->tenant, groups, count, event);
}

static bool
add_delivery(struct sheet *sheet, const struct card *card, const struct target *target, enum card_event event,
	     const char *kind, int64_t now, struct error *error)
{
	struct arena *arena = sheet->arena;
	const char *const parts[] = {card->approval_id, target->channel->name, target->name, kind};
	const char *delivery_id = arena_string(arena, id_derive(parts, sizeof parts / sizeof *parts).text);
	struct buffer body;

	if (!card_format(arena, card, event, delivery_id, &body, error))
		return false;
	sheet_add(sheet, store_uuid(delivery_id), store_uuid(card->approval_id), store_text(card->tenant),
		  store_text(card->request_id), store_text(target->channel->name), store_text(target->name),
		  store_text(kind), store_bytes(body.bytes, body.length), store_time(now));
	return true;
}

static bool
add_outcome(struct sheet *sheet, const struct card *card, const struct target *target, int64_t now,
	    struct error *error)
{
	if (!card->outcome || !wants(target, card, TARGET_OUTCOME, false))
		return true;
	return add_delivery(sheet, card, target, CARD_OUTCOME,
			    arena_format(sheet->arena, "approval.outcome.%s", card->outcome->outcome_id), now,
			    error);
}

/* What is known already is not inserted again: each wake-up says all that there is to say. */
static bool
add_deliveries(struct sheet *sheet, const struct card *card, const struct target *target, int64_t now,
	       struct error *error)
{
	bool is_open = !card->result;

	if (wants(target, card, TARGET_OPENED, false)
	    && !add_delivery(sheet, card, target, CARD_OPENED, "approval.opened", now, error))
		return false;
	if (is_open && card->response_count > 0 && wants(target, card, TARGET_CHANGED, false)
	    && !add_delivery(sheet, card, target, CARD_CHANGED,
			     arena_format(sheet->arena, "approval.changed.%zu", card->response_count), now,
			     error))
		return false;
	if (is_open && card->reminded_at && wants(target, card, TARGET_OPENED, false)
	    && !add_delivery(sheet, card, target, CARD_REMINDED,
			     arena_format(sheet->arena, "approval.reminded.%" PRId64, card->reminded_at), now,
			     error))
		return false;
	if (card->overridden_by && wants(target, card, TARGET_OPENED, true)
	    && !add_delivery(sheet, card, target, CARD_OVERRIDDEN, "approval.overridden", now, error))
		return false;
	if (is_open || !wants(target, card, TARGET_CLOSED, false))
		return true;
	return add_delivery(sheet, card, target, CARD_CLOSED, "approval.closed", now, error)
	       && (!card->revoked_at
		   || add_delivery(sheet, card, target, CARD_REVOKED, "approval.revoked", now, error));
}

static void
note_planned(struct notifier *notifier, const struct store_rows *rows)
{
	for (size_t row = 0; row < store_rows_count(rows); row++) {
		journal_count(notifier->journal, "deliveries_planned_total", store_row_text(rows, row, 2));
		if (strcmp(store_row_text(rows, row, 5), "dead") == 0)
			journal_warn(notifier->journal, "not_sent", log_text("code", "target_gone"),
				     log_text("delivery_id", store_row_text(rows, row, 0)),
				     log_text("approval_id", store_row_text(rows, row, 1)),
				     log_text("channel", store_row_text(rows, row, 2)),
				     log_text("target", store_row_text(rows, row, 3)),
				     log_text("kind", store_row_text(rows, row, 4)));
	}
}

bool
notifier_plan_cards(struct notifier *notifier, struct work *work, const struct card *cards, size_t count,
		    struct error *error)
{
	struct sheet sheet = sheet_open(notifier->scratch, STATEMENT_NOTIFIER_PLAN, "uutttttbn");
	struct store_rows *rows;

	for (size_t i = 0; i < count; i++)
		for (size_t t = 0; t < notifier->targets.count; t++)
			if (!add_deliveries(&sheet, &cards[i], &notifier->targets.items[t], work->now, error)
			    || !add_outcome(&sheet, &cards[i], &notifier->targets.items[t], work->now, error))
				return false;
	if (sheet.count == 0)
		return true;
	rows = sheet_query(&sheet, work->store, error);
	if (rows)
		note_planned(notifier, rows);
	return rows != NULL;
}

/* ------------------------------------------------------------------ some approvals at a time */

bool
notifier_cards(struct notifier *notifier, struct work *work, const char *const *ids, size_t count,
	       struct card **cards, size_t *card_count, struct error *error)
{
	struct store_param list = store_uuid_list(ids, count);
	struct store_rows *rows =
	    store_query(work->store, notifier->scratch, STATEMENT_NOTIFIER_CARDS, &list, 1, error);

	if (!rows)
		return false;
	*card_count = store_rows_count(rows);
	*cards = arena_take_array(notifier->scratch, *card_count, sizeof **cards);
	for (size_t row = 0; row < *card_count; row++)
		if (!read_card(notifier->scratch, rows, row, &(*cards)[row], error))
			return false;
	return true;
}

static bool
plan_some(struct notifier *notifier, struct work *work, const char *const *ids, size_t count, bool *known,
	  struct error *error)
{
	struct card *cards;
	size_t card_count;

	if (!notifier_cards(notifier, work, ids, count, &cards, &card_count, error))
		return false;
	for (size_t i = 0, at = 0; i < card_count; i++) {
		while (at < count && strcmp(ids[at], cards[i].approval_id) != 0)
			at++;
		assert(at < count); /* they come in the order of ids */
		known[at] = true;
	}
	return notifier_plan_cards(notifier, work, cards, card_count, error);
}

bool
notifier_plan(struct notifier *notifier, struct work *work, const char *const *ids, size_t count, bool *known,
	      struct error *error)
{
	bool ok = true;

	for (size_t done = 0; ok && done < count; done += NOTIFIER_AT_ONCE) {
		size_t some = count - done < NOTIFIER_AT_ONCE ? count - done : NOTIFIER_AT_ONCE;

		ok = plan_some(notifier, work, ids + done, some, known + done, error);
		arena_reset(notifier->scratch);
	}
	return ok;
}
