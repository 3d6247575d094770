/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_context.c - a context read by declared inputs. What is taken has nothing undeclared, everything required, and every value is
 * of its declared type and within its bounds; what is refused names the field; and what is decided says the same.
 */
#include "common/message/json.h"
#include "common/policy/policy_input.h"
#include "tests/fuzz/fuzz.h"

static const char document[] = "{\"countersign\":\"policy/v1\",\"policy\":\"fuzz\",\"version\":1,\"inputs\":{"
			       "\"risk\":{\"type\":\"string\",\"enum\":[\"low\",\"high\"]},\"name\":{"
			       "\"type\":\"string\",\"min\":2,\"max\":4},"
			       "\"amount\":{\"type\":\"int\",\"min\":0,\"max\":100},\"share\":{\"type\":"
			       "\"double\",\"min\":0.5,\"max\":1},\"big\":\"int\","
			       "\"tags\":{\"type\":\"list<string>\",\"max\":2,\"enum\":[\"a\",\"b\"]},"
			       "\"force\":{\"type\":\"bool\",\"default\":false},"
			       "\"age\":{\"type\":\"duration\",\"max\":\"1h\"},\"at\":{\"type\":"
			       "\"timestamp\",\"min\":\"2026-01-01T00:00:00Z\"},"
			       "\"free\":{\"type\":\"map\",\"max\":2},\"who\":{\"type\":\"string\","
			       "\"required\":true},\"grid\":\"list<list<int>>\","
			       "\"plan\":{\"type\":\"map\",\"fields\":{\"delete\":\"int\",\"by\":{\"type\":"
			       "\"string\",\"required\":true}}}},"
			       "\"classes\":[{\"id\":\"all\",\"actions\":[\"**\"],\"default\":\"ALLOW\"}]}";

static const struct policy *
policy(void)
{
	static struct arena *arena;
	static const struct policy *loaded;
	struct error error = {0};

	if (loaded)
		return loaded;
	arena = arena_open();

	const struct value *value = json_parse(arena, document, strlen(document), &json_limits_policy, &error);

	loaded = value ? policy_load(arena, value, &error) : NULL;
	assert(loaded);
	return loaded;
}

static void
check_datum(const struct policy_type *type, const struct policy_datum *datum)
{
	if (datum->kind == POLICY_T_ABSENT)
		return;
	assert(datum->kind == type->kind && datum->nanoseconds < 1000000000);
	for (size_t i = 0; type->kind == POLICY_T_LIST && i < datum->as.list.count; i++) {
		assert(datum->as.list.items[i].kind != POLICY_T_ABSENT);
		check_datum(type->item, &datum->as.list.items[i]);
	}
	for (size_t i = 0; type->kind == POLICY_T_MAP && type->fields && i < type->field_count; i++)
		check_datum(&type->fields[i].type, &datum->as.fields[i]);
}

static const struct policy_datum *
find(const struct policy_type *inputs, const struct policy_datum *read, const char *name)
{
	for (size_t i = 0; i < inputs->field_count; i++)
		if (strcmp(inputs->fields[i].name, name) == 0)
			return &read->as.fields[i];
	assert(!"an input of this target");
	return NULL;
}

/* As an independent reader would check what stands there. */
static void
check_taken(const struct policy_type *inputs, const struct policy_datum *read, const struct value *context)
{
	const struct policy_datum *amount = find(inputs, read, "amount"), *share = find(inputs, read, "share");
	const struct policy_datum *risk = find(inputs, read, "risk"), *at = find(inputs, read, "at");
	const struct policy_datum *tags = find(inputs, read, "tags"), *age = find(inputs, read, "age");
	const struct value *plan = value_get(context, "plan");

	for (size_t i = 0; i < context->as.map.count; i++)
		assert(find(inputs, read, context->as.map.members[i].name.bytes)->kind != POLICY_T_ABSENT);
	assert(value_get_string(context, "who") && find(inputs, read, "force")->kind == POLICY_T_BOOL);
	assert(amount->kind == POLICY_T_ABSENT || (amount->as.integer >= 0 && amount->as.integer <= 100));
	assert(share->kind == POLICY_T_ABSENT || (share->as.real >= 0.5 && share->as.real <= 1));
	assert(risk->kind == POLICY_T_ABSENT || strcmp(risk->as.string.bytes, "low") == 0
	       || strcmp(risk->as.string.bytes, "high") == 0);
	assert(at->kind == POLICY_T_ABSENT || at->as.integer >= 1767225600);
	assert(age->kind == POLICY_T_ABSENT || age->as.integer <= INT64_C(3600000000000));
	assert(tags->kind == POLICY_T_ABSENT || tags->as.list.count <= 2);
	assert(!plan || value_get_string(plan, "by"));
}

int
FUZZ_TARGET(context)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct error error = {0}, why = {0};
	const struct policy *layer = policy();
	const struct value *context = json_parse(arena, bytes, length, &json_limits_request, &error);

	if (context) {
		struct policy_request request = {
		    .tenant = "default", .agent_id = "bot", .action = "a", .target = "t", .context = context};
		struct policy_decision decision;
		struct policy_datum read;
		bool taken = policy_read_context(&layer, 1, context, arena, &read, &why);

		policy_decide(layer, &request, 1, arena, &decision);
		assert(taken == (decision.verdict == POLICY_ALLOW) && taken == (decision.refusal == NULL));
		if (taken) {
			check_datum(policy_inputs(layer), &read);
			check_taken(policy_inputs(layer), &read, context);
		} else {
			fuzz_refused(&why, ERROR_INVALID);
			assert(strncmp(why.field, "context", 7) == 0
			       && strcmp(why.code, decision.refusal->code) == 0);
		}
	}
	arena_close(arena);
	return 0;
}
