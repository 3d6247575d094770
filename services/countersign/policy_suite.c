/* SPDX-License-Identifier: Apache-2.0 */
/* policy_suite.c - reading tests of a policy, deciding them, and comparing. */
#include "services/countersign/policy_suite.h"
#include "services/countersign/spotted.h"
#include "common/canonical/canonical.h"
#include "common/policy/policy_input.h"
#include "common/policy/policy_obligations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct suite_reader {
	struct spotted_reader spots;
	struct spotted fixtures;
	int64_t now;
};

/* RFC 3339 to microseconds. */
static bool
read_time(struct suite_reader *reader, const struct spotted *place, int64_t *microseconds)
{
	const char *text = spotted_text(&reader->spots, place);
	uint32_t nanoseconds;
	int64_t seconds;

	if (!text)
		return false;
	if (!policy_timestamp_parse((struct text){text, strlen(text)}, &seconds, &nanoseconds))
		return spotted_refuse(&reader->spots, place, "bad_value",
				      "must be a time as 2026-03-04T10:00:00Z");
	*microseconds = seconds * 1000000 + nanoseconds / 1000;
	return true;
}

struct value *
policy_suite_merge(struct arena *arena, const struct value *target, const struct value *patch)
{
	struct value *merged;

	if (patch->kind != VALUE_MAP)
		return (struct value *)(uintptr_t)patch;
	merged = value_map(arena);
	for (size_t i = 0; target && target->kind == VALUE_MAP && i < target->as.map.count; i++) {
		const struct value_member *old = &target->as.map.members[i];
		const struct value *change = value_get(patch, old->name.bytes);

		if (!change)
			value_set(arena, merged, old->name.bytes, old->value);
		else if (change->kind != VALUE_NULL)
			value_set(arena, merged, old->name.bytes,
				  policy_suite_merge(arena, old->value, change));
	}
	for (size_t i = 0; i < patch->as.map.count; i++) {
		const struct value_member *change = &patch->as.map.members[i];

		if (change->value->kind != VALUE_NULL && !(target && value_get(target, change->name.bytes)))
			value_set(arena, merged, change->name.bytes,
				  policy_suite_merge(arena, NULL, change->value));
	}
	return merged;
}

static bool
read_request(struct suite_reader *reader, const struct spotted *place, const struct value *map,
	     struct policy_request *request)
{
	static const char *const known[] = {"request_id", "tenant",  "agent_id", "action",
					    "target",	  "context", "identity", NULL};
	const struct value *identity = value_get(map, "identity");
	struct spotted whole = {map, place->spot, place->path};

	if (!spotted_check_map(&reader->spots, &(struct spotted){map, NULL, place->path}, known))
		return false;
	request->tenant = value_get_string(map, "tenant");
	request->agent_id = value_get_string(map, "agent_id");
	request->action = value_get_string(map, "action");
	request->target = value_get_string(map, "target");
	request->context = value_get(map, "context");
	request->is_verified =
	    identity && identity->kind == VALUE_STRING && !strcmp(identity->as.string.bytes, "verified");
	if (identity && !request->is_verified
	    && (identity->kind != VALUE_STRING || strcmp(identity->as.string.bytes, "claimed") != 0))
		return spotted_refuse(&reader->spots, &whole, "bad_value",
				      "the request's identity is claimed or verified");
	if (!request->agent_id || !request->action || !request->target)
		return spotted_refuse(&reader->spots, &whole, "missing_key",
				      "the request needs agent_id, action and target");
	if (request->context && request->context->kind != VALUE_MAP)
		return spotted_refuse(&reader->spots, &whole, "wrong_type",
				      "the request's context must be a map");
	return true;
}

