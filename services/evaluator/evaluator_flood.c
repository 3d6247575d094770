/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluator_flood.c - people are not asked twice about the same, nor by one agent, in one class or as one group without end. What is
 * asked already is exact: a key of the database keeps two evaluators from opening the same. The counts are those of the
 * moment: what other evaluators have open in transactions of their own is not among them.
 */
#include "services/evaluator/evaluator.h"

#include "common/approval/approval.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum subject_kind { SUBJECT_AGENT = 1, SUBJECT_CLASS, SUBJECT_GROUP };

/* Something that may have so many open approvals, and how many it has. */
struct subject {
	enum subject_kind kind;
	const char *tenant, *name;
	int64_t open, most;		      /* most 0: no limit; of a group it is counted all the same */
	const struct evaluator_item *refused; /* the first one that was too much, or NULL */
};

struct flood {
	struct evaluator *evaluator;
	struct work *work;
	struct evaluator_item **asking; /* the items that ask people, in offset order */
	size_t asking_count;
	struct subject *subjects; /* in order, each once */
	size_t subject_count;
};

/* Somebody is there to be asked. */
static bool
opens_approval(const struct evaluator_item *item)
{
	return evaluator_asks_people(item) && !evaluator_leads_nowhere(item);
}

/* ------------------------------------------------------------------ what is counted */

static int
compare_subjects(const void *left, const void *right)
{
	const struct subject *one = left, *other = right;
	int order = (one->kind > other->kind) - (one->kind < other->kind);

	if (order == 0)
		order = strcmp(one->name, other->name);
	return order != 0 ? order : strcmp(one->tenant, other->tenant);
}

static int64_t
most_of(const struct evaluator_config *config, enum subject_kind kind)
{
	switch (kind) {
	case SUBJECT_AGENT:
		return config->open_per_agent;
	case SUBJECT_CLASS:
		return config->open_per_class;
	case SUBJECT_GROUP:
		break;
	}
	return config->open_per_group;
}

static void
add_subject(const struct flood *flood, const struct evaluator_item *item, enum subject_kind kind,
	    const char *name, struct subject *subjects, size_t *count)
{
	int64_t most = most_of(flood->evaluator->config, kind);

	if (most > 0 || kind == SUBJECT_GROUP)
		subjects[(*count)++] =
		    (struct subject){.kind = kind, .tenant = item->about.tenant, .name = name, .most = most};
}

/* The agent and the class of one question, left out without a limit, and its groups; a group may be there twice. */
static size_t
subjects_of(const struct flood *flood, const struct evaluator_item *item, struct subject *subjects)
{
	const struct policy_decision *decision = &item->decision;
	size_t count = 0;

	add_subject(flood, item, SUBJECT_AGENT, item->about.agent_id, subjects, &count);
	add_subject(flood, item, SUBJECT_CLASS, decision->class_id, subjects, &count);
	for (size_t i = 0; i < decision->requirement_count; i++) {
		const struct policy_profile *profile = decision->requirements[i].terms;

		for (size_t j = 0; j < profile->stage_count; j++)
			for (size_t k = 0; k < profile->stages[j].ask_count; k++)
				add_subject(flood, item, SUBJECT_GROUP, profile->stages[j].asks[k].group,
					    subjects, &count);
	}
	return count;
}

enum { SUBJECTS_MAX = 2 + APPROVAL_ASKS_MAX };

static void
collect_subjects(struct flood *flood)
{
	struct subject subjects[SUBJECTS_MAX];
	size_t room = 0, count = 0, kept = 0;

	for (size_t i = 0; i < flood->asking_count; i++)
		room += subjects_of(flood, flood->asking[i], subjects);
	flood->subjects = arena_take_array(flood->work->arena, room, sizeof *flood->subjects);
	for (size_t i = 0; i < flood->asking_count; i++)
		count += subjects_of(flood, flood->asking[i], flood->subjects + count);
	qsort(flood->subjects, count, sizeof *flood->subjects, compare_subjects);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || compare_subjects(&flood->subjects[kept - 1], &flood->subjects[i]) != 0)
			flood->subjects[kept++] = flood->subjects[i];
	flood->subject_count = kept;
}

static struct subject *
find_subject(const struct flood *flood, const struct subject *wanted)
{
	return bsearch(wanted, flood->subjects, flood->subject_count, sizeof *wanted, compare_subjects);
}

