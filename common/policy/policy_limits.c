/* SPDX-License-Identifier: Apache-2.0 */
/* policy_limits.c - how much is enough. What is used already is told by whoever asks; nothing is reserved here. Rule 8a of
 * policy_decide.c. */
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_read.h"

#include <assert.h>
#include <string.h>

enum { SHOWN_CHARACTERS = 64, ALL = -1 };

/* A key on its way: as it counts, and as it is shown. */
struct keys {
	struct buffer exact, shown;
};

/* What is declared under a path ("plan.delete") and there; else NULL. */
static const struct policy_datum *
find_datum(const struct policy_type *map, const struct policy_datum *datum, const char *path)
{
	for (;;) {
		size_t length = strcspn(path, ".");
		const struct policy_field *field =
		    map->fields ? policy_field_of(map, (struct text){path, length}) : NULL;

		if (!field || datum->kind != POLICY_T_MAP)
			return NULL;
		datum = &datum->as.fields[field - map->fields];
		map = &field->type;
		if (path[length] == '\0')
			return datum->kind == POLICY_T_ABSENT ? NULL : datum;
		path += length + 1;
	}
}

static const struct policy_datum *
find_input(const struct policy_deciding *deciding, const char *path)
{
	static const char context[] = "context.";
	const struct policy *policy = deciding->policy;

	if (!policy->has_inputs || strncmp(path, context, strlen(context)) != 0)
		return NULL;
	return find_datum(&policy->inputs, &deciding->context, path + strlen(context));
}

/* As JSON writes it, at most so many characters; the letters that would have to be escaped become \\u00XX. */
static void
add_text(struct buffer *key, const char *bytes, size_t length, int characters)
{
	buffer_add_byte(key, '"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c & 0xc0) != 0x80 && characters-- == 0) {
			buffer_add_text(key, "…");
			break;
		}
		if (c < 0x20 || c == '"' || c == '\\')
			buffer_add_format(key, "\\u%04x", c);
		else
			buffer_add_byte(key, bytes[i]);
	}
	buffer_add_byte(key, '"');
}

static bool
add_input(struct buffer *key, const struct policy_datum *datum, int characters)
{
	if (!datum)
		return false;
	switch (datum->kind) {
	case POLICY_T_BOOL:
		buffer_add_text(key, datum->as.boolean ? "true" : "false");
		return true;
	case POLICY_T_INT:
	case POLICY_T_DURATION:
		buffer_add_format(key, "%lld", (long long)datum->as.integer);
		return true;
	case POLICY_T_TIMESTAMP:
		buffer_add_format(key, "%lld.%09u", (long long)datum->as.integer, datum->nanoseconds);
		return true;
	case POLICY_T_STRING:
		add_text(key, datum->as.string.bytes, datum->as.string.length, characters);
		return true;
	default:
		return false;
	}
}

static bool
add_both(struct keys *keys, const struct policy_deciding *deciding, const char *path)
{
	static const char context[] = "context.", hidden[] = "(hidden)";
	const struct policy_datum *datum = find_input(deciding, path);
	bool found = add_input(&keys->exact, datum, ALL);

	if (found && policy_is_hidden(deciding, path + strlen(context)))
		add_text(&keys->shown, hidden, strlen(hidden), ALL);
	else if (found)
		found = add_input(&keys->shown, datum, SHOWN_CHARACTERS);
	return found;
}

static bool
add_value(struct keys *keys, const struct policy_deciding *deciding, const char *path)
{
	const struct policy_request *request = deciding->request;
	const char *const names[] = {"agent_id", "action", "target", "tenant", "request_digest"};
	const char *const values[] = {request->agent_id, request->action, request->target, request->tenant,
				      request->digest};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], path) != 0)
			continue;
		if (values[i]) {
			add_text(&keys->exact, values[i], strlen(values[i]), ALL);
			add_text(&keys->shown, values[i], strlen(values[i]), SHOWN_CHARACTERS);
		}
		return values[i] != NULL;
	}
	return add_both(keys, deciding, path);
}

static void
add_byte(struct keys *keys, char byte)
{
	buffer_add_byte(&keys->exact, byte);
	buffer_add_byte(&keys->shown, byte);
}

static bool
read_key(const struct policy_deciding *deciding, struct policy_check *check)
{
	struct keys keys = {.exact.arena = deciding->arena, .shown.arena = deciding->arena};
	const struct policy_limit *limit = check->limit;

	add_byte(&keys, '[');
	for (size_t i = 0; i < limit->key.count; i++) {
		if (i)
			add_byte(&keys, ',');
		if (!add_value(&keys, deciding, limit->key.items[i]))
			return false;
	}
	add_byte(&keys, ']');
	check->counter.key = keys.exact.bytes;
	check->counter.shown = keys.shown.bytes;
	return true;
}

static bool
read_amount(const struct policy_deciding *deciding, const struct policy_limit *limit, int64_t *amount)
{
	const struct policy_datum *datum = limit->sum_of ? find_input(deciding, limit->sum_of) : NULL;

	*amount = 1;
	if (!limit->sum_of)
		return true;
	if (!datum || datum->kind != POLICY_T_INT || datum->as.integer < 0)
		return false;
	*amount = datum->as.integer;
	return true;
}