static bool
check_expect(struct suite_reader *reader, const struct spotted *place)
{
	static const char *const known[] = {"decision",	       "rules",	      "not_rules",   "approvals",
					    "default",	       "limits",      "missing",     "errors",
					    "reason_contains", "reason_code", "obligations", NULL};
	static const char *const lists[] = {"rules", "not_rules", "approvals", "limits", "missing", "errors"};
	static const char *const texts[] = {"decision", "default", "reason_contains", "reason_code"};
	struct spotted one;

	if (!spotted_check_map(&reader->spots, place, known))
		return false;
	if (place->value->as.map.count == 0)
		return spotted_refuse(&reader->spots, place, "bad_value",
				      "expects nothing: the test could not fail");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if ((one = spotted_member(&reader->spots, place, texts[i])).value)
			spotted_text(&reader->spots, &one);
	one = spotted_member(&reader->spots, place, "obligations");
	if (one.value && one.value->kind != VALUE_MAP)
		spotted_refuse(&reader->spots, &one, "wrong_type", "must be a map, {} for none");
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		one = spotted_member(&reader->spots, place, lists[i]);
		if (!one.value)
			continue;
		if (one.value->kind != VALUE_LIST)
			spotted_refuse(&reader->spots, &one, "wrong_type", "must be a list of names");
		for (size_t j = 0; one.value->kind == VALUE_LIST && j < one.value->as.list.count; j++)
			if (one.value->as.list.items[j]->kind != VALUE_STRING)
				spotted_refuse(&reader->spots, &one, "wrong_type", "must be a list of names");
	}
	return true;
}

static bool
check_usage(struct suite_reader *reader, const struct spotted *place)
{
	if (place->value->kind != VALUE_MAP)
		return spotted_refuse(&reader->spots, place, "wrong_type",
				      "must be a map from limits to amounts");
	for (size_t i = 0; i < place->value->as.map.count; i++) {
		const struct value *amount = place->value->as.map.members[i].value;

		if (amount->kind != VALUE_INT || amount->as.integer < 0)
			return spotted_refuse(&reader->spots, place, "bad_value",
					      "an amount is an integer of at least 0");
	}
	return true;
}

static bool
read_case(struct suite_reader *reader, const struct spotted *place, struct policy_case *one)
{
	static const char *const known[] = {"name", "request", "patch", "now", "usage", "expect", NULL};
	struct spotted name = spotted_member(&reader->spots, place, "name"),
		       request = spotted_member(&reader->spots, place, "request");
	struct spotted patch = spotted_member(&reader->spots, place, "patch"),
		       now = spotted_member(&reader->spots, place, "now");
	struct spotted usage = spotted_member(&reader->spots, place, "usage"),
		       expect = spotted_member(&reader->spots, place, "expect");

	if (!spotted_check_map(&reader->spots, place, known))
		return false;

	const char *fixture = spotted_text(&reader->spots, &request);
	const struct value *base = fixture ? value_get(reader->fixtures.value, fixture) : NULL;

	one->name = spotted_text(&reader->spots, &name);
	one->now = reader->now;
	one->at = place->spot ? place->spot->value : (struct stretch){0};
	if (fixture && !base)
		return spotted_refuse(&reader->spots, &request, "bad_value",
				      "there is no fixture of this name");
	if (!base || !one->name || (now.value && !read_time(reader, &now, &one->now)))
		return false;
	if (usage.value && !check_usage(reader, &usage))
		return false;
	if (!check_expect(reader, &expect))
		return false;
	one->usage = usage.value;
	one->expect = expect.value;
	return read_request(reader, place,
			    patch.value ? policy_suite_merge(reader->spots.arena, base, patch.value) : base,
			    &one->request);
}

