/* SPDX-License-Identifier: Apache-2.0 */
/* test_request.c - who asks, whom to answer when it is refused, what is digested, and where each limit lies. */
#include "common/message/request.h"
#include "tests/unit/message/message_test.h"

#define BASE "\"agent_id\":\"a\",\"action\":\"x.y\",\"target\":\"t\""
#define BODY "{" BASE "}"
#define WITH(members) "{" BASE "," members "}"
#define EVENT(members) "{\"specversion\":\"1.0\",\"source\":\"s\",\"type\":\"t\"," members "}"

static struct request
parsed(struct arena *arena, struct record record)
{
	struct request request;
	struct error error = {0};

	if (!request_parse(arena, &record, &request, &error))
		fail_msg("%.*s: %s at \"%s\": %s", (int)(record.value_length > 300 ? 300 : record.value_length),
			 (const char *)record.value, error.code, error.field, error.text);
	return request;
}

static struct request
refused(struct arena *arena, struct record record, const char *code, const char *field)
{
	struct request request;
	struct error error = {0};

	memset(&request, 0xAA, sizeof request);
	assert_false(request_parse(arena, &record, &request, &error));
	assert_refused(&error, code, field, record.value ? record.value : "(none)");
	assert_true(!request.request_id == !request.tenant && !request.request_id == !request.key);
	return request;
}

static struct request
parsed_text(struct arena *arena, const char *value)
{
	return parsed(arena, keyed(record_of(value), "r-1"));
}

static void
refused_text(struct arena *arena, const char *value, const char *code, const char *field)
{
	assert_string_equal(refused(arena, keyed(record_of(value), "r-1"), code, field).key, "r-1");
}

static struct record
with_headers(struct record record, const struct record_header *headers, size_t count)
{
	record.headers = headers;
	record.header_count = count;
	return record;
}

/* The four attributes that make a CloudEvent. */
static struct record
with_ce_id(struct arena *arena, struct record record, const char *ce_id)
{
	struct record_header *headers = arena_take_array(arena, 4, sizeof *headers);

	headers[0] = header("ce_specversion", "1.0");
	headers[1] = header("ce_id", ce_id);
	headers[2] = header("ce_source", "s");
	headers[3] = header("ce_type", "t");
	return with_headers(record, headers, 4);
}

static struct record
structured(struct arena *arena, const char *value)
{
	struct record_header *headers = arena_take(arena, sizeof *headers);

	headers[0] = header("content-type", "application/cloudevents+json");
	return with_headers(record_of(value), headers, 1);
}

static void
assert_named(struct request request, const char *tenant, const char *request_id)
{
	assert_non_null(request.request_id);
	assert_string_equal(request.tenant, tenant);
	assert_string_equal(request.request_id, request_id);
	if (strcmp(tenant, "default") == 0)
		assert_string_equal(request.key, request_id);
	else
		assert_true(strncmp(request.key, tenant, strlen(tenant)) == 0
			    && strstr(request.key, request_id));
}

static void
assert_unnamed(struct request request)
{
	assert_null(request.request_id);
	assert_null(request.tenant);
	assert_null(request.key);
}

/* As it stands in messages.md, byte for byte. */
static const char seed[] =
    "{\"agent_id\": \"coding-agent-production\", \"action\": \"deployment.production\", \"target\": "
    "\"customer-api\",\n"
    " \"context\": {\"repository\": \"customer-api\", \"branch\": \"main\", \"environment\": "
    "\"production\",\n"
    "             \"tests_passed\": true, \"protected_branch\": true, \"change_risk\": \"high\"}}";

static void
the_seeds_example_passes_by_key_or_ce_id(void **state)
{
	struct request request = parsed(*state, keyed(record_of(seed), "r-1"));

	assert_named(request, "default", "r-1");
	assert_string_equal(request.agent_id, "coding-agent-production");
	assert_string_equal(request.context_json, "{\"branch\":\"main\",\"change_risk\":\"high\","
						  "\"environment\":\"production\",\"protected_branch\":true,"
						  "\"repository\":\"customer-api\",\"tests_passed\":true}");
	assert_string_equal(request.digest_text,
			    "sha-256:64a1d0b76f544bb24f8579fbd6928aa7194d963d341a7f3b2f8c4ce1f5432816");
	assert_named(parsed(*state, with_ce_id(*state, record_of(seed), "e-1")), "default", "e-1");
	assert_named(
	    parsed(*state, structured(*state, arena_format(*state, EVENT("\"id\":\"e-2\",\"data\":%s"), seed))),
	    "default", "e-2");
}

