/* SPDX-License-Identifier: Apache-2.0 */
/* situation.c - bytes to requests: mostly of the declared types, at the bounds and constants that the policy knows. */
#include "tests/fuzz/situation.h"
#include "common/document/document.h"
#include "common/message/json.h"
#include "tests/fuzz/expression.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MAX = 256, FILE_MAX = 1 << 20 };

/* ------------------------------------------------------------------ what a policy knows */

static void
add(struct arena *arena, struct policy_strings *strings, const char *text)
{
	for (size_t i = 0; i < strings->count; i++)
		if (strcmp(strings->items[i], text) == 0)
			return;
	if (!strings->items)
		strings->items = arena_take_array(arena, WORDS_MAX, sizeof *strings->items);
	if (strings->count < WORDS_MAX)
		strings->items[strings->count++] = text;
}

/* An example of a pattern: each star is an "x". */
static void
add_examples(struct arena *arena, struct policy_strings *strings, const struct policy_strings *patterns)
{
	for (size_t i = 0; i < patterns->count; i++) {
		char *text = arena_string(arena, patterns->items[i]);
		size_t length = 0;

		for (size_t j = 0; text[j]; j++)
			if (text[j] != '*' || j == 0 || text[j - 1] != '*')
				text[length++] = text[j] == '*' ? 'x' : text[j];
		text[length] = '\0';
		add(arena, strings, text);
	}
}

static void
add_scope(struct arena *arena, struct situation_policy *out, const struct policy_scope *scope)
{
	add_examples(arena, &out->actions, &scope->actions);
	add_examples(arena, &out->agents, &scope->agents);
	add_examples(arena, &out->targets, &scope->targets);
	add_examples(arena, &out->tenants, &scope->tenants);
}

static void
add_number(struct situation_policy *out, int64_t number)
{
	if (out->number_count < WORDS_MAX)
		out->numbers[out->number_count++] = number;
}

/* The literals of an expression, roughly: what stands between quotes, and digits. */
static void
add_literals(struct arena *arena, struct situation_policy *out, const struct policy_expression *expression)
{
	const char *at = expression ? expression->source : "";

	for (char *end; *at; at = end) {
		end = (char *)at + 1;
		if (*at == '\'' || *at == '"') {
			end = strchr(at + 1, *at);
			if (!end)
				return;
			add(arena, &out->words, arena_copy(arena, at + 1, (size_t)(end - at) - 1));
			end++;
		} else if (*at >= '0' && *at <= '9') {
			add_number(out, strtoll(at, &end, 10));
		}
	}
}

static void
gather(struct arena *arena, struct situation_policy *out)
{
	const struct policy *policy = out->policy;

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		add_scope(arena, out, &rule->match);
		add_scope(arena, out, &rule->except);
		add_literals(arena, out, rule->when);
		add_literals(arena, out, rule->unless);
		for (size_t j = 0; j < rule->lets.count; j++)
			add_literals(arena, out, &rule->lets.items[j].value);
	}
	for (size_t i = 0; i < policy->limit_count; i++) {
		add_scope(arena, out, &policy->limits[i].match);
		add_literals(arena, out, policy->limits[i].when);
	}
	for (size_t i = 0; i < policy->class_count; i++)
		add_examples(arena, &out->actions, &policy->classes[i].actions);
	for (size_t i = 0; i < policy->lets.count; i++)
		add_literals(arena, out, &policy->lets.items[i].value);
	add_examples(arena, &out->tenants, &policy->tenants);
	for (size_t i = 0; i < policy->param_count; i++)
		if (policy->params[i].value.kind == POLICY_T_STRING)
			add(arena, &out->words, policy->params[i].value.as.string.bytes);
		else if (policy->params[i].value.kind == POLICY_T_INT)
			add_number(out, policy->params[i].value.as.integer);
}

void
situation_read(struct arena *arena, const char *path, struct situation_policy *out)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;
	struct policy_document loaded = {0};
	char *bytes = arena_take(arena, FILE_MAX);
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(bytes, 1, FILE_MAX, file) : 0;

	if (file)
		fclose(file);
	if (!document_policy(arena, path, bytes, length, &document, &loaded, &findings)) {
		fprintf(stderr, "%s: no good policy: %s\n", path,
			findings.count ? findings.items[0].text : "not read");
		abort();
	}
	*out = (struct situation_policy){.policy = loaded.policy,
					 .numbers = arena_take_array(arena, WORDS_MAX, sizeof *out->numbers)};
	gather(arena, out);
	for (int i = 0; i < 2; i++) {
		add(arena, &out->agents, i ? "bot" : "bot-1");
		add(arena, &out->targets, i ? "web" : "db/main");
		add(arena, &out->actions, i ? "a" : "no.such.action");
		add(arena, &out->words, i ? "" : "x");
		add_number(out, i);
	}
	add(arena, &out->words, "\xc3\xa9\xe2\x82\xac");
	add(arena, &out->words, "10.1.2.3");
	add(arena, &out->words, "2001:db8::1");
	add(arena, &out->words, "a,b");
	add(arena, &out->words, "9 , z");
}