static void
read_cases(struct suite_reader *reader, const struct spotted *cases, struct policy_suite *suite)
{
	if (!cases->value || cases->value->kind != VALUE_LIST || cases->value->as.list.count == 0) {
		spotted_refuse(&reader->spots, cases, cases->value ? "wrong_type" : "missing_key",
			       "must be a list of at least one case");
		return;
	}
	if (cases->value->as.list.count > POLICY_CASES_MAX) {
		spotted_refuse(&reader->spots, cases, "too_many",
			       arena_format(reader->spots.arena, "holds more than %d cases", POLICY_CASES_MAX));
		return;
	}
	suite->cases = arena_take_array(reader->spots.arena, cases->value->as.list.count, sizeof *suite->cases);
	for (size_t i = 0; i < cases->value->as.list.count && !findings_full(reader->spots.findings); i++) {
		struct spotted place = {cases->value->as.list.items[i], spot_below(cases->spot, i),
					arena_format(reader->spots.arena, "cases[%zu]", i)};

		read_case(reader, &place, &suite->cases[suite->count++]);
	}
}

bool
policy_suite_read(struct arena *arena, const struct document *document, struct policy_suite *suite,
		  struct findings *findings)
{
	static const char *const known[] = {"countersign", "policy", "now", "fixtures", "cases", NULL};
	struct suite_reader reader = {.spots = {arena, findings}};
	struct spotted root = {document->value, document->spot, ""};
	struct spotted format = spotted_member(&reader.spots, &root, "countersign"),
		       policy = spotted_member(&reader.spots, &root, "policy");
	struct spotted now = spotted_member(&reader.spots, &root, "now"),
		       cases = spotted_member(&reader.spots, &root, "cases");

	*suite = (struct policy_suite){0};
	if (!spotted_check_map(&reader.spots, &root, known))
		return false;

	const char *version = spotted_text(&reader.spots, &format);

	if (version && strcmp(version, "policy-test/v1") != 0)
		spotted_refuse(&reader.spots, &format, "bad_value", "must be policy-test/v1");
	suite->policy = spotted_text(&reader.spots, &policy);
	reader.fixtures = spotted_member(&reader.spots, &root, "fixtures");
	if (!reader.fixtures.value || reader.fixtures.value->kind != VALUE_MAP)
		spotted_refuse(&reader.spots, &reader.fixtures, "missing_key", "must be a map of requests");
	if (read_time(&reader, &now, &reader.now))
		read_cases(&reader, &cases, suite);
	return findings->count == 0;
}

static bool
given(void *usage, const struct policy_counter *counter, struct policy_usage *used)
{
	const struct value *found = value_get(usage, counter->limit);

	used->amount = found ? found->as.integer : 0;
	return true;
}

void
policy_suite_decide(const struct policy *policy, const struct policy *beside, const struct policy_case *one,
		    struct arena *arena, struct policy_decision *decision)
{
	struct policy_request *request = arena_take(arena, sizeof *request);
	size_t count;
	const char *const *tenants = policy_tenants(policy, &count);

	*request = one->request;
	request->used = given;
	request->usage = (void *)(uintptr_t)one->usage;
	if (!request->tenant) /* it is about the policy's own */
		request->tenant = policy_covers(policy, "default") || !count ? "default" : tenants[0];

	const struct policy *layers[] = {policy, beside};

	if (beside && policy_is_organisation(beside)) {
		layers[0] = beside;
		layers[1] = policy;
	}
	policy_decide_layers(layers, beside ? 2 : 1, request, one->now, arena, decision);
}

/* ------------------------------------------------------------------ comparing */

struct comparing {
	struct arena *arena;
	const struct value *expect;
	const char **lines;
	size_t count, room;
};

static void
differs(struct comparing *comparing, const char *name, const char *expected, const char *got)
{
	if (comparing->count < comparing->room)
		comparing->lines[comparing->count++] =
		    arena_format(comparing->arena, "%s: expected %s, got %s", name, expected, got);
}

static void
compare_text(struct comparing *comparing, const char *name, const char *got)
{
	const char *expected = value_get_string(comparing->expect, name);

	if (expected && strcmp(expected, got) != 0)
		differs(comparing, name, expected, got);
}