static void
the_body_speaks_before_ce_id_and_ce_id_before_the_key(void **state)
{
	struct record own = keyed(record_of(WITH("\"request_id\":\"b\",\"tenant\":\"acme\"")), "k");

	assert_named(parsed(*state, own), "acme", "b");
	assert_named(parsed(*state, with_ce_id(*state, own, "b")), "acme", "b");
	assert_named(parsed(*state, with_ce_id(*state, keyed(record_of(BODY), "k"), "c")), "default", "c");
	assert_named(parsed(*state, keyed(record_of(BODY), "k")), "default", "k");
	assert_named(parsed(*state, keyed(record_of(WITH("\"request_id\":\"b\"")), "not/an id")), "default",
		     "b");
	assert_named(refused(*state, with_ce_id(*state, own, "c"), "id_mismatch", "ce_id"), "acme", "b");
}

static void
an_id_is_never_invented(void **state)
{
	struct record keyless = record_of(BODY);

	assert_unnamed(refused(*state, keyless, "missing_field", "request_id"));
	assert_unnamed(refused(*state, keyed(keyless, ""), "missing_field", "request_id"));
	assert_unnamed(refused(*state, keyed(keyless, "acme/r-1"), "bad_value", "key"));
	assert_unnamed(refused(*state, keyed(keyless, repeated(*state, "k", 129)), "bad_value", "key"));
	assert_named(parsed(*state, keyed(keyless, repeated(*state, "k", 128))), "default",
		     repeated(*state, "k", 128));
	assert_unnamed(refused(*state, with_ce_id(*state, keyed(keyless, "k"), "no/id"), "bad_value", "ce_id"));
	assert_unnamed(refused(*state, with_ce_id(*state, keyed(keyless, "k"), "a\r\nb"), "bad_value", "ce_id"));
}

static void
a_bad_name_in_the_body_is_not_replaced_by_another(void **state)
{
	static const struct {
		const char *members, *code, *field;
	} cases[] = {
	    {"\"request_id\":7", "wrong_type", "request_id"},
	    {"\"request_id\":null", "wrong_type", "request_id"},
	    {"\"request_id\":\"\"", "bad_value", "request_id"},
	    {"\"request_id\":\"a/b\"", "bad_value", "request_id"},
	    {"\"tenant\":\"\"", "bad_value", "tenant"},
	    {"\"tenant\":\"Acme\"", "bad_value", "tenant"},
	    {"\"tenant\":\"a/b\"", "bad_value", "tenant"},
	    {"\"tenant\":null", "wrong_type", "tenant"},
	    {"\"tenant\":[\"acme\"]", "wrong_type", "tenant"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *value = arena_format(*state, WITH("%s"), cases[i].members);

		assert_unnamed(refused(*state, keyed(record_of(value), "k"), cases[i].code, cases[i].field));
	}
}

static void
what_breaks_a_limit_is_answered_by_its_own_names(void **state)
{
	const char *names = "\"request_id\":\"b\",\"tenant\":\"acme\"";
	const char *broken[][3] = {
	    {arena_format(*state, "\"context\":{\"s\":\"%s\"}", repeated(*state, "x", 8193)),
	     "string_too_long", "context.s"},
	    {arena_format(*state, "\"context\":{\"l\":[0%s]}", repeated(*state, ",0", 1024)),
	     "too_many_items", "context.l"},
	    {"\"context\":{\"n\":9007199254740993}", "number_range", "context.n"},
	    {"\"context\":{\"n\":1e-400}", "number_range", "context.n"},
	    {arena_format(*state, "\"context\":{\"d\":%s%s}", repeated(*state, "[", 15),
			  repeated(*state, "]", 15)),
	     "too_deep", "context.d[0][0][0][0][0][0][0][0][0][0][0][0][0][0]"},
	    {arena_format(*state, "\"context\":{\"s\":\"x\"}%s", repeated(*state, " ", 65536)), "too_large", ""},
	};

	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		const char *value = arena_format(*state, WITH("%s,%s"), names, broken[i][0]);
		const char *event = arena_format(*state, EVENT("\"id\":\"b\",\"data\":%s"), value);

		assert_named(refused(*state, keyed(record_of(value), "k"), broken[i][1], broken[i][2]),
			     "acme", "b");
		assert_named(refused(*state, structured(*state, event), broken[i][1],
				     broken[i][2][0] ? arena_format(*state, "data.%s", broken[i][2]) : ""),
			     "acme", "b");
	}
}

