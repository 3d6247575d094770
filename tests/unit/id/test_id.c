/* SPDX-License-Identifier: Apache-2.0 */
/* test_id.c - derived ids are the same for ever, and differ as soon as any part does. */
#include "common/id/id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <uuid/uuid.h>
#include <cmocka.h>

#define DERIVE(...) derive((const char *const[]){__VA_ARGS__, NULL})

static struct id
derive(const char *const *parts)
{
	size_t count = 0;

	while (parts[count])
		count++;
	return id_derive(parts, count);
}

/* RFC 9562 A.4: the library's version 5 is the published one. */
static void
the_algorithm_gives_the_published_value(void **state)
{
	uuid_t uuid;
	char text[ID_TEXT_SIZE];

	(void)state;
	uuid_generate_sha1(uuid, *uuid_get_template("dns"), "www.example.com", strlen("www.example.com"));
	uuid_unparse_lower(uuid, text);
	assert_string_equal(text, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}

/* The same values by Python: uuid.UUID(bytes=hashlib.sha1(namespace.bytes + name).digest()[:16], version=5). */
static void
derived_ids_never_change(void **state)
{
	(void)state;
	assert_string_equal(DERIVE("a", "bc").text, "12cb65b2-092c-5679-910e-7bbd034d1669");
	assert_string_equal(id_derive(NULL, 0).text, "a360d751-a1ba-5ead-9065-b6dacf11d04d");
	assert_string_equal(id_event("default", "r1", "granted", 1).text,
			    "4613e5e2-9274-5aa4-81de-c6c76fb30f9c");
	assert_string_equal(id_event("default", "r1", "granted", INT64_MIN).text,
			    "75e192a3-dbd0-57a2-a024-c5f22ffae4fa");
}

static void
where_a_part_ends_makes_a_difference(void **state)
{
	(void)state;
	assert_string_not_equal(DERIVE("a", "bc").text, DERIVE("ab", "c").text);
	assert_string_not_equal(DERIVE("a", "b").text, DERIVE("ab").text);
	assert_string_not_equal(DERIVE("", "ab").text, DERIVE("ab", "").text);
	assert_string_not_equal(DERIVE("ab").text, DERIVE("ab", "").text);
}

static void
an_event_id_is_the_id_of_its_four_parts(void **state)
{
	struct id event = id_event("acme", "r1", "granted", 12);

	(void)state;
	assert_string_equal(event.text, DERIVE("acme", "r1", "granted", "12").text);
	assert_string_equal(id_event("acme", "r1", "granted", -1).text,
			    DERIVE("acme", "r1", "granted", "-1").text);
	assert_string_not_equal(event.text, id_event("acme", "r1", "granted", 1).text);
	assert_string_not_equal(event.text, id_event("acme", "r1", "denied", 12).text);
	assert_string_not_equal(event.text, id_event("acme", "r2", "granted", 12).text);
	assert_string_not_equal(event.text, id_event("other", "r1", "granted", 12).text);
}

static void
check_form(const char *text, char version)
{
	uuid_t uuid;
	char again[ID_TEXT_SIZE];

	assert_int_equal(strlen(text), 36);
	assert_int_equal(text[14], version);
	assert_non_null(strchr("89ab", text[19]));
	assert_int_equal(uuid_parse(text, uuid), 0);
	uuid_unparse_lower(uuid, again);
	assert_string_equal(text, again);
}

static void
ids_are_lower_case_text_of_their_version(void **state)
{
	(void)state;
	check_form(DERIVE("a", "bc").text, '5');
	check_form(id_random().text, '4');
}

static void
random_ids_differ(void **state)
{
	struct id one = id_random(), other = id_random();

	(void)state;
	assert_string_not_equal(one.text, other.text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_algorithm_gives_the_published_value),
	    cmocka_unit_test(derived_ids_never_change),
	    cmocka_unit_test(where_a_part_ends_makes_a_difference),
	    cmocka_unit_test(an_event_id_is_the_id_of_its_four_parts),
	    cmocka_unit_test(ids_are_lower_case_text_of_their_version),
	    cmocka_unit_test(random_ids_differ),
	};

	return cmocka_run_group_tests_name("id", tests, NULL, NULL);
}