/* ------------------------------------------------------------------ what the database knows */

/* Of a group without a limit no more are counted than that: whoever has so many ahead need not know how many more. */
enum { COUNTED_MAX = 1000 };

static int64_t
counted_of(const struct subject *subject)
{
	return subject->most > 0 ? subject->most : COUNTED_MAX;
}

static bool
look(struct flood *flood, struct store_rows **open, struct error *error)
{
	struct sheet asked = sheet_open(flood->work->arena, STATEMENT_FLOOD_OPEN, "tt");
	struct sheet counted = sheet_open(flood->work->arena, STATEMENT_FLOOD_COUNT, "nttn");
	struct store_rows *counts = NULL;

	for (size_t i = 0; i < flood->asking_count; i++)
		sheet_add(&asked, store_text(flood->asking[i]->about.tenant),
			  store_text(flood->asking[i]->about.digest_text));
	for (size_t i = 0; i < flood->subject_count; i++)
		sheet_add(&counted, store_int(flood->subjects[i].kind), store_text(flood->subjects[i].tenant),
			  store_text(flood->subjects[i].name), store_int(counted_of(&flood->subjects[i])));
	if (!sheet_ask(&asked, flood->work->store, open, error)
	    || !sheet_ask(&counted, flood->work->store, &counts, error)
	    || !store_settle(flood->work->store, error))
		return false;
	for (size_t i = 0; i < flood->subject_count; i++)
		flood->subjects[i].open = store_row_int(counts, i, 0);
	return true;
}

/* ------------------------------------------------------------------ judging, in offset order */

/* The same, asked earlier in this batch. */
static const struct evaluator_item *
find_twin(const struct flood *flood, size_t number)
{
	const struct evaluator_item *item = flood->asking[number];

	for (size_t i = 0; i < number; i++) {
		const struct evaluator_item *other = flood->asking[i];

		if (!other->flood_code && strcmp(other->about.digest_text, item->about.digest_text) == 0
		    && strcmp(other->about.tenant, item->about.tenant) == 0)
			return other;
	}
	return NULL;
}

static void
refuse_twin(struct flood *flood, struct evaluator_item *item, const char *request_id)
{
	item->flood_code = "duplicate_open";
	item->flood_text =
	    arena_format(flood->work->arena, "The same is asked already, by request %s.", request_id);
	item->duplicate_of = request_id;
}

static const char *
kind_name(enum subject_kind kind)
{
	switch (kind) {
	case SUBJECT_AGENT:
		return "agent";
	case SUBJECT_CLASS:
		return "class";
	case SUBJECT_GROUP:
		break;
	}
	return "group";
}

static void
refuse_flood(struct flood *flood, struct evaluator_item *item, struct subject *subject)
{
	item->flood_code = "too_many_open";
	item->flood_text = arena_format(flood->work->arena,
					"Too many approvals are open for %s %s: %lld, and no more may be.",
					kind_name(subject->kind), subject->name, (long long)subject->most);
	if (!subject->refused)
		subject->refused = item;
	journal_count(flood->evaluator->journal, "flood_total", kind_name(subject->kind));
}

static void
tell_ahead(struct evaluator_item *item, const struct subject *group, struct authorization_ahead *ahead)
{
	int64_t counted = counted_of(group);

	ahead[item->ahead_count++] = (struct authorization_ahead){
	    .group = group->name, .open = group->open < counted ? group->open : counted};
	item->ahead = ahead;
}

/* One more is open for each of them, once; those in whose groups the others wait are told how many. */
static void
count_in(struct flood *flood, struct evaluator_item *item, const struct subject *wanted, size_t count)
{
	struct authorization_ahead *ahead = arena_take_array(flood->work->arena, count, sizeof *ahead);

	item->ahead_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct subject *subject = find_subject(flood, &wanted[i]);

		if (i > 0 && compare_subjects(&wanted[i - 1], &wanted[i]) == 0)
			continue;
		if (subject->kind == SUBJECT_GROUP)
			tell_ahead(item, subject, ahead);
		subject->open++;
	}
}

int64_t
evaluator_ahead(const struct evaluator_item *item, const char *group)
{
	size_t n = 0;

	while (n < item->ahead_count && strcmp(item->ahead[n].group, group) != 0)
		n++;
	assert(n < item->ahead_count);
	return item->ahead[n].open;
}

