/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_input.c - a context by the inputs that a policy declares, and what is decided of one that they don't take. */
#include "tests/unit/policy/documents.h"

#include "common/policy/policy_input.h"

static const char sound[] =
    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
    " 'inputs': {"
    "  'risk': {'type': 'string', 'enum': ['low', 'high']}, 'name': {'type': 'string', 'min': 2, 'max': 4},"
    "  'amount': {'type': 'int', 'min': 0, 'max': 100}, 'share': {'type': 'double', 'min': 0.5, 'max': 1},"
    "  'level': {'type': 'int', 'enum': [1, 2]}, 'big': 'int',"
    "  'tags': {'type': 'list<string>', 'min': 1, 'max': 2, 'enum': ['a', 'b', 'c']}, 'force': {'type': "
    "'bool', 'default': false},"
    "  'age': {'type': 'duration', 'max': '1h'}, 'at': {'type': 'timestamp', 'min': '2026-01-01T00:00:00Z'},"
    "  'free': {'type': 'map', 'max': 2}, 'who': {'type': 'string', 'required': true}, 'grid': "
    "'list<list<int>>',"
    "  'plan': {'type': 'map', 'fields': {'delete': 'int', 'keep': {'type': 'bool', 'default': true}, 'by': "
    "{'type': 'string', 'required': true}}},"
    "  'lines': {'type': 'list<map>', 'fields': {'sum': 'int'}}},"
    " 'classes': [{'id': 'a', 'actions': ['a.*'], 'default': 'ALLOW', 'requires': ['force', 'plan.delete', "
    "'free.x.y']},"
    "  {'id': 'c', 'actions': ['**'], 'default': 'ALLOW'}]}";

static const struct policy_datum *
field(const struct policy *policy, const struct policy_datum *context, const char *name)
{
	const struct policy_type *inputs = policy_inputs(policy);

	for (size_t i = 0; i < inputs->field_count; i++)
		if (strcmp(inputs->fields[i].name, name) == 0)
			return &context->as.fields[i];
	fail_msg("no input %s", name);
	return NULL;
}

/* "" when the context is taken, else "code field". */
static const char *
refusal(struct arena *arena, const struct policy *policy, const char *text, struct policy_datum *context)
{
	struct error error = {0};

	if (policy_read_context(&policy, 1, parse(arena, text), arena, context, &error)) {
		assert_int_equal(error.kind, ERROR_NONE);
		return "";
	}
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_true(error.text[0] != '\0');
	return arena_format(arena, "%s %s", error.code, error.field);
}