static void
what_fails_in_its_headers_is_answered_by_its_body(void **state)
{
	const struct record_header twice[] = {header("ce_id", "c"), header("ce_id", "c")};
	const struct record_header partly[] = {header("ce_id", "c")};
	struct record own = keyed(record_of(WITH("\"request_id\":\"b\"")), "k"),
		      bare = keyed(record_of(BODY), "k");

	assert_named(refused(*state, with_headers(own, twice, 2), "duplicate_header", "ce_id"), "default", "b");
	assert_unnamed(refused(*state, with_headers(bare, twice, 2), "duplicate_header", "ce_id"));
	bare = keyed(record_of("no JSON"), "k");
	assert_unnamed(refused(*state, with_headers(bare, twice, 2), "duplicate_header", "ce_id"));
	assert_named(refused(*state, with_headers(bare, partly, 1), "cloudevent", "ce_specversion"),
		     "default", "c");
	assert_named(refused(*state, structured(*state, "{\"id\":\"c\",\"data\":" BODY "}"), "cloudevent",
			     "specversion"),
		     "default", "c");
	assert_unnamed(
	    refused(*state, structured(*state, EVENT("\"id\":\"c\",\"data\":[]")), "not_an_object", "data"));
}

static void
an_event_that_breaks_a_limit_is_answered_by_its_id(void **state)
{
	const char *data = arena_format(*state, WITH("\"reason\":\"%s\""), repeated(*state, "x", 8193));
	const char *event = arena_format(*state, EVENT("\"id\":\"c\",\"data\":%s"), data);
	struct record_header headers[] = {header("content-type", "application/cloudevents+json"),
					  header("ce_id", "d"), header("ce_id", "d")};

	assert_named(refused(*state, structured(*state, event), "string_too_long", "data.reason"), "default",
		     "c");
	assert_unnamed(refused(*state, with_headers(record_of(event), headers, 3), "duplicate_header", "ce_id"));
}

static void
what_is_no_json_is_answered_only_where_it_cannot_say_otherwise(void **state)
{
	struct record nothing = keyed((struct record){.topic = "t"}, "k");

	assert_named(refused(*state, nothing, "empty", ""), "default", "k");
	assert_named(refused(*state, keyed(record_of(""), "k"), "empty", ""), "default", "k");
	assert_named(refused(*state, keyed(record_of("hello"), "k"), "syntax", ""), "default", "k");
	assert_named(refused(*state, keyed(record_of("[1]"), "k"), "not_an_object", ""), "default", "k");
	assert_named(refused(*state, keyed(record_of("{" BASE ",}"), "k"), "syntax", ""), "default", "k");
	assert_named(
	    refused(*state, with_ce_id(*state, keyed(record_of("{" BASE ",}"), "k"), "c"), "syntax", ""),
	    "default", "c");
	assert_unnamed(refused(*state, record_of("{" BASE ",}"), "syntax", ""));
	assert_unnamed(refused(*state, keyed(record_of("{"), "a/b"), "syntax", ""));
	assert_unnamed(refused(*state, with_ce_id(*state, keyed(record_of("{"), "k"), "a/b"), "syntax", ""));
}

