/* SPDX-License-Identifier: Apache-2.0 */
/* test_report.c - incidents, quarantined records and checkpoints as bytes; above all, what they never hold. */
#include "common/message/report.h"
#include "common/message/request.h"
#include "tests/unit/message/event_test.h"

static void
an_incident_names_its_evidence(void **state)
{
	static const char *const evidence[] = {"0a7d1f6e-8f0c-5b1e-9a55-3f1f5d9e2b10", "outcome-1"};
	struct incident incident = {
	    .tenant = "acme",
	    .request_id = "r-1",
	    .key = "acme/r-1",
	    .chain = 1,
	    .kind = "executed_after_denial",
	    .severity = "high",
	    .text = "Reported as started although the request had been denied.",
	    .discriminator = "outcome-1",
	    .evidence = evidence,
	    .evidence_count = 2,
	    .at = TEST_TIME,
	    .source = "/countersign/recorder",
	};
	struct event event;
	struct error error = {0};

	assert_true(incident_event(*state, &incident, &event, &error));
	assert_golden(*state, &event, "incident");
	assert_string_equal(event.topic, "incidents");
	assert_string_equal(event.event_id.text,
			    id_event("acme", "r-1", "incident.executed_after_denial.outcome-1", 0).text);
}

static struct event
quarantined(struct arena *arena, const struct record *record, const struct request *request,
	    const struct error *reason)
{
	struct quarantine quarantine = {
	    .record = record,
	    .chain = 4,
	    .reason = reason,
	    .tenant = request->tenant,
	    .request_id = request->request_id,
	    .at = TEST_TIME,
	    .source = "/countersign/evaluator",
	};
	struct event event;
	struct error error = {0};

	quarantine_digest(record, quarantine.digest);
	if (!quarantine_event(arena, &quarantine, &event, &error))
		fail_msg("%s: %s", error.code, error.text);
	return event;
}

static void
a_quarantined_record_leaves_its_place_and_digest_never_its_payload(void **state)
{
	struct record record = keyed(record_of("{\"request_id\":\"r-1\",\"agent_id\":\"a\",\"action\":\"x\","
					       "\"target\":\"s3cr3t\",\"passwrd\":\"s3cr3t\"}"),
				     "s3cr3t");
	struct request request;
	struct error reason = {0};

	record.partition = 5;
	record.offset = INT64_C(123456789012);
	assert_false(request_parse(*state, &record, &request, &reason));

	struct event event = quarantined(*state, &record, &request, &reason);

	assert_golden(*state, &event, "quarantine");
	assert_string_equal(event.key, "countersign.requests/5/123456789012");
	assert_string_equal(event.event_id.text, id_event("", event.key, "quarantine", 0).text);
	assert_null(strstr(event.payload, "s3cr3t"));
	assert_null(strstr(event.headers, "s3cr3t"));
}

static void
a_record_without_value_or_name_is_quarantined_too(void **state)
{
	struct record record = {.topic = "countersign.requests", .partition = 0, .offset = 7};
	struct request request;
	struct error reason = {0};

	assert_false(request_parse(*state, &record, &request, &reason));

	struct event event = quarantined(*state, &record, &request, &reason);

	assert_golden(*state, &event, "quarantine_of_nothing");
	assert_null(event.request_id);
}

static void
a_field_of_any_bytes_makes_a_valid_event(void **state)
{
	struct record record = record_of("{\"\xf0\x9f\x98\x80\\u202e\\u0007\\ud83d\\ude00\":1}");
	struct request request;
	struct error reason = {0};

	record = keyed(record, "r");
	assert_false(request_parse(*state, &record, &request, &reason));
	quarantined(*state, &record, &request, &reason);
	for (size_t length = 1; length < 70; length++) { /* wherever a name or a path is cut */
		const char *name = arena_format(*state, "%s😀😀😀é", repeated(*state, "x", length));
		const char *path = repeated(*state, arena_format(*state, "{\"%s\":", name), 15);

		error_clear(&reason);
		record = keyed(record_of(arena_format(*state, "%s1e400", path)), "r");
		assert_false(request_parse(*state, &record, &request, &reason));
		assert_string_equal(reason.code, "number_range");
		quarantined(*state, &record, &request, &reason);
	}
}

static void
the_digest_is_of_the_raw_value(void **state)
{
	struct record record = record_of("abc");
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char text[CRYPTO_DIGEST_TEXT_SIZE];

	(void)state;
	quarantine_digest(&record, digest);
	crypto_digest_text(digest, text);
	assert_string_equal(
	    text, "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); /* FIPS 180 */
	record.value = NULL;
	quarantine_digest(&record, digest);
	crypto_digest_text(digest, text);
	assert_string_equal(text, "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void
a_change_of_the_directory_tells_who_what_and_when(void **state)
{
	struct value *row = value_map(*state);
	struct directory_event change = {
	    .tenant = "acme",
	    .number = 7,
	    .role = "countersign_operator",
	    .user = "olga",
	    .relation = "group_member",
	    .operation = "INSERT",
	    .new_row = row,
	    .at = TEST_TIME,
	    .source = "/countersign/command",
	};
	struct event event;
	struct error error = {0};

	value_set_string(*state, row, "tenant", "acme");
	value_set_string(*state, row, "group_name", "release-managers");
	value_set_string(*state, row, "person", "alice");
	assert_true(directory_event(*state, &change, &event, &error));
	assert_golden(*state, &event, "directory");
	assert_string_equal(event.key, "acme");
	assert_string_equal(event.event_id.text, id_event("acme", "", "directory", 7).text);
	change.old_row = row;
	change.new_row = NULL;
	assert_true(directory_event(*state, &change, &event, &error));
	assert_non_null(strstr(event.payload, "\"before\":{"));
	assert_null(strstr(event.payload, "after"));
}

static void
a_checkpoint_signs_exactly_its_four_members(void **state)
{
	struct checkpoint checkpoint = {
	    .chain = 3, .sequence = 4711, .at = TEST_TIME, .source = "/countersign/relay"};
	struct event event;
	const char *token = NULL;
	struct error error = {0};

	memset(checkpoint.hash, 0xab, sizeof checkpoint.hash);
	assert_true(checkpoint_event(*state, key, &checkpoint, &event, &token, &error));
	assert_golden(*state, &event, "checkpoint");
	assert_string_equal(event.key, "3");
	assert_int_equal(event.chain, 3);
	assert_string_equal(event.event_id.text, id_event("", "3", "checkpoint", 4711).text);
	assert_string_equal(
	    claims_of(*state, token, CHECKPOINT_TYP),
	    arena_format(*state,
			 "{\"at\":\"2026-11-30T09:00:00.123456Z\",\"chain\":3,\"hash\":\"sha-256:%s\","
			 "\"sequence\":4711}",
			 repeated(*state, "ab", 32)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_incident_names_its_evidence),
	    cmocka_unit_test(a_quarantined_record_leaves_its_place_and_digest_never_its_payload),
	    cmocka_unit_test(a_record_without_value_or_name_is_quarantined_too),
	    cmocka_unit_test(a_field_of_any_bytes_makes_a_valid_event),
	    cmocka_unit_test(the_digest_is_of_the_raw_value),
	    cmocka_unit_test(a_checkpoint_signs_exactly_its_four_members),
	    cmocka_unit_test(a_change_of_the_directory_tells_who_what_and_when),
	};

	return cmocka_run_group_tests_name("report", tests, open_all, close_all);
}
