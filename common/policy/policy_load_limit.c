/* SPDX-License-Identifier: Apache-2.0 */
/* policy_load_limit.c - the limits and invariants of a document. */
#include "common/policy/policy_read.h"

#include <stdlib.h>
#include <string.h>

enum { LIMITS_MAX = 256, INVARIANTS_MAX = 256, KEYS_MAX = 8, PATH_MAX_BYTES = 256 };

#define REPORT_WITHIN (INT64_C(300) * 1000000)
#define MAX_MAX ((INT64_C(1) << 53) - 1)

static const char context_dot[] = "context.";

static bool
starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The input that "context.x.y" names; conditions and limits read declared ones only. */
static const struct policy_field *
find_input(const struct place *place, const char *path)
{
	const struct policy *policy = place->reader->policy;
	const char *below = path + strlen(context_dot);
	const struct policy_field *field = NULL;

	if (policy->has_inputs)
		field = policy_find_field(&policy->inputs, below, strlen(below));
	if (!field)
		policy_refuse_input(place, below);
	return field;
}

static bool
read_key(const struct place *place, const char **key)
{
	static const char *const names[] = {"agent_id", "action", "target", "tenant", "request_digest", NULL};

	if (!policy_read_text(place, PATH_MAX_BYTES, key))
		return false;
	for (size_t i = 0; names[i]; i++)
		if (strcmp(names[i], *key) == 0)
			return true;
	if (!starts_with(*key, context_dot))
		return policy_refuse_unknown(place, "bad_value", *key, names,
					     "is neither context.… nor a name of the request");

	const struct policy_field *field = find_input(place, *key);

	if (field
	    && (field->type.kind == POLICY_T_LIST || field->type.kind == POLICY_T_MAP
		|| field->type.kind == POLICY_T_DOUBLE))
		return policy_refuse(place, "wrong_value_type", "a list, a map or a double is no key");
	return field;
}

/* A share: above 0, at most 1. */
static void
load_warn_at(const struct place *place, struct policy_limit *limit)
{
	static const struct policy_type share = {.kind = POLICY_T_DOUBLE};
	struct policy_datum datum;

	if (!place->value || !policy_read_datum(place, &share, &datum))
		return;
	limit->warn_at = datum.as.real;
	if (!(limit->warn_at > 0 && limit->warn_at <= 1))
		policy_refuse(place, "bad_value", "must be a share of max above 0 and at most 1, as 0.8");
}

static void
load_max_and_per(const struct place *place, struct policy_limit *limit)
{
	struct place max = policy_place_member(place, "max"), per = policy_place_member(place, "per");

	policy_read_integer(&max, 1, MAX_MAX, &limit->max);
	policy_read_duration(&per, &limit->per);
}

/* What is summed can't be taken back by a negative one. */
static void
load_sum(const struct place *place, struct policy_limit *limit)
{
	static const char *const known[] = {"of", "max", "per", NULL};

	if (!policy_read_map(place, known))
		return;

	struct place of = policy_place_member(place, "of");
	const struct policy_field *field;

	load_max_and_per(place, limit);
	if (!policy_read_text(&of, PATH_MAX_BYTES, &limit->sum_of))
		return;
	if (!starts_with(limit->sum_of, context_dot)) {
		policy_refuse(&of, "bad_value", "must be an input: context.…");
		return;
	}
	field = find_input(&of, limit->sum_of);
	if (!field)
		return;
	if (field->type.kind != POLICY_T_INT)
		policy_refuse(&of, "wrong_value_type", "must be an int, of the least unit: sums are exact");
	else if (!field->min || field->min->as.integer < 0)
		policy_refuse(&of, "bad_value",
			      "must be declared with min: 0, or a negative one would give room");
}

static void
load_measure(const struct place *place, struct policy_limit *limit)
{
	static const char *const known[] = {"max", "per", NULL};
	struct place count = policy_place_member(place, "count"), sum = policy_place_member(place, "sum");

	if (count.value && sum.value)
		policy_refuse_name(&sum, "bad_value", "stands beside count: a limit counts or sums");
	else if (sum.value)
		load_sum(&sum, limit);
	else if (policy_read_map(&count, known))
		load_max_and_per(&count, limit);
}

/* How long after an authorization's end a report on it may come. */
static void
load_count_on(const struct place *place, struct policy_limit *limit)
{
	static const char *const counted[] = {"decision", "grant", "execution", NULL};
	struct place count_on = policy_place_member(place, "count_on"),
		     within = policy_place_member(place, "report_within");
	size_t word = POLICY_COUNT_GRANT;

	if (count_on.value)
		policy_read_word(&count_on, counted, &word);
	limit->count_on = (enum policy_count_on)word;
	if (limit->count_on == POLICY_COUNT_EXECUTION)
		limit->report_within = REPORT_WITHIN;
	if (within.value && limit->count_on != POLICY_COUNT_EXECUTION)
		policy_refuse_name(&within, "bad_value", "is for count_on: execution");
	else if (within.value)
		policy_read_duration(&within, &limit->report_within);
}