static void
bytes_that_might_name_another_are_not_answered_by_key(void **state)
{
	static const char *const values[] = {
	    "{\"request_id\":\"b\",}",	    "{\"request_id\":\"a\",\"request_id\":\"b\"," BASE "}",
	    "{\"tenant\":\"acme\",}",	    "{\"\\u0072equest_id\":\"b\",}",
	    "{\"\\u0074enant\":\"acme\",}",
	};
	static const char wide[] = "{\0\"\0t\0e\0n\0a\0n\0t\0\"\0";
	struct record record = keyed(record_of(""), "k");

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct request request;
		struct error error = {0};

		record.value = values[i];
		record.value_length = strlen(values[i]);
		assert_false(request_parse(*state, &record, &request, &error));
		assert_unnamed(request);
	}
	record.value = wide;
	record.value_length = sizeof wide;
	assert_unnamed(refused(*state, record, "encoding", ""));
	/* ce_id must equal the body's id, so it is safe beside one, but not beside a tenant */
	assert_named(refused(*state, with_ce_id(*state, record_of(values[0]), "b"), "syntax", ""), "default",
		     "b");
	assert_unnamed(refused(*state, with_ce_id(*state, record_of(values[2]), "b"), "syntax", ""));
	/* the id of a structured event is inside what can't be read */
	struct record event = keyed(structured(*state, "{\"id\":\"c\","), "k");
	assert_unnamed(refused(*state, event, "syntax", ""));
}

static void
a_signed_request_is_not_taken_for_an_unsigned_one(void **state)
{
	static const char value[] =
	    WITH("\"request_id\":\"r\",\"tenant\":\"acme\",\"issued_at\":\"2026-11-30T09:00:00Z\"");
	const struct record_header signature[] = {header("signature", "a..b")},
				   none[] = {header("signature", NULL)};

	assert_named(
	    refused(*state, with_headers(record_of(value), signature, 1), "signature_malformed", "signature"),
	    "acme", "r");
	assert_named(
	    refused(*state, with_headers(record_of(value), none, 1), "signature_malformed", "signature"),
	    "acme", "r");
	/* what must be in the signed bytes: an id from elsewhere is none of theirs */
	assert_named(refused(*state, with_headers(keyed(record_of(BODY), "k"), signature, 1), "missing_field",
			     "request_id"),
		     "default", "k");
	assert_named(refused(*state, with_headers(record_of(WITH("\"request_id\":\"r\"")), signature, 1),
			     "missing_field", "tenant"),
		     "default", "r");
	assert_named(
	    refused(*state,
		    with_headers(record_of(WITH("\"request_id\":\"r\",\"tenant\":\"acme\"")), signature, 1),
		    "missing_field", "issued_at"),
	    "acme", "r");
}

static void
when_it_was_signed_makes_no_other_request(void **state)
{
	const struct request first = parsed_text(*state, WITH("\"issued_at\":\"2026-11-30T09:00:00Z\"")),
			     second = parsed_text(*state, WITH("\"issued_at\":\"2026-11-30T09:00:01Z\"")),
			     none = parsed_text(*state, BODY);

	assert_int_equal(second.issued_at - first.issued_at, 1000000);
	assert_int_equal(none.issued_at, 0);
	assert_null(first.signature_text);
	assert_memory_equal(first.content_hash, second.content_hash, CRYPTO_SHA256_SIZE);
	assert_memory_equal(first.content_hash, none.content_hash, CRYPTO_SHA256_SIZE);
	assert_string_equal(first.digest_text, none.digest_text);
}

static void
the_digest_is_over_five_members_and_execution_alone(void **state)
{
	static const char *const same[] = {
	    "{ \"target\":\"t\",\"action\":\"x.y\",\"agent_id\":\"a\", \"context\":{} }",
	    WITH("\"tenant\":\"default\""),
	    WITH("\"deadline\":\"2026-11-30T09:00:00Z\",\"on_behalf_of\":\"p\",\"parent_request_id\":\"q\","
		 "\"reason\":\"why\""),
	    "{\"agent_id\":\"\\u0061\",\"action\":\"x.y\",\"target\":\"t\"}",
	};
	static const char *const other[] = {
	    "{\"agent_id\":\"b\",\"action\":\"x.y\",\"target\":\"t\"}",
	    "{\"agent_id\":\"a\",\"action\":\"x.z\",\"target\":\"t\"}",
	    "{\"agent_id\":\"a\",\"action\":\"x.y\",\"target\":\"u\"}",
	    WITH("\"tenant\":\"acme\""),
	    WITH("\"context\":{\"a\":null}"),
	    WITH("\"execution\":{\"kind\":\"argv\",\"digest\":"
		 "\"sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"summary\":"
		 "\"true\"}"),
	};
	/* python3: hashlib.sha256(b'{"action":"x.y","agent_id":"a","context":{},"target":"t","tenant":"default"}') */
	static const char digest[] =
	    "sha-256:a21bcb1cc24e697ad5cefa4b6bba48803af8ba00965c19cc0beea45df9a848ee";

	assert_string_equal(parsed_text(*state, BODY).digest_text, digest);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		assert_string_equal(parsed_text(*state, same[i]).digest_text, digest);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		assert_string_not_equal(parsed_text(*state, other[i]).digest_text, digest);
}