/* All of them have room, or none of them is counted. */
static void
judge_counts(struct flood *flood, struct evaluator_item *item)
{
	struct subject wanted[SUBJECTS_MAX];
	size_t count = subjects_of(flood, item, wanted);

	qsort(wanted, count, sizeof *wanted, compare_subjects);
	for (size_t i = 0; i < count; i++) {
		struct subject *subject = find_subject(flood, &wanted[i]);

		if (subject->most > 0 && subject->open >= subject->most) {
			refuse_flood(flood, item, subject);
			return;
		}
	}
	count_in(flood, item, wanted, count);
}

static void
judge(struct flood *flood, const struct store_rows *open)
{
	for (size_t i = 0; i < flood->asking_count; i++) {
		const struct evaluator_item *twin = find_twin(flood, i);
		const char *request_id = twin ? twin->about.request_id : store_row_text(open, i, 1);

		if (request_id)
			refuse_twin(flood, flood->asking[i], request_id);
		else
			judge_counts(flood, flood->asking[i]);
	}
}

/* ------------------------------------------------------------------ one incident, not a thousand */

static bool
report(struct flood *flood, const struct subject *subject, struct sheet *incidents, struct error *error)
{
	const struct word_request *about = &subject->refused->about;
	struct arena *arena = flood->work->arena;
	const char *name = arena_format(arena, "%s %s", kind_name(subject->kind), subject->name);
	const struct incident incident = {
	    .tenant = about->tenant,
	    .request_id = about->request_id,
	    .key = about->key,
	    .chain = work_chain(flood->work, about->key),
	    .kind = "approval_flood",
	    .severity = "medium",
	    .text = arena_format(
		arena, "%s has %lld open approvals, as many as it may have; further requests are refused.",
		name, (long long)subject->most),
	    .discriminator = name,
	    .evidence = &about->request_id,
	    .evidence_count = 1,
	    .at = flood->work->now,
	    .traceparent = about->traceparent,
	    .source = flood->work->context->source,
	};
	struct event event;

	if (!incident_event(arena, &incident, &event, error))
		return false;
	work_event(flood->work, &event);
	sheet_add(incidents, store_uuid(arena_string(arena, event.event_id.text)), store_text(about->tenant),
		  store_text(about->request_id), store_text(incident.text), store_time(incident.at),
		  store_text(name));
	journal_warn(flood->evaluator->journal, "approval_flood", log_text("tenant", about->tenant),
		     log_text("subject", name), log_number("most", subject->most));
	return true;
}

static bool
report_all(struct flood *flood, struct error *error)
{
	struct sheet asked = sheet_open(flood->work->arena, STATEMENT_FLOOD_TOLD, "ttn");
	struct sheet incidents = sheet_open(flood->work->arena, STATEMENT_FLOOD_INCIDENT, "utttnt");
	size_t row = 0;

	for (size_t i = 0; i < flood->subject_count; i++)
		if (flood->subjects[i].refused)
			sheet_add(&asked, store_text(flood->subjects[i].tenant),
				  store_text(arena_format(flood->work->arena, "%s %s",
							  kind_name(flood->subjects[i].kind),
							  flood->subjects[i].name)),
				  store_time(flood->work->now));
	if (asked.count == 0)
		return true;

	struct store_rows *told = sheet_query(&asked, flood->work->store, error);

	for (size_t i = 0; told && i < flood->subject_count; i++)
		if (flood->subjects[i].refused && !store_row_bool(told, row++, 0)
		    && !report(flood, &flood->subjects[i], &incidents, error))
			return false;
	return told && sheet_send(&incidents, flood->work->store, error);
}

bool
evaluator_stem(struct evaluator *evaluator, struct work *work, struct evaluator_item *items, size_t count,
	       struct error *error)
{
	struct flood flood = {.evaluator = evaluator,
			      .work = work,
			      .asking = arena_take_array(work->arena, count, sizeof *flood.asking)};
	struct store_rows *open;

	for (size_t i = 0; i < count; i++)
		if (opens_approval(&items[i]))
			flood.asking[flood.asking_count++] = &items[i];
	if (flood.asking_count == 0)
		return true;
	collect_subjects(&flood);
	if (!look(&flood, &open, error))
		return false;
	judge(&flood, open);
	return report_all(&flood, error);
}