static void
each_type_takes_its_values_and_no_others(void **state)
{
	static const char *const contexts[][2] = {
	    {"'risk': 'low'", ""},
	    {"'risk': 'none'", "not_in_enum context.risk"},
	    {"'risk': 'LOW'", "not_in_enum context.risk"},
	    {"'risk': 1", "wrong_type context.risk"},
	    {"'risk': null", "wrong_type context.risk"},
	    {"'risk': ['low']", "wrong_type context.risk"},
	    {"'name': 'ab'", ""},
	    {"'name': '\u00f6\u00f6\u00f6\u00f6'", ""},
	    {"'name': 'a'", "out_of_range context.name"},
	    {"'name': 'abcde'", "out_of_range context.name"},
	    {"'amount': 0", ""},
	    {"'amount': 100", ""},
	    {"'amount': 100.0", ""},
	    {"'amount': 1e2", ""},
	    {"'amount': -1", "out_of_range context.amount"},
	    {"'amount': 101", "out_of_range context.amount"},
	    {"'amount': 1.5", "wrong_type context.amount"},
	    {"'amount': '1'", "wrong_type context.amount"},
	    {"'amount': true", "wrong_type context.amount"},
	    {"'big': 9007199254740991", ""},
	    {"'big': 1e21", "out_of_range context.big"},
	    {"'big': -1e21", "out_of_range context.big"},
	    {"'big': 1e300", "out_of_range context.big"},
	    {"'level': 2", ""},
	    {"'level': 2.0", ""},
	    {"'level': 3", "not_in_enum context.level"},
	    {"'share': 1", ""},
	    {"'share': 0.5", ""},
	    {"'share': 0.49", "out_of_range context.share"},
	    {"'share': 1.01", "out_of_range context.share"},
	    {"'share': '1'", "wrong_type context.share"},
	    {"'force': true", ""},
	    {"'force': 1", "wrong_type context.force"},
	    {"'force': 'true'", "wrong_type context.force"},
	    {"'tags': ['a']", ""},
	    {"'tags': ['a', 'a']", ""},
	    {"'tags': []", "out_of_range context.tags"},
	    {"'tags': ['a', 'b', 'c']", "out_of_range context.tags"},
	    {"'tags': ['a', 'x']", "not_in_enum context.tags"},
	    {"'tags': ['a', 1]", "wrong_type context.tags[1]"},
	    {"'tags': 'a'", "wrong_type context.tags"},
	    {"'grid': [[1, 2.0], []]", ""},
	    {"'grid': [[1], [2, 'x']]", "wrong_type context.grid[1][1]"},
	    {"'age': '1h'", ""},
	    {"'age': '-1h'", ""},
	    {"'age': '1h0.000000001s'", "out_of_range context.age"},
	    {"'age': '1d'", "bad_duration context.age"},
	    {"'age': ''", "bad_duration context.age"},
	    {"'age': 60", "wrong_type context.age"},
	    {"'at': '2026-01-01T00:00:00Z'", ""},
	    {"'at': '2026-01-01T01:00:00.000000001+01:00'", ""},
	    {"'at': '2025-12-31T23:59:59.999999999Z'", "out_of_range context.at"},
	    {"'at': '2026-02-30T00:00:00Z'", "bad_timestamp context.at"},
	    {"'at': '2026-01-01'", "bad_timestamp context.at"},
	    {"'at': 1767225600", "wrong_type context.at"},
	    {"'free': {'a': null, 'b': [1, {'c': 2}]}", ""},
	    {"'free': {'a': 1, 'b': 2, 'c': 3}", "out_of_range context.free"},
	    {"'free': []", "wrong_type context.free"},
	    {"'plan': {'delete': 1, 'by': 'x'}", ""},
	    {"'plan': {'delete': 1, 'by': 'x', 'more': 1}", "undeclared_field context.plan.more"},
	    {"'plan': {'delete': 'x', 'by': 'x'}", "wrong_type context.plan.delete"},
	    {"'plan': {'delete': 1}", "missing_field context.plan.by"},
	    {"'plan': 1", "wrong_type context.plan"},
	    {"'lines': []", ""},
	    {"'lines': [{'sum': 1}, {}]", ""},
	    {"'lines': [{'sum': 1}, {'sun': 1}]", "undeclared_field context.lines[1].sun"},
	    {"'lines': [{'sum': 1}, 5]", "wrong_type context.lines[1]"},
	    {"'surprise': 1", "undeclared_field context.surprise"},
	    {"'Risk': 'low'", "undeclared_field context.Risk"},
	    {"'ris': 'low'", "undeclared_field context.ris"},
	    {"'riskier': 'low'", "undeclared_field context.riskier"},
	    {"'': 1", "undeclared_field context."},
	    {"'a\\nb': 1", "undeclared_field context.a?b"},
	};
	const struct policy *policy = load(*state, sound);
	struct policy_datum context;

	for (size_t i = 0; i < COUNT_OF(contexts); i++) {
		const char *text = arena_format(*state, "{'who': 'x', %s}", contexts[i][0]);
		const char *got = refusal(*state, policy, text, &context);

		if (strcmp(got, contexts[i][1]) != 0)
			fail_msg("%s: \"%s\" expected, got \"%s\"", contexts[i][0], contexts[i][1], got);
	}
	assert_string_equal(refusal(*state, policy, "{}", &context), "missing_field context.who");
}