/* ------------------------------------------------------------------ values */

struct making {
	struct arena *arena;
	const struct situation_policy *of;
	struct choices choices;
};

static size_t
pick(struct making *making, size_t count)
{
	return choose(&making->choices, (unsigned)count);
}

static const char *
pick_string(struct making *making, const struct policy_strings *strings)
{
	return strings->items[pick(making, strings->count)];
}

static int64_t
pick_number(struct making *making, const struct policy_field *field)
{
	static const int64_t edges[] = {-1, 1000000, (INT64_C(1) << 53) - 1, -((INT64_C(1) << 53) - 1)};
	int64_t off = (int64_t)pick(making, 3) - 1;

	switch (pick(making, 5)) {
	case 0:
		return edges[pick(making, COUNT_OF(edges))];
	case 1:
		return field->min && field->min->kind == POLICY_T_INT ? field->min->as.integer + off : off;
	case 2:
		return field->max && field->max->kind == POLICY_T_INT ? field->max->as.integer + off : off;
	default:
		return making->of->numbers[pick(making, making->of->number_count)] + off;
	}
}

static struct value *
make_string(struct making *making, const struct policy_field *field)
{
	struct buffer text = {.arena = making->arena};
	size_t max = field->max ? (size_t)field->max->as.integer : 300, wanted = max + pick(making, 2);

	buffer_add_text(&text, field->sensitive ? SITUATION_SECRET : "");
	switch (pick(making, field->word_count ? 9 : 5)) {
	case 0:
		buffer_add_format(&text, "%s%s", pick_string(making, &making->of->words),
				  pick_string(making, &making->of->words));
		break;
	case 1: /* as long as it may be, or longer by one */
		while (text.length < wanted && wanted < 1000)
			buffer_add_byte(&text, 'a');
		break;
	case 2:
		buffer_add_format(&text, "%lld", (long long)pick_number(making, field));
		break;
	case 3:
	case 4:
		buffer_add_text(&text, pick_string(making, &making->of->words));
		break;
	default:
		buffer_add_text(&text, field->words[pick(making, field->word_count)].as.string.bytes);
	}
	return value_text(making->arena, text.bytes, text.length);
}

static struct value *
make_time(struct making *making, bool is_timestamp)
{
	static const char *const times[] = {
	    "2026-03-04T10:00:00Z", "2026-09-30T12:00:00.123456789Z", "2026-09-21T15:46:40+02:00",
	    "2020-01-01T00:00:00Z", "2019-12-31T23:59:59Z",	      "9999-12-31T23:59:59.999999999Z",
	    "2026-02-30T00:00:00Z",
	};
	static const char *const spans[] = {"24h", "720h",   "10m",	 "0", "-1h", "719h59m59.999999999s",
					    "1ns", "86401s", "2562047h", "1x"};

	return value_string(making->arena, is_timestamp ? times[pick(making, COUNT_OF(times))]
							: spans[pick(making, COUNT_OF(spans))]);
}

static struct value *
make_any(struct making *making)
{
	struct value *map;

	switch (pick(making, 8)) {
	case 0:
		return value_null(making->arena);
	case 1:
		return value_bool(making->arena, pick(making, 2));
	case 2:
		return value_real(making->arena, 0.5);
	case 3:
		return value_list(making->arena);
	case 4:
		map = value_map(making->arena);
		value_set(making->arena, map, "b", value_string(making->arena, "x"));
		return map;
	case 5:
		return value_string(making->arena, pick_string(making, &making->of->words));
	default:
		return value_int(making->arena, (int64_t)pick(making, 4));
	}
}

static struct value *make(struct making *making, const struct policy_field *field,
			  const struct policy_type *type);

static struct value *
make_list(struct making *making, const struct policy_field *field, const struct policy_type *type)
{
	struct value *list = value_list(making->arena);
	size_t count = pick(making, 6);

	if (count == 5)
		count = (field->max ? (size_t)field->max->as.integer : 5) + pick(making, 2);
	for (size_t i = 0; i < count && i < 300; i++)
		value_append(making->arena, list, make(making, field, type->item));
	return list;
}

static void
make_fields(struct making *making, const struct policy_type *type, struct value *map)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct policy_field *field = &type->fields[i];
		size_t kind = pick(making, 16);

		if (kind == 1)
			value_set(making->arena, map, field->name, make_any(making));
		else if (kind > 2 || field->required)
			value_set(making->arena, map, field->name, make(making, field, &field->type));
	}
}