static void
spelling_makes_no_difference_to_the_digest_and_exact_values_do(void **state)
{
	struct request plain =
	    parsed_text(*state, WITH("\"context\":{\"a\":100,\"b\":[1,2],\"c\":0,\"d\":\"é\"}"));
	struct request other =
	    parsed_text(*state, WITH("\"context\":{\"d\":\"\\u00e9\",\"c\":-0.0,\"b\":[1.0,2e0],\"a\":1e2}"));

	assert_memory_equal(plain.digest, other.digest, sizeof plain.digest);
	assert_string_equal(plain.context_json, other.context_json);
	other = parsed_text(*state,
			    WITH("\"context\":{\"a\":100.00000000000001,\"b\":[1,2],\"c\":0,\"d\":\"é\"}"));
	assert_memory_not_equal(plain.digest, other.digest, sizeof plain.digest);
	other = parsed_text(*state, WITH("\"context\":{\"a\":100,\"b\":[2,1],\"c\":0,\"d\":\"é\"}"));
	assert_memory_not_equal(plain.digest, other.digest, sizeof plain.digest);
}

static void
a_repeat_has_the_same_content_and_a_conflict_has_not(void **state)
{
	struct request first = parsed(*state, keyed(record_of(BODY), "r-1"));
	struct request again = parsed(
	    *state, keyed(record_of(" {" BASE ", \"tenant\":\"default\",\"request_id\":\"r-1\"}"), "other"));

	assert_memory_equal(first.content_hash, again.content_hash, sizeof first.content_hash);
	again = parsed(*state, keyed(record_of(BODY), "r-2"));
	assert_memory_not_equal(first.content_hash, again.content_hash, sizeof first.content_hash);
	again = parsed(*state, keyed(record_of(WITH("\"reason\":\"x\"")),
				     "r-1")); /* digested the same, yet other content */
	assert_memory_equal(first.digest, again.digest, sizeof first.digest);
	assert_memory_not_equal(first.content_hash, again.content_hash, sizeof first.content_hash);
}

static void
everything_that_was_given_is_there(void **state)
{
	const struct record_header trace[] = {
	    header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")};
	struct request request = parsed(
	    *state,
	    with_headers(
		record_of(WITH(
		    "\"request_id\":\"r\",\"tenant\":\"acme\",\"deadline\":\"2026-11-30T09:00:00.5+01:00\","
		    "\"on_behalf_of\":\"alice\",\"parent_request_id\":\"q\",\"reason\":\"\",\"context\":{"
		    "\"k\":1},"
		    "\"execution\":{\"kind\":\"argv\",\"digest\":\"sha-256:"
		    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"summary\":"
		    "\"ls\"}")),
		trace, 1));

	assert_string_equal(request.key, "acme/r");
	assert_true(request.deadline == INT64_C(1796025600500000));
	assert_string_equal(request.on_behalf_of, "alice");
	assert_string_equal(request.parent_request_id, "q");
	assert_string_equal(request.reason, "");
	assert_string_equal(request.traceparent, (const char *)trace[0].value);
	assert_string_equal(request.context_json, "{\"k\":1}");
	assert_string_equal(
	    request.execution_json,
	    "{\"digest\":\"sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
	    "\"kind\":\"argv\",\"summary\":\"ls\"}");
	assert_int_equal(value_get(request.context, "k")->as.integer, 1);
}

static void
what_is_absent_is_absent(void **state)
{
	struct request request = parsed_text(*state, BODY);

	assert_int_equal(request.context->kind, VALUE_MAP);
	assert_string_equal(request.context_json, "{}");
	assert_null(request.execution);
	assert_null(request.execution_json);
	assert_null(request.on_behalf_of);
	assert_null(request.parent_request_id);
	assert_null(request.reason);
	assert_null(request.traceparent);
	assert_true(request.deadline == 0);
}

/* {"…":"…"} with one member replaced by so many bytes. */
static const char *
with_length(struct arena *arena, const char *member, size_t length)
{
	static const char *const names[] = {"agent_id",	    "action", "target",
					    "on_behalf_of", "reason", "parent_request_id"};
	struct buffer text = {.arena = arena};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		buffer_add_format(&text, "%s\"%s\":\"%s\"", i ? "," : "{", names[i],
				  repeated(arena, "x", strcmp(names[i], member) == 0 ? length : 1));
	buffer_add_text(&text, "}");
	return text.bytes;
}

static void
each_length_has_its_limit(void **state)
{
	static const struct {
		const char *member;
		size_t least, most;
	} limits[] = {{"agent_id", 1, 256},	{"action", 1, 256},  {"target", 1, 256},
		      {"on_behalf_of", 1, 256}, {"reason", 0, 1024}, {"parent_request_id", 1, 128}};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		parsed_text(*state, with_length(*state, limits[i].member, limits[i].least));
		parsed_text(*state, with_length(*state, limits[i].member, limits[i].most));
		refused_text(*state, with_length(*state, limits[i].member, limits[i].most + 1), "bad_value",
			     limits[i].member);
		if (limits[i].least)
			refused_text(*state, with_length(*state, limits[i].member, limits[i].least - 1),
				     "bad_value", limits[i].member);
	}
}