/* Everything that is not clear raises. */
static bool
is_exceeded(const struct policy_deciding *deciding, struct policy_check *check)
{
	const struct policy_request *request = deciding->request;
	int64_t sum;

	if (check->outcome.truth == POLICY_ERROR)
		return true;
	if (!read_key(deciding, check) || !read_amount(deciding, check->limit, &check->amount)) {
		check->counter.key = check->counter.shown = NULL;
		return true;
	}
	if (request->used && !request->used(request->usage, &check->counter, &check->used))
		check->unknown = true;
	return check->unknown || check->used.amount < 0
	       || __builtin_add_overflow(check->used.amount, check->amount, &sum) || sum > check->limit->max;
}

static void
find_checks(struct policy_deciding *deciding, int64_t now)
{
	const struct policy *policy = deciding->policy;

	deciding->checks = arena_take_array(deciding->arena, policy->limit_count, sizeof *deciding->checks);
	for (size_t i = 0; i < policy->limit_count; i++) {
		const struct policy_limit *limit = &policy->limits[i];
		struct policy_check check = {
		    .limit = limit,
		    .outcome.truth = POLICY_TRUE,
		    .counter = {.policy = policy->name,
				.limit = limit->id,
				.fields = limit->fields,
				.measure = limit->sum_of ? limit->sum_of : "",
				.window = limit->window,
				.max = limit->max,
				.per = limit->per},
		};

		if (!policy_is_about(&limit->match, &limit->except, limit->has_except, deciding->request))
			continue;
		assert(limit->condition.count || !limit->when);
		if (limit->condition.count)
			check.outcome =
			    policy_condition_ask(&limit->condition, policy_deciding_meter(deciding, now));
		if (check.outcome.truth != POLICY_FALSE)
			deciding->checks[deciding->check_count++] = check;
	}
}

static void
name_limits(struct policy_deciding *deciding)
{
	struct policy_decision *decision = deciding->decision;
	const char **ids = arena_take_array(deciding->arena, deciding->check_count, sizeof *ids);

	for (size_t i = 0; i < deciding->check_count; i++) {
		struct policy_check *check = &deciding->checks[i];

		check->decides = check->exceeded && check->limit->exceeded == decision->verdict;
		if (!check->decides)
			continue;
		ids[decision->limit_count++] = check->limit->id;
		if (decision->verdict == POLICY_REQUIRE_APPROVAL)
			policy_deciding_ask(deciding, check->limit->profile);
	}
	decision->limits = ids;
}

/* What decided before, at a milder level, decides no more. */
static void
raise(struct policy_deciding *deciding, enum policy_verdict verdict)
{
	struct policy_decision *decision = deciding->decision;

	decision->verdict = verdict;
	decision->reason_code = "limit_exceeded";
	decision->rule_count = 0;
	deciding->is_silent = false;
	deciding->profile_count = 0;
	deciding->too_many_profiles = false;
	for (size_t i = 0; i < deciding->candidate_count; i++)
		deciding->candidates[i].decides = false;
}

void
policy_apply_limits(struct policy_deciding *deciding, int64_t now)
{
	enum policy_verdict verdict = deciding->decision->verdict;

	if (deciding->policy->limit_count == 0 || verdict == POLICY_BLOCK)
		return;
	find_checks(deciding, now);
	for (size_t i = 0; i < deciding->check_count; i++) {
		struct policy_check *check = &deciding->checks[i];

		check->exceeded = is_exceeded(deciding, check);
		if (check->exceeded && check->limit->exceeded > verdict)
			verdict = check->limit->exceeded;
	}
	if (verdict != deciding->decision->verdict)
		raise(deciding, verdict);
	name_limits(deciding);
}

/* One document's, or those of several. */
static const struct policy_deciding *
layer_of(const struct policy_deciding *trail, size_t n)
{
	return trail->layer_count ? &trail->layers[n] : trail;
}

static size_t
layers_of(const struct policy_deciding *trail, size_t *checks)
{
	size_t count = trail->layer_count ? trail->layer_count : 1;

	*checks = 0;
	for (size_t i = 0; i < count; i++)
		*checks += layer_of(trail, i)->check_count;
	return count;
}

const struct policy_use *
policy_uses(const struct policy_decision *decision, struct arena *arena, size_t *count)
{
	size_t room, layers = layers_of(decision->trail, &room);
	struct policy_use *uses = arena_take_array(arena, room, sizeof *uses);

	*count = 0;
	for (size_t i = 0; i < layers; i++) {
		const struct policy_deciding *layer = layer_of(decision->trail, i);

		for (size_t j = 0; j < layer->check_count; j++) {
			const struct policy_check *check = &layer->checks[j];

			uses[(*count)++] = (struct policy_use){.counter = &check->counter,
							       .amount = check->amount,
							       .warns = policy_check_warns(check),
							       .exceeded = check->exceeded,
							       .count_on = check->limit->count_on,
							       .report_within = check->limit->report_within,
							       .releases = check->limit->release_on_failure};
		}
	}
	return uses;
}

bool
policy_has_limits(const struct policy *policy)
{
	return policy->limit_count > 0;
}

const char *
policy_window_name(enum policy_window window)
{
	static const char *const names[] = {"sliding", "fixed", "token_bucket"};

	return names[window];
}

bool
policy_check_warns(const struct policy_check *check)
{
	const struct policy_limit *limit = check->limit;

	return limit->warn_at > 0
	       && (double)check->used.amount + (double)check->amount >= limit->warn_at * (double)limit->max;
}