static void
load_words(const struct place *place, struct policy_limit *limit)
{
	static const char *const windows[] = {"sliding", "fixed", "token_bucket", NULL};
	static const char *const exceeded[] = {"REQUIRE_APPROVAL", "BLOCK", NULL};
	struct place window = policy_place_member(place, "window");
	struct place release = policy_place_member(place, "release_on_failure"),
		     verdict = policy_place_member(place, "exceeded");
	size_t word;

	if (window.value && policy_read_word(&window, windows, &word))
		limit->window = (enum policy_window)word;
	if (release.value)
		policy_read_bool(&release, &limit->release_on_failure);
	if (!policy_read_word(&verdict, exceeded, &word))
		return;
	limit->exceeded = word == 0 ? POLICY_REQUIRE_APPROVAL : POLICY_BLOCK;
	policy_load_approval(place, word == 0, &limit->profile);
}

static const char *
joined(struct arena *arena, const struct policy_strings *strings)
{
	struct buffer text = {.arena = arena};

	for (size_t i = 0; i < strings->count; i++)
		buffer_add_format(&text, "%s%s", i ? "," : "", strings->items[i]);
	return text.bytes;
}

static void
load_limit(const struct place *place, struct policy_limit *limit)
{
	static const char *const known[] = {
	    "id",     "match",	 "except",   "when",	 "key",	     "count",	      "sum",
	    "window", "warn_at", "exceeded", "approval", "count_on", "report_within", "release_on_failure",
	    "reason", NULL};

	limit->position = place->index;
	if (!policy_read_map(place, known))
		return;

	struct place id = policy_place_member(place, "id"), key = policy_place_member(place, "key");
	struct place when = policy_place_member(place, "when"), reason = policy_place_member(place, "reason");
	struct place warn_at = policy_place_member(place, "warn_at");

	if (!policy_read_id(&id, &limit->id))
		limit->id = NULL;
	policy_load_scopes(place, &limit->match, &limit->except, &limit->has_except);
	policy_read_expression_if(&when, &limit->when);
	if (policy_read_list(&key, KEYS_MAX))
		policy_read_strings(&key, read_key, &limit->key);
	limit->fields = joined(place->reader->arena, &limit->key);
	load_measure(place, limit);
	load_warn_at(&warn_at, limit);
	load_count_on(place, limit);
	load_words(place, limit);
	if (reason.value)
		policy_read_text(&reason, POLICY_REASON_MAX, &limit->reason);
}

static void
load_invariant(const struct place *place, struct policy_invariant *invariant)
{
	static const char *const known[] = {"id", "match", "except", "assume", "assert", "reason", NULL};

	invariant->position = place->index;
	if (!policy_read_map(place, known))
		return;

	struct place id = policy_place_member(place, "id"), assume = policy_place_member(place, "assume");
	struct place assertion = policy_place_member(place, "assert"),
		     reason = policy_place_member(place, "reason");

	if (!policy_read_id(&id, &invariant->id))
		invariant->id = NULL;
	policy_load_scopes(place, &invariant->match, &invariant->except, &invariant->has_except);
	policy_read_expression_if(&assume, &invariant->assume);
	policy_read_expression(&assertion, &invariant->assertion);
	if (reason.value)
		policy_read_text(&reason, POLICY_REASON_MAX, &invariant->reason);
}

/* The n-th of a list has the id of one before it. */
static void
check_id(const struct place *place, const char *id, const char *other, const char *what)
{
	struct place member = policy_place_member(place, "id");

	if (id && other && strcmp(id, other) == 0)
		policy_refuse(&member, "duplicate_id", "another %s has it", what);
}

static int
compare_limits(const void *left, const void *right)
{
	const struct policy_limit *a = left, *b = right;

	return strcmp(a->id, b->id);
}

static int
compare_invariants(const void *left, const void *right)
{
	const struct policy_invariant *a = left, *b = right;

	return strcmp(a->id, b->id);
}

void
policy_load_limits(const struct place *root)
{
	struct place limits = policy_place_member(root, "limits");
	struct policy *policy = root->reader->policy;

	if (!limits.value || policy_is_empty(&limits, VALUE_LIST) || !policy_read_list(&limits, LIMITS_MAX))
		return;
	policy->limit_count = limits.value->as.list.count;
	policy->limits = arena_take_array(root->reader->arena, policy->limit_count, sizeof *policy->limits);
	for (size_t i = 0; i < policy->limit_count && !policy_reader_is_full(root); i++) {
		struct place place = policy_place_item(&limits, i);

		load_limit(&place, &policy->limits[i]);
		for (size_t j = 0; j < i; j++)
			check_id(&place, policy->limits[i].id, policy->limits[j].id, "limit");
	}
	if (!root->reader->findings->count)
		qsort(policy->limits, policy->limit_count, sizeof *policy->limits, compare_limits);
}

void
policy_load_invariants(const struct place *root)
{
	struct place invariants = policy_place_member(root, "invariants");
	struct policy *policy = root->reader->policy;

	if (!invariants.value || policy_is_empty(&invariants, VALUE_LIST)
	    || !policy_read_list(&invariants, INVARIANTS_MAX))
		return;
	policy->invariant_count = invariants.value->as.list.count;
	policy->invariants =
	    arena_take_array(root->reader->arena, policy->invariant_count, sizeof *policy->invariants);
	for (size_t i = 0; i < policy->invariant_count && !policy_reader_is_full(root); i++) {
		struct place place = policy_place_item(&invariants, i);

		load_invariant(&place, &policy->invariants[i]);
		for (size_t j = 0; j < i; j++)
			check_id(&place, policy->invariants[i].id, policy->invariants[j].id, "invariant");
	}
	if (!root->reader->findings->count)
		qsort(policy->invariants, policy->invariant_count, sizeof *policy->invariants,
		      compare_invariants);
}