static void
what_is_read_has_the_declared_types_and_the_defaults(void **state)
{
	const struct policy *policy = load(*state, sound);
	struct policy_datum context;
	const struct policy_datum *plan;

	assert_string_equal(
	    refusal(*state, policy,
		    "{'who': 'x', 'amount': 7.0, 'share': 1, 'age': '-1h1ns', 'at': '2026-01-01T00:00:00.5Z',"
		    " 'plan': {'by': 'y'}, 'tags': ['b', 'a']}",
		    &context),
	    "");
	assert_int_equal(context.kind, POLICY_T_MAP);
	assert_int_equal(field(policy, &context, "amount")->kind, POLICY_T_INT);
	assert_int_equal(field(policy, &context, "amount")->as.integer, 7);
	assert_int_equal(field(policy, &context, "share")->kind, POLICY_T_DOUBLE);
	assert_true(field(policy, &context, "share")->as.real == 1.0);
	assert_int_equal(field(policy, &context, "age")->as.integer, -INT64_C(3600000000001));
	assert_int_equal(field(policy, &context, "at")->as.integer, 1767225600);
	assert_int_equal(field(policy, &context, "at")->nanoseconds, 500000000);
	assert_string_equal(field(policy, &context, "tags")->as.list.items[0].as.string.bytes, "b");
	assert_int_equal(field(policy, &context, "risk")->kind, POLICY_T_ABSENT);
	assert_int_equal(field(policy, &context, "force")->kind, POLICY_T_BOOL);
	assert_false(field(policy, &context, "force")->as.boolean);
	plan = field(policy, &context, "plan");
	assert_int_equal(plan->as.fields[0].kind, POLICY_T_STRING); /* by, delete, keep */
	assert_int_equal(plan->as.fields[1].kind, POLICY_T_ABSENT);
	assert_true(plan->as.fields[2].as.boolean);
	assert_true(policy_context_has(policy_inputs(policy), &context, "plan.keep"));
	assert_false(policy_context_has(policy_inputs(policy), &context, "plan.delete"));
	assert_false(policy_context_has(policy_inputs(policy), &context, "plan.keep.x"));
	assert_false(policy_context_has(policy_inputs(policy), &context, "nothing"));
}

static void
a_policy_without_inputs_takes_anything_and_one_with_none_takes_nothing(void **state)
{
	const struct policy *any =
	    load(*state, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1,"
			 " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}]}");
	const struct policy *none =
	    load(*state, "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'inputs': {},"
			 " 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}]}");
	struct policy_datum context;
	struct error error = {0};

	assert_null(policy_inputs(any));
	assert_string_equal(refusal(*state, any, "{'x': [1, {'y': null}]}", &context), "");
	assert_int_equal(context.kind, POLICY_T_ABSENT);
	assert_non_null(policy_inputs(none));
	assert_string_equal(refusal(*state, none, "{'x': 1}", &context), "undeclared_field context.x");
	assert_string_equal(refusal(*state, none, "{}", &context), "");
	assert_true(policy_read_context(&none, 1, NULL, *state, &context, &error));
	assert_false(policy_read_context(&none, 1, value_string(*state, "x"), *state, &context, &error));
	assert_string_equal(error.field, "context");
}

static const struct policy *
with_inputs(struct arena *arena, const char *inputs)
{
	return load(arena, arena_format(arena,
					"{'countersign': 'policy/v1', 'policy': 'p', 'version': 1%s,"
					" 'classes': [{'id': 'c', 'actions': ['**'], 'default': 'BLOCK'}]}",
					inputs));
}