static struct value *
make_map(struct making *making, const struct policy_type *type)
{
	static const char *const names[] = {"a", "k", "zebra", "b", ""};
	struct value *map = value_map(making->arena);

	if (type->fields) {
		make_fields(making, type, map);
		return map;
	}
	for (size_t i = pick(making, COUNT_OF(names) + 1); i > 0; i--)
		value_set(making->arena, map, names[i - 1], make_any(making));
	return map;
}

static struct value *
make(struct making *making, const struct policy_field *field, const struct policy_type *type)
{
	static const double reals[] = {0, 0.5, 1, -0.25, 1.5, 1e300, 0.1};

	switch (type->kind) {
	case POLICY_T_BOOL:
		return value_bool(making->arena, pick(making, 2));
	case POLICY_T_INT:
		return value_int(making->arena, pick_number(making, field));
	case POLICY_T_DOUBLE:
		return pick(making, 4) ? value_real(making->arena, reals[pick(making, COUNT_OF(reals))])
				       : value_int(making->arena, (int64_t)pick(making, 3));
	case POLICY_T_STRING:
		return make_string(making, field);
	case POLICY_T_TIMESTAMP:
	case POLICY_T_DURATION:
		return make_time(making, type->kind == POLICY_T_TIMESTAMP);
	case POLICY_T_LIST:
		return make_list(making, field, type);
	default:
		return make_map(making, type);
	}
}

/* ------------------------------------------------------------------ the request */

static bool
used(void *usage, const struct policy_counter *counter, struct policy_usage *used_of)
{
	static const int64_t pool[] = {0, 0, 1, 19, 20, 21, 499999, INT64_MAX};
	size_t hash = *(const unsigned char *)usage;

	for (const char *limit = counter->limit; *limit; limit++)
		hash = hash * 31 + (unsigned char)*limit;
	for (const char *key = counter->key; *key; key++)
		hash = hash * 31 + (unsigned char)*key;
	used_of->amount = pool[hash % COUNT_OF(pool)];
	return hash % 61 != 7;
}

/* What was written for sensitive inputs becomes what every such text is. */
static void
hide(struct arena *arena, const struct policy_type *type, struct value *map)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct policy_field *field = &type->fields[i];
		struct value *value = value_get(map, field->name);

		if (value && value->kind == VALUE_MAP && field->type.fields)
			hide(arena, &field->type, value);
		if (value && value->kind == VALUE_STRING && field->sensitive)
			*value = *value_string(
			    arena, arena_format(arena, SITUATION_SECRET "%s", value->as.string.bytes));
	}
}

static bool
make_written(struct arena *arena, const struct policy *policy, const uint8_t *bytes, size_t length,
	     struct policy_request *request)
{
	struct text rest = {(const char *)bytes, length};
	const char **const lines[] = {&request->tenant, &request->agent_id, &request->action, &request->target};
	struct error error = {0};

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct text line = fuzz_split(&rest, '\n');

		*lines[i] = fuzz_string(arena, (const uint8_t *)line.bytes, line.length);
		if (!*lines[i] || !fuzz_one_line(*lines[i]))
			return false;
	}
	if (memmem(bytes, length, SITUATION_SECRET, strlen(SITUATION_SECRET)))
		return false; /* somewhere else, where it may be told */

	struct value *context = json_parse(arena, rest.bytes, rest.length, &json_limits_request, &error);

	if (!context || context->kind != VALUE_MAP)
		return false;
	if (policy_inputs(policy))
		hide(arena, policy_inputs(policy), context);
	request->context = context;
	return true;
}

bool
situation_make(struct arena *arena, const struct situation_policy *of, const uint8_t *bytes, size_t length,
	       struct situation *out)
{
	static const int64_t times[] = {INT64_C(1790000000), INT64_C(1772618400), INT64_C(1798761600), 1};
	struct making making = {arena, of, {bytes, length}};
	unsigned char *usage = arena_take(arena, 1);
	struct value *context = value_map(arena);
	bool written = length && bytes[0] == '=';

	*out = (struct situation){.now = times[0] * 1000000,
				  .request = {.digest = "sha256:0", .used = used, .usage = usage}};
	if (written)
		return make_written(arena, of->policy, bytes + 1, length - 1, &out->request);
	out->request.tenant = pick_string(&making, &of->tenants);
	out->request.agent_id = pick_string(&making, &of->agents);
	out->request.action = pick_string(&making, &of->actions);
	out->request.target = pick_string(&making, &of->targets);
	out->now = times[pick(&making, COUNT_OF(times))] * 1000000;
	*usage = (unsigned char)pick(&making, 256);
	out->request.deadline = pick(&making, 16) == 1 ? out->now - 1 : 0;
	out->last = pick(&making, 8) == 1 ? 1 + pick(&making, 16) : 0;
	if (policy_inputs(of->policy))
		make_fields(&making, policy_inputs(of->policy), context);
	if (pick(&making, 32) == 1)
		value_set(arena, context, "undeclared", make_any(&making));
	out->request.context = context;
	return true;
}