static const char *
with_execution(struct arena *arena, const char *kind, const char *summary)
{
	return arena_format(
	    arena,
	    WITH("\"execution\":{\"kind\":\"%s\",\"digest\":"
		 "\"sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"summary\":"
		 "\"%s\"}"),
	    kind, summary);
}

static void
execution_has_limits_too(void **state)
{
	parsed_text(*state, with_execution(*state, repeated(*state, "k", 64), repeated(*state, "s", 8192)));
	refused_text(*state, with_execution(*state, repeated(*state, "k", 65), "s"), "bad_value",
		     "execution.kind");
	refused_text(*state, with_execution(*state, "", "s"), "bad_value", "execution.kind");
	refused_text(*state, with_execution(*state, "Argv", "s"), "bad_value", "execution.kind");
	refused_text(*state, with_execution(*state, "argv", ""), "bad_value", "execution.summary");
	refused_text(*state, with_execution(*state, "argv", repeated(*state, "s", 8193)), "string_too_long",
		     "execution.summary");
	refused_text(*state, with_execution(*state, "argv", "a\\nb"), "bad_value", "execution.summary");
	refused_text(*state, with_execution(*state, "argv", "rm \\u202ecod.tsil\\u202c"), "bad_value",
		     "execution.summary");
}

static void
a_request_of_exactly_64_kib_passes(void **state)
{
	size_t room = 65536 - strlen(BODY);
	const char *value = arena_format(*state, "%s%s", BODY, repeated(*state, " ", room));

	parsed_text(*state, value);
	refused_text(*state, arena_format(*state, "%s ", value), "too_large", "");
}

static void
names_that_look_like_others_are_refused(void **state)
{
	static const char *const hidden[] = {
	    "\\u0000",
	    "\\u0001",
	    "\\n",
	    "\\r",
	    "\\t",
	    "\\u001b",
	    "\\u007f",
	    "\\u0080",
	    "\\u0085",
	    "\\u009f",
	    "\\u00ad",
	    "\\u034f",
	    "\\u061c",
	    "\\u115f",
	    "\\u17b4",
	    "\\u180e",
	    "\\u200b",
	    "\\u200c",
	    "\\u200d",
	    "\\u200e",
	    "\\u200f",
	    "\\u2028",
	    "\\u2029",
	    "\\u202a",
	    "\\u202e",
	    "\\u2060",
	    "\\u2066",
	    "\\u2069",
	    "\\u206f",
	    "\\u3164",
	    "\\ufe0f",
	    "\\ufeff",
	    "\\uffa0",
	    "\\ufff9",
	    "\\ud82f\\udca0",
	    "\\ud834\\udd73",
	    "\\udb40\\udc41",
	    "\\udb40\\udd00",
	};
	static const char *const members[] = {"agent_id", "target", "on_behalf_of"};

	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
		for (size_t j = 0; j < 3; j++) {
			struct buffer text = {.arena = *state};

			buffer_add_text(&text, "{\"action\":\"x\"");
			for (size_t k = 0; k < 3; k++)
				buffer_add_format(&text, ",\"%s\":\"al%sice\"", members[k],
						  k == j ? hidden[i] : "");
			buffer_add_text(&text, "}");
			refused(*state, keyed(record_of(text.bytes), "k"), i ? "bad_value" : "encoding",
				members[j]);
		}
	}
	parsed_text(*state, "{\"agent_id\":\"Zoë / 李 🤖\",\"action\":\"x\",\"target\":\"a b~\\u00a0!\"}");
}