static void
a_context_satisfies_every_layer(void **state)
{
	const struct policy *layers[] = {
	    with_inputs(*state, ", 'inputs': {'amount': {'type': 'int', 'max': 100}, 'force': {'type': "
				"'bool', 'default': true}}"),
	    with_inputs(*state, ""),
	    with_inputs(*state, ", 'inputs': {'amount': {'type': 'double', 'min': 10}, 'extra': 'string'}")};
	static const char *const contexts[][2] = {{"{'amount': 50}", ""},
						  {"{'amount': 50, 'extra': 'x'}", ""},
						  {"{'amount': 101}", "out_of_range context.amount"},
						  {"{'amount': 9}", "out_of_range context.amount"},
						  {"{'amount': 50.5}", "wrong_type context.amount"},
						  {"{'other': 1}", "undeclared_field context.other"}};

	for (size_t i = 0; i < COUNT_OF(contexts); i++) {
		struct policy_datum read[3];
		struct error error = {0};
		bool good = policy_read_context(layers, 3, parse(*state, contexts[i][0]), *state, read, &error);
		const char *got = good ? "" : arena_format(*state, "%s %s", error.code, error.field);

		assert_string_equal(got, contexts[i][1]);
		if (!good)
			continue;
		/* each sees its own: 50 and 50.0, a default that is nobody else's */
		assert_int_equal(field(layers[0], &read[0], "amount")->kind, POLICY_T_INT);
		assert_int_equal(field(layers[2], &read[2], "amount")->kind, POLICY_T_DOUBLE);
		assert_true(field(layers[0], &read[0], "force")->as.boolean);
		assert_int_equal(read[1].kind, POLICY_T_ABSENT);
	}
}

static void
a_context_that_the_inputs_do_not_take_is_blocked_and_its_field_named(void **state)
{
	const struct policy *policy = load(*state, sound);
	struct policy_request request = {.tenant = "default", .agent_id = "x", .action = "b", .target = "t"};
	struct policy_decision decision;

	request.context = parse(*state, "{'who': 'x', 'amount': 101}");
	policy_decide(policy, &request, 1, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_BLOCK);
	assert_string_equal(decision.reason_code, "invalid_request");
	assert_string_equal(decision.reason_text, "context.amount: out_of_range: is above the declared max");
	assert_string_equal(decision.refusal->code, "out_of_range");
	assert_string_equal(decision.refusal->field, "context.amount");
	request.context = parse(*state, "{'who': 'x', 'amount': 100}");
	policy_decide(policy, &request, 1, *state, &decision);
	assert_int_equal(decision.verdict, POLICY_ALLOW);
	assert_null(decision.refusal);
	/* before anything else that could be said of it */
	request.context = NULL;
	request.deadline = 1;
	policy_decide(policy, &request, 2, *state, &decision);
	assert_string_equal(decision.reason_code, "invalid_request");
}

static void
what_is_required_may_come_from_a_default(void **state)
{
	static const char *const contexts[][2] = {
	    {"{'who': 'x', 'plan': {'delete': 1, 'by': 'y'}, 'free': {'x': {'y': 0}}}", ""},
	    {"{'who': 'x', 'plan': {'delete': 1, 'by': 'y'}, 'free': {'x': {'y': null}}}", "free.x.y"},
	    {"{'who': 'x', 'plan': {'by': 'y'}, 'free': {'x': {}}}", "free.x.y,plan.delete"},
	    {"{'who': 'x'}", "free.x.y,plan.delete"}};
	const struct policy *policy = load(*state, sound);
	struct policy_request request = {.tenant = "default", .agent_id = "x", .action = "a.b", .target = "t"};

	for (size_t i = 0; i < COUNT_OF(contexts); i++) {
		struct policy_decision decision;
		struct buffer missing = {.arena = *state};

		request.context = parse(*state, contexts[i][0]);
		policy_decide(policy, &request, 1, *state, &decision);
		buffer_add_text(&missing, "");
		for (size_t j = 0; j < decision.missing_count; j++)
			buffer_add_format(&missing, "%s%s", j ? "," : "", decision.missing[j]);
		assert_string_equal(missing.bytes, contexts[i][1]);
		assert_int_equal(decision.verdict, contexts[i][1][0] ? POLICY_BLOCK : POLICY_ALLOW);
	}
}

