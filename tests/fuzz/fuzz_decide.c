/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_decide.c - a record of topic requests on the evaluator's whole way, without servers: headers and value, form, policy,
 * word, notice, stored headers. Only the one request that the policy allows is ever GRANTED, a request that can't be
 * taken never; every word carries a token that verifies and says what the word says; and what we say can be read by ours.
 */
#include "common/jws/jws.h"
#include "common/message/authorization.h"
#include "common/message/envelope.h"
#include "common/message/json.h"
#include "common/message/notice.h"
#include "common/message/policy_document.h"
#include "common/message/request.h"
#include "services/relay/relay.h"
#include "tests/fuzz/fuzz.h"

#define NOW (INT64_C(1790000000) * 1000000)

static const char document[] =
    "{\"countersign\":\"policy/v1\",\"policy\":\"fuzz\",\"version\":1,\"tenants\":[\"default\",\"acme\"],"
    "\"approvals\":{\"people\":{\"any_of\":[{\"group\":\"managers\",\"quorum\":2}],\"ttl\":\"1h\"}},"
    "\"classes\":[{\"id\":\"reads\",\"actions\":[\"docs.*\"],\"default\":\"REQUIRE_APPROVAL\","
    "\"approval\":\"people\",\"requires\":[\"risk\"]},"
    "{\"id\":\"all\",\"actions\":[\"**\"],\"default\":\"BLOCK\"}],"
    "\"rules\":[{\"id\":\"open\",\"match\":{\"actions\":[\"docs.read\"],\"agents\":[\"bot\"]},"
    "\"except\":{\"targets\":[\"secret/**\"]},\"decision\":\"ALLOW\"}]}";

static const struct policy *
policy(void)
{
	static struct policy_document loaded;
	static struct arena *arena;
	struct error error = {0};

	if (!arena)
		arena = arena_open();
	if (!loaded.policy && !policy_document_parse(arena, document, strlen(document), &loaded, &error))
		assert(!"the document of this target is a good one");
	return loaded.policy;
}

/* What an independent reader would ask of a GRANTED. */
static void
check_granted(const struct record *record, const struct request *request)
{
	const struct value *risk = value_get(request->context, "risk");

	assert(strcmp(request->action, "docs.read") == 0 && strcmp(request->agent_id, "bot") == 0);
	assert(strncmp(request->target, "secret/", 7) != 0 && strcmp(request->target, "secret") != 0);
	assert(strcmp(request->tenant, "default") == 0 || strcmp(request->tenant, "acme") == 0);
	assert(risk && risk->kind != VALUE_NULL);
	assert(request->deadline == 0 || request->deadline >= NOW);
	/* the words stand in the bytes that came, unless somebody wrote them with escapes */
	assert(memchr(record->value, '\\', record->value_length)
	       || (memmem(record->value, record->value_length, "\"docs.read\"", 11)
		   && memmem(record->value, record->value_length, "\"bot\"", 5)
		   && memmem(record->value, record->value_length, "\"risk\"", 6)));
}

static const struct value *
read_back(struct arena *arena, const struct event *event)
{
	const struct record_header *headers;
	struct error error = {0};
	size_t count;
	bool ok = relay_headers(arena, event->headers, event->chain, 1, &headers, &count, &error);
	const struct value *body =
	    json_parse(arena, event->payload, event->payload_length, &json_limits_event, &error);

	assert(ok && count >= 2 && body);
	assert(fuzz_same(fuzz_canonical(arena, body), (struct text){event->payload, event->payload_length}));
	assert(strcmp(value_get_string(body, "event_id"), event->event_id.text) == 0);
	return body;
}

static void
check_token(struct arena *arena, const struct value *body, const char *token)
{
	static const char *const alike[] = {"tenant", "request_id", "request_digest", "status", "decision"};
	struct error error = {0};
	struct jws jws;
	bool ok = jws_parse(arena, token, strlen(token), AUTHORIZATION_TYP, false, &jws, &error);

	assert(ok && jws_verify(arena, &jws, crypto_key_public(fuzz_key()), NULL, 0));

	const struct value *claims =
	    json_parse(arena, jws.payload, jws.payload_length, &json_limits_event, &error);

	assert(claims && fuzz_equal(value_get_string(body, "token"), token));
	assert(value_get_string(body, "status") && value_get_string(body, "decision"));
	for (size_t i = 0; i < COUNT_OF(alike); i++)
		assert(fuzz_equal(value_get_string(body, alike[i]), value_get_string(claims, alike[i])));
}