static void
an_action_is_lower_case_segments_with_dots(void **state)
{
	static const char *const good[] = {"x", "x.y", "a-b_c.0.z9", "-", "a.b.c.d.e.f"};
	static const char *const bad[] = {"X",	       "deployment.Production",
					  ".x",	       "x.",
					  "x..y",      ".",
					  "x y",       "x/y",
					  "x:y",       "x.é",
					  "x.\\u0430", "x\\n",
					  "x.*",       "x,y",
					  "x\\u0000"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		parsed_text(
		    *state,
		    arena_format(*state, "{\"agent_id\":\"a\",\"action\":\"%s\",\"target\":\"t\"}", good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused_text(
		    *state,
		    arena_format(*state, "{\"agent_id\":\"a\",\"action\":\"%s\",\"target\":\"t\"}", bad[i]),
		    strstr(bad[i], "u0000") ? "encoding" : "bad_value", "action");
}

static void
the_command_line_gets_the_same_digest(void **state)
{
	struct error error = {0};
	struct request request = {
	    .tenant = "acme", .request_id = "r", .agent_id = "a", .action = "x.y", .target = "t"};

	assert_true(request_digest(*state, &request, &error));
	assert_string_equal(request.digest_text,
			    parsed_text(*state, WITH("\"tenant\":\"acme\",\"request_id\":\"r-1\"")).digest_text);
	assert_string_equal(request.key, "acme/r");
	assert_string_equal(request.context_json, "{}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_seeds_example_passes_by_key_or_ce_id),
	    cmocka_unit_test(the_body_speaks_before_ce_id_and_ce_id_before_the_key),
	    cmocka_unit_test(an_id_is_never_invented),
	    cmocka_unit_test(a_bad_name_in_the_body_is_not_replaced_by_another),
	    cmocka_unit_test(what_breaks_a_limit_is_answered_by_its_own_names),
	    cmocka_unit_test(what_fails_in_its_headers_is_answered_by_its_body),
	    cmocka_unit_test(an_event_that_breaks_a_limit_is_answered_by_its_id),
	    cmocka_unit_test(what_is_no_json_is_answered_only_where_it_cannot_say_otherwise),
	    cmocka_unit_test(bytes_that_might_name_another_are_not_answered_by_key),
	    cmocka_unit_test(a_signed_request_is_not_taken_for_an_unsigned_one),
	    cmocka_unit_test(when_it_was_signed_makes_no_other_request),
	    cmocka_unit_test(the_digest_is_over_five_members_and_execution_alone),
	    cmocka_unit_test(spelling_makes_no_difference_to_the_digest_and_exact_values_do),
	    cmocka_unit_test(a_repeat_has_the_same_content_and_a_conflict_has_not),
	    cmocka_unit_test(everything_that_was_given_is_there),
	    cmocka_unit_test(what_is_absent_is_absent),
	    cmocka_unit_test(each_length_has_its_limit),
	    cmocka_unit_test(execution_has_limits_too),
	    cmocka_unit_test(a_request_of_exactly_64_kib_passes),
	    cmocka_unit_test(names_that_look_like_others_are_refused),
	    cmocka_unit_test(an_action_is_lower_case_segments_with_dots),
	    cmocka_unit_test(the_command_line_gets_the_same_digest),
	};

	return cmocka_run_group_tests_name("request", tests, open_arena, close_arena);
}