static void
timestamps_are_rfc_3339_from_year_1_to_9999(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
	} examples[] = {{"1970-01-01T00:00:00Z", 0},
			{"0001-01-01T00:00:00Z", -INT64_C(62135596800)},
			{"9999-12-31T23:59:59.999999999Z", INT64_C(253402300799)},
			{"1969-12-31T23:59:58Z", -2},
			{"2000-02-29T00:00:00Z", 951782400},
			{"2026-03-04t10:00:00z", 1772618400},
			{"2026-03-04T10:00:00+05:30", 1772598600},
			{"2026-03-04T10:00:00-05:30", 1772638200},
			{"1970-01-01T00:00:00.1234567891Z", -1},
			{"0001-01-01T00:00:00+00:01", -1},
			{"9999-12-31T23:59:59-00:01", -1},
			{"0000-01-01T00:00:00Z", -1},
			{"1900-02-29T00:00:00Z", -1},
			{"2026-13-01T00:00:00Z", -1},
			{"2026-00-01T00:00:00Z", -1},
			{"2026-01-00T00:00:00Z", -1},
			{"2026-01-01T24:00:00Z", -1},
			{"2026-01-01T00:60:00Z", -1},
			{"2026-01-01T00:00:60Z", -1},
			{"2026-01-01T00:00:00", -1},
			{"2026-01-01T00:00:00.Z", -1},
			{"2026-01-01 00:00:00Z", -1},
			{"2026-01-01T00:00:00+24:00", -1},
			{"2026-01-01T00:00:00Zx", -1},
			{"26-01-01T00:00:00Z", -1},
			{"", -1}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(examples); i++) {
		int64_t seconds;
		uint32_t nanoseconds;
		struct text text = {examples[i].text, strlen(examples[i].text)};

		if (!policy_timestamp_parse(text, &seconds, &nanoseconds))
			seconds = -1;
		if (seconds != examples[i].seconds)
			fail_msg("%s: %lld expected, got %lld", examples[i].text,
				 (long long)examples[i].seconds, (long long)seconds);
	}
}

static void
durations_hold_64_bits_of_nanoseconds(void **state)
{
	static const struct {
		const char *text;
		int64_t nanoseconds; /* 1: refused */
	} examples[] = {{"0", 0},
			{"-0", 0},
			{"+1s", 1000000000},
			{"-1.5h", -INT64_C(5400000000000)},
			{"1h1m1s1ms1us1ns", INT64_C(3661001001001)},
			{"9223372036854775807ns", INT64_MAX},
			{"-9223372036854775808ns", INT64_MIN},
			{"2562047h47m16.854775807s", INT64_MAX},
			{"9223372036854775808ns", 1},
			{"-9223372036854775809ns", 1},
			{"2562048h", 1},
			{"99999999999999999999h", 1},
			{"0.1ns", 1},
			{"1s-1s", 1},
			{"1d", 1},
			{"1", 1},
			{"00", 1},
			{"-", 1},
			{"", 1},
			{" 1s", 1}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(examples); i++) {
		int64_t nanoseconds;
		struct text text = {examples[i].text, strlen(examples[i].text)};

		if (!policy_duration_parse(text, &nanoseconds))
			nanoseconds = 1;
		if (nanoseconds != examples[i].nanoseconds)
			fail_msg("%s: %lld expected, got %lld", examples[i].text,
				 (long long)examples[i].nanoseconds, (long long)nanoseconds);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(each_type_takes_its_values_and_no_others),
	    STORY(what_is_read_has_the_declared_types_and_the_defaults),
	    STORY(a_policy_without_inputs_takes_anything_and_one_with_none_takes_nothing),
	    STORY(a_context_satisfies_every_layer),
	    STORY(a_context_that_the_inputs_do_not_take_is_blocked_and_its_field_named),
	    STORY(what_is_required_may_come_from_a_default),
	    STORY(timestamps_are_rfc_3339_from_year_1_to_9999),
	    STORY(durations_hold_64_bits_of_nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