static void
say(struct arena *arena, const struct authorization *word)
{
	const struct authorization_issuer issuer = {fuzz_key(), "countersign", "agents"};
	struct event event;
	struct error error = {0};
	const char *token = NULL;
	bool ok = authorization_event(arena, &issuer, word, &event, &token, &error);

	assert(ok && !token == (word->status == AUTHORIZATION_PENDING));

	const struct value *body = read_back(arena, &event);

	if (token)
		check_token(arena, body, token);
}

static struct authorization
word_of(const struct request *request)
{
	return (struct authorization){.tenant = request->tenant,
				      .request_id = request->request_id,
				      .key = request->key,
				      .chain = request_key_slot(request->key, 32),
				      .decision = "BLOCK",
				      .status = AUTHORIZATION_DENIED,
				      .decided_at = NOW,
				      .source = "/countersign/evaluator"};
}

static void
say_invalid(struct arena *arena, const struct request *request, const struct error *refusal)
{
	struct authorization word = word_of(request);

	word.reason_code = "invalid_request";
	word.reason_text = arena_format(arena, "%s%s%s: %s", refusal->field, refusal->field[0] ? ": " : "",
					refusal->code, refusal->text);
	say(arena, &word);
}

static void
announce(struct arena *arena, const struct request *request, const struct policy_decision *decision)
{
	struct notice_need need = {.profile = decision->requirements[0].profile,
				   .group = decision->requirements[0].group,
				   .quorum = decision->requirements[0].quorum};
	struct notice notice = {.approval_id = "00000000-0000-5000-8000-000000000000",
				.tenant = request->tenant,
				.request_id = request->request_id,
				.key = request->key,
				.state = "OPEN",
				.cause = "opened",
				.agent_id = request->agent_id,
				.action = request->action,
				.target = request->target,
				.context = request->context,
				.execution = request->execution,
				.request_reason = request->reason,
				.on_behalf_of = request->on_behalf_of,
				.digest_text = request->digest_text,
				.needs = &need,
				.need_count = 1,
				.rules = decision->rules,
				.rule_count = decision->rule_count,
				.reason_text = decision->reason_text,
				.opened_at = NOW,
				.approval_deadline = NOW + decision->ttl,
				.at = NOW,
				.traceparent = request->traceparent,
				.source = "/countersign/evaluator",
				.sign_with = fuzz_key()};
	struct event event;
	struct error error = {0};
	bool ok = notice_event(arena, &notice, &event, &error);

	assert(ok);

	const struct value *body = read_back(arena, &event);

	assert(value_equal(value_get(value_get(body, "request"), "context"), request->context));
}

/* As the resolver and the notifier read it from the database. */
static void
check_stored(struct arena *arena, const char *text, const struct value *value)
{
	struct error error = {0};
	const struct value *policy = json_parse(arena, text, strlen(text), &json_limits_policy, &error);
	const struct value *event = json_parse(arena, text, strlen(text), &json_limits_event, &error);

	assert(policy && event && value_equal(policy, value) && value_equal(event, value));
}

static void
decide(struct arena *arena, const struct record *record, const struct request *request)
{
	const struct policy_request asked = {.tenant = request->tenant,
					     .agent_id = request->agent_id,
					     .action = request->action,
					     .target = request->target,
					     .context = request->context,
					     .deadline = request->deadline};
	struct authorization word = word_of(request);
	struct policy_decision decision;

	check_stored(arena, request->context_json, request->context);
	if (request->execution)
		check_stored(arena, request->execution_json, request->execution);
	policy_decide(policy(), &asked, NOW, arena, &decision);
	word.agent_id = request->agent_id;
	word.digest_text = request->digest_text;
	word.decision = policy_verdict_name(decision.verdict);
	word.reason_code = decision.reason_code;
	word.reason_text = decision.reason_text;
	word.rules = decision.rules;
	word.rule_count = decision.rule_count;
	word.traceparent = request->traceparent;
	if (decision.verdict == POLICY_ALLOW) {
		check_granted(record, request);
		word.status = AUTHORIZATION_GRANTED;
		word.not_before = NOW;
		word.expires_at = NOW + decision.valid_for;
	} else if (decision.verdict == POLICY_REQUIRE_APPROVAL) {
		word.status = AUTHORIZATION_PENDING;
		word.approval_id = "00000000-0000-5000-8000-000000000000";
		word.approval_deadline = NOW + decision.ttl;
		announce(arena, request, &decision);
	}
	say(arena, &word);
}

int
FUZZ_TARGET(decide)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	struct fuzz_record *input = fuzz_record(arena, bytes, length);
	struct error error = {0};
	struct request request;

	if (request_parse(arena, &input->record, &request, &error))
		decide(arena, &input->record, &request);
	else if (request.request_id)
		say_invalid(arena, &request, &error);
	arena_close(arena);
	return 0;
}