static bool
holds(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static const char *
joined(struct arena *arena, const char *const *names, size_t count)
{
	struct buffer buffer = {.arena = arena};

	buffer_add_byte(&buffer, '[');
	for (size_t i = 0; i < count; i++)
		buffer_add_format(&buffer, "%s%s", i ? ", " : "", names[i]);
	buffer_add_byte(&buffer, ']');
	return buffer.bytes;
}

/* The same names, in any order. */
static void
compare_list(struct comparing *comparing, const char *name, const char *const *got, size_t count)
{
	const struct value *expected = value_get(comparing->expect, name);
	bool same = expected && expected->as.list.count == count;

	if (!expected)
		return;

	const char **names = arena_take_array(comparing->arena, expected->as.list.count, sizeof *names);

	for (size_t i = 0; i < expected->as.list.count; i++) {
		names[i] = expected->as.list.items[i]->as.string.bytes;
		same = same && holds(got, count, names[i]);
	}
	if (!same)
		differs(comparing, name, joined(comparing->arena, names, expected->as.list.count),
			joined(comparing->arena, got, count));
}

static void
compare_absent(struct comparing *comparing, const char *const *got, size_t count)
{
	const struct value *unwanted = value_get(comparing->expect, "not_rules");

	for (size_t i = 0; unwanted && i < unwanted->as.list.count; i++)
		if (holds(got, count, unwanted->as.list.items[i]->as.string.bytes))
			differs(comparing, "not_rules", unwanted->as.list.items[i]->as.string.bytes,
				joined(comparing->arena, got, count));
}

static void
compare_approvals(struct comparing *comparing, const struct policy_decision *decision)
{
	const char *names[POLICY_REQUIREMENTS_MAX];

	for (size_t i = 0; i < decision->requirement_count; i++)
		names[i] = decision->requirements[i].profile;
	compare_list(comparing, "approvals", names, decision->requirement_count);
}

static const char *
written(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error unused = {0};

	return canonical_format(&text, value, &unused) ? text.bytes : "what can't be written as JSON";
}

/* All of them, lists in any order. */
static void
compare_obligations(struct comparing *comparing, const struct policy_decision *decision)
{
	const struct value *expected = value_get(comparing->expect, "obligations"),
			   *got = decision->obligations;
	struct value *wanted = value_map(comparing->arena);

	if (!expected)
		return;
	for (size_t i = 0; i < expected->as.map.count; i++)
		value_set(comparing->arena, wanted, expected->as.map.members[i].name.bytes,
			  policy_obligation_copy(comparing->arena, expected->as.map.members[i].value));
	if (!got)
		got = value_map(comparing->arena);
	if (!value_equal(wanted, got))
		differs(comparing, "obligations", written(comparing->arena, wanted),
			written(comparing->arena, got));
}

size_t
policy_suite_differences(const struct policy_case *one, const struct policy_decision *decision,
			 struct arena *arena, const char **lines, size_t room)
{
	struct comparing comparing = {.arena = arena, .expect = one->expect, .lines = lines, .room = room};
	const char *part = value_get_string(one->expect, "reason_contains");

	compare_text(&comparing, "decision", policy_verdict_name(decision->verdict));
	compare_text(&comparing, "reason_code", decision->reason_code);
	compare_text(&comparing, "default", decision->default_used ? decision->class_id : "(no default)");
	compare_list(&comparing, "rules", decision->rules, decision->rule_count);
	compare_absent(&comparing, decision->rules, decision->rule_count);
	compare_list(&comparing, "errors", decision->errors, decision->error_count);
	compare_list(&comparing, "limits", decision->limits, decision->limit_count);
	compare_list(&comparing, "missing", decision->missing, decision->missing_count);
	compare_approvals(&comparing, decision);
	compare_obligations(&comparing, decision);
	if (part && !strstr(decision->reason_text, part))
		differs(&comparing, "reason_contains", part, decision->reason_text);
	return comparing.count;
}
