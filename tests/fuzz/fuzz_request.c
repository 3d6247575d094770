/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_request.c - what an agent may send. What is taken is within every limit and is the same request when it is sent again
 * in the form in which it is stored; what is refused can be shelved, and its sender is named whole or not at all.
 */
#include "common/message/json.h"
#include "common/message/report.h"
#include "common/message/request.h"
#include "tests/fuzz/fuzz.h"

/* Depth, members, items and lengths as the limits say. */
static void
check_value(const struct value *value, size_t depth)
{
	const struct json_limits *limits = &json_limits_request;

	if (value->kind == VALUE_STRING)
		assert(value->as.string.length <= limits->string
		       && strlen(value->as.string.bytes) == value->as.string.length);
	if (value->kind == VALUE_LIST) {
		assert(depth < limits->depth && value->as.list.count <= limits->items);
		for (size_t i = 0; i < value->as.list.count; i++)
			check_value(value->as.list.items[i], depth + 1);
	}
	if (value->kind == VALUE_MAP) {
		assert(depth < limits->depth && value->as.map.count <= limits->keys);
		for (size_t i = 0; i < value->as.map.count; i++) {
			assert(value->as.map.members[i].name.length <= limits->key);
			/* borrowed by name: were there two, only the first would be found */
			assert(value_get(value, value->as.map.members[i].name.bytes)
			       == value->as.map.members[i].value);
			check_value(value->as.map.members[i].value, depth + 1);
		}
	}
}

static void
check_name(const char *text)
{
	assert(!text || (text[0] && strlen(text) <= 256 && fuzz_one_line(text)));
}

static void
check_limits(const struct request *request)
{
	assert(request_id_valid(request->request_id, strlen(request->request_id)));
	assert(request_tenant_valid(request->tenant, strlen(request->tenant)));
	assert(request->agent_id && request->action && request->target && request->context);
	check_name(request->agent_id);
	check_name(request->action);
	check_name(request->target);
	check_name(request->on_behalf_of);
	assert(!request->reason || (strlen(request->reason) <= 1024 && fuzz_one_line(request->reason)));
	assert(request->deadline >= 0);
	assert(!request->traceparent || strlen(request->traceparent) == 55);
	assert(!request->execution == !request->execution_json);
	check_value(request->context, 1);
	if (request->execution)
		check_value(request->execution, 1);
}

/* As it is stored, read and sent once more. */
static void
check_again(struct arena *arena, const struct request *request)
{
	struct value *body = value_map(arena);
	struct error error = {0};
	struct request again;

	value_set_string(arena, body, "request_id", request->request_id);
	value_set_string(arena, body, "tenant", request->tenant);
	value_set_string(arena, body, "agent_id", request->agent_id);
	value_set_string(arena, body, "action", request->action);
	value_set_string(arena, body, "target", request->target);
	value_set(arena, body, "context", (struct value *)request->context);
	if (request->execution)
		value_set(arena, body, "execution", (struct value *)request->execution);

	struct text text = fuzz_canonical(arena, body);
	struct record record = {.topic = "t", .value = text.bytes, .value_length = text.length};
	bool ok = request_parse(arena, &record, &again, &error);

	if (!ok && strcmp(error.code, "too_large") == 0)
		return; /* names and numbers may be longer in the one form */
	assert(ok);
	assert(strcmp(request->digest_text, again.digest_text) == 0);
	assert(strcmp(request->context_json, again.context_json) == 0);
	assert(fuzz_equal(request->execution_json, again.execution_json));
	assert(strcmp(request->key, again.key) == 0);
}

/* The same bytes say the same a second time. */
static void
check_repeat(struct arena *arena, const struct record *record, const struct request *request)
{
	struct error error = {0};
	struct request again;
	bool ok = request_parse(arena, record, &again, &error);

	assert(ok && memcmp(request->digest, again.digest, sizeof again.digest) == 0);
	assert(memcmp(request->content_hash, again.content_hash, sizeof again.content_hash) == 0);
}

static void
check_refused(struct arena *arena, const struct record *record, const struct request *request,
	      const struct error *reason)
{
	struct quarantine quarantine = {.record = record,
					.reason = reason,
					.tenant = request->tenant,
					.request_id = request->request_id,
					.at = 1,
					.source = "/countersign/test"};
	struct event event;
	struct error error = {0};

	fuzz_refused(reason, ERROR_INVALID);
	quarantine_digest(record, quarantine.digest);

	bool ok = quarantine_event(arena, &quarantine, &event, &error);

	assert(ok && event.payload_length <= EVENT_PAYLOAD_MAX);
}

int
FUZZ_TARGET(request)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct fuzz_record *input = fuzz_record(arena, bytes, length);
	struct error error = {0};
	struct request request;
	bool ok = request_parse(arena, &input->record, &request, &error);

	assert(!request.request_id == !request.tenant && !request.request_id == !request.key);
	if (request.key)
		assert(request_id_valid(request.request_id, strlen(request.request_id))
		       && request_tenant_valid(request.tenant, strlen(request.tenant))
		       && request_key_slot(request.key, 32) < 32);
	if (ok) {
		check_limits(&request);
		check_again(arena, &request);
		check_repeat(arena, &input->record, &request);
	} else {
		check_refused(arena, &input->record, &request, &error);
	}
	arena_close(arena);
	return 0;
}
