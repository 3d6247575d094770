/* SPDX-License-Identifier: Apache-2.0 */
/* test_request_key.c - the forms of ids and tenants, keys that can't collide, and Kafka's own murmur2 values. */
#include "common/message/request.h"
#include "tests/unit/message/message_test.h"

static bool
id_ok(const char *text)
{
	return request_id_valid(text, strlen(text));
}

static bool
tenant_ok(const char *text)
{
	return request_tenant_valid(text, strlen(text));
}

static void
an_id_is_1_to_128_of_its_alphabet(void **state)
{
	assert_true(id_ok("a") && id_ok("AZaz09._:-") && id_ok(".") && id_ok(repeated(*state, "x", 128)));
	assert_false(id_ok("") || id_ok(repeated(*state, "x", 129)));
	for (int byte = 1; byte < 256; byte++) {
		char text[] = {'a', (char)byte, 0};
		bool allowed = byte < 128 && strchr("._:-", byte);

		allowed = allowed || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z')
			  || (byte >= 'A' && byte <= 'Z');
		if (id_ok(text) != allowed)
			fail_msg("byte %d", byte);
	}
	assert_false(request_id_valid("a\0b", 3));
	assert_false(request_id_valid("a\0", 2));
	assert_false(request_id_valid(NULL, 0));
}

static void
a_tenant_has_no_slash_and_no_upper_case(void **state)
{
	assert_true(tenant_ok("a") && tenant_ok("acme-eu_1") && tenant_ok(repeated(*state, "x", 64)));
	assert_false(tenant_ok("") || tenant_ok(repeated(*state, "x", 65)) || tenant_ok("Acme")
		     || tenant_ok("a/b") || tenant_ok("a.b") || tenant_ok("a:b") || tenant_ok("a b")
		     || tenant_ok("é"));
	assert_false(request_tenant_valid("a\0", 2));
}

static void
a_tenant_cannot_speak_over_anothers_key(void **state)
{
	assert_string_equal(request_key(*state, "default", "r-1"), "r-1");
	assert_string_equal(request_key(*state, "acme", "r-1"), "acme/r-1");
	assert_string_equal(request_key(*state, "acme", "default"), "acme/default");
	assert_false(id_ok("acme/r-1")); /* so no id of tenant default is another tenant's key */
}

static void
slots_are_those_of_kafkas_clients(void **state)
{
	/* UtilsTest.testMurmur2 of Apache Kafka */
	static const struct {
		const char *key;
		int32_t hash;
	} cases[] = {
	    {"21", -973932308},
	    {"foobar", -790332482},
	    {"a-little-bit-long-string", -985981536},
	    {"a-little-bit-longer-string", -1486304829},
	    {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
	    {"abc", 479470107},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t positive = (uint32_t)cases[i].hash & 0x7fffffffu;

		assert_int_equal(request_key_slot(cases[i].key, 0x80000000u), positive);
		assert_int_equal(request_key_slot(cases[i].key, 6), positive % 6);
		assert_int_equal(request_key_slot(cases[i].key, 1), 0);
	}
	assert_int_equal(request_key_slot("", 0x80000000u),
			 275646681); /* librdkafka's own value for an empty key */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_id_is_1_to_128_of_its_alphabet),
	    cmocka_unit_test(a_tenant_has_no_slash_and_no_upper_case),
	    cmocka_unit_test(a_tenant_cannot_speak_over_anothers_key),
	    cmocka_unit_test(slots_are_those_of_kafkas_clients),
	};

	return cmocka_run_group_tests_name("request_key", tests, open_arena, close_arena);
}
