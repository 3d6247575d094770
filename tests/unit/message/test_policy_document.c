/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy_document.c - one policy, however it is laid out, has one canonical form and one digest. */
#include "common/message/policy_document.h"
#include "tests/unit/message/message_test.h"

#define CLASSES "\"classes\":[{\"id\":\"other\",\"actions\":[\"**\"],\"default\":\"BLOCK\"}]"
#define HEAD "\"countersign\":\"policy/v1\",\"policy\":\"p\",\"version\":1,\"tenants\":[\"default\"]"
#define CANONICAL                                                                                            \
	"{\"classes\":[{\"actions\":[\"**\"],\"default\":\"BLOCK\",\"id\":\"other\"}],"                      \
	"\"countersign\":\"policy/v1\",\"policy\":\"p\",\"tenants\":[\"default\"],\"version\":1}"

static struct policy_document
parsed(struct arena *arena, const char *text)
{
	struct policy_document document;
	struct error error = {0};

	if (!policy_document_parse(arena, text, strlen(text), &document, &error))
		fail_msg("%s at \"%s\": %s", error.code, error.field, error.text);
	return document;
}

static void
refused(struct arena *arena, const char *text, const char *code, const char *field)
{
	struct policy_document document;
	struct error error = {0};

	memset(&document, 0xAA, sizeof document);
	assert_false(policy_document_parse(arena, text, strlen(text), &document, &error));
	assert_refused(&error, code, field, text);
	assert_null(document.policy);
	assert_null(document.canonical);
}

static void
layout_and_order_make_no_difference(void **state)
{
	struct policy_document document = parsed(*state, "{" HEAD "," CLASSES "}");
	struct policy_document other = parsed(*state, "{ " CLASSES ",\n\t" HEAD " }\n");
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char text[CRYPTO_DIGEST_TEXT_SIZE];

	crypto_sha256(CANONICAL, strlen(CANONICAL), digest);
	crypto_digest_text(digest, text);
	assert_string_equal(document.canonical, CANONICAL);
	assert_int_equal(document.canonical_length, strlen(CANONICAL));
	assert_string_equal(document.digest_text, text);
	assert_memory_equal(document.digest, digest, sizeof digest);
	assert_string_equal(other.canonical, CANONICAL);
	assert_string_equal(other.digest_text, text);
	other = parsed(*state, arena_format(*state, "{" HEAD "," CLASSES "}%s", repeated(*state, " ", 100000)));
	assert_string_equal(other.digest_text, text);
	assert_string_equal(policy_name(document.policy), "p");
	assert_int_equal(policy_version(document.policy), 1);
}

static void
what_cannot_be_honoured_whole_is_no_document(void **state)
{
	refused(*state, "", "empty", "");
	refused(*state, "{" HEAD "," CLASSES ",}", "syntax", "");
	refused(*state, "{" HEAD "," CLASSES ",\"version\":2}", "duplicate_key", "version");
	refused(*state,
		"{" HEAD "," CLASSES ",\"approvals\":{\"x\":{\"any_of\":[{\"group\":\"g\",\"quorum\":1}],"
		"\"ttl\":\"1h\",\"exclude\":[\"last_approver\"]}}}",
		"unsupported_key", "approvals.x.exclude");
	refused(*state, "{" HEAD "," CLASSES ",\"rulez\":[]}", "unknown_key", "rulez");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(layout_and_order_make_no_difference),
	    cmocka_unit_test(what_cannot_be_honoured_whole_is_no_document),
	};

	return cmocka_run_group_tests_name("policy_document", tests, open_arena, close_arena);
}
