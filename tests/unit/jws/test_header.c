/* SPDX-License-Identifier: Apache-2.0 */
/* test_header.c - the three strings of a protected header, and every other text refused. */
#include "common/jws/header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KID "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"

static void
the_three_strings_are_read_in_any_order(void **state)
{
	static const char *const texts[] = {
	    "{\"alg\":\"EdDSA\",\"kid\":\"" KID "\",\"typ\":\"a+b\"}",
	    "{\"typ\":\"a+b\",\"alg\":\"EdDSA\",\"kid\":\"" KID "\"}",
	    " {\r\n\t\"kid\" : \"" KID "\" , \"typ\":\"a+b\",\n\"alg\":\"EdDSA\" } \n",
	};
	struct jws_header header;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_true(jws_header_parse(texts[i], strlen(texts[i]), &header));
		assert_string_equal(header.alg, "EdDSA");
		assert_string_equal(header.kid, KID);
		assert_string_equal(header.typ, "a+b");
	}
}

static void
what_is_written_is_read_back(void **state)
{
	struct arena *arena = arena_open();
	const char *text = jws_header_format(arena, KID, "countersign-response");
	struct jws_header header;

	(void)state;
	assert_string_equal(text, "{\"alg\":\"EdDSA\",\"kid\":\"" KID "\",\"typ\":\"countersign-response\"}");
	assert_true(jws_header_parse(text, strlen(text), &header));
	assert_string_equal(header.typ, "countersign-response");
	arena_close(arena);
}

static void
no_other_text_is_a_header(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
	    {"", "nothing"},
	    {"{}", "no members"},
	    {"[]", "a list"},
	    {"{\"alg\":\"a\",\"kid\":\"b\"}", "typ is missing"},
	    {"{\"alg\":\"a\",\"typ\":\"c\"}", "kid is missing"},
	    {"{\"kid\":\"b\",\"typ\":\"c\"}", "alg is missing"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\",\"crit\":[\"exp\"]}", "crit"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\",\"cty\":\"d\"}", "cty"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"crit\":\"c\"}", "crit in the place of typ"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\",\"jwk\":{}}", "a key that the sender chose"},
	    {"{\"alg\":\"a\",\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}", "alg twice"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"kid\":\"c\"}", "kid twice"},
	    {"{\"alg\":\"\",\"alg\":\"a\",\"kid\":\"b\"}", "alg twice, first empty"},
	    {"{\"alg\":\"a\",\"kid\":\"\",\"typ\":\"c\"}", "an empty kid"},
	    {"{\"ALG\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}", "another case"},
	    {"{\"a\\u006cg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}", "an escaped name"},
	    {"{\"alg\":\"\\u0061\",\"kid\":\"b\",\"typ\":\"c\"}", "an escape"},
	    {"{\"alg\":\"a\\\"\",\"kid\":\"b\",\"typ\":\"c\"}", "an escaped quote"},
	    {"{\"alg\":\"a\",\"kid\":\"b\n\",\"typ\":\"c\"}", "a control character"},
	    {"{\"alg\":\"a\",\"kid\":\"\xc3\xa9\",\"typ\":\"c\"}", "a character that is not ASCII"},
	    {"{\"alg\":1,\"kid\":\"b\",\"typ\":\"c\"}", "a number"},
	    {"{\"alg\":null,\"kid\":\"b\",\"typ\":\"c\"}", "null"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":[\"c\"]}", "a list inside"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\",}", "a comma behind the last"},
	    {"{,\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}", "a comma before the first"},
	    {"{\"alg\":\"a\" \"kid\":\"b\",\"typ\":\"c\"}", "no comma"},
	    {"{\"alg\" \"a\",\"kid\":\"b\",\"typ\":\"c\"}", "no colon"},
	    {"{'alg':'a','kid':'b','typ':'c'}", "other quotes"},
	    {"{alg:\"a\",\"kid\":\"b\",\"typ\":\"c\"}", "a name without quotes"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"", "no end"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c", "no end of a string"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}}", "more behind it"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}{}", "another object behind it"},
	    {"\xef\xbb\xbf{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}", "a byte order mark"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}\v", "white space that is not JSON's"},
	    {"{\"alg\":\"0123456789abcdef\",\"kid\":\"b\",\"typ\":\"c\"}", "an alg that does not fit"},
	    {"{\"alg\":\"a\",\"kid\":\"" KID "x\",\"typ\":\"c\"}", "a kid that does not fit"},
	    {"{\"alg\":\"a\",\"kid\":\"b\",\"typ\":"
	     "\"0123456789012345678901234567890123456789012345678901234567890123\"}",
	     "a typ that does not fit"},
	};
	struct jws_header header;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (jws_header_parse(cases[i].text, strlen(cases[i].text), &header))
			fail_msg("taken: %s", cases[i].why);
}

static void
a_nul_byte_is_no_end(void **state)
{
	static const char inside[] = "{\"alg\":\"a\0\",\"kid\":\"b\",\"typ\":\"c\"}";
	static const char behind[] = "{\"alg\":\"a\",\"kid\":\"b\",\"typ\":\"c\"}\0";
	struct jws_header header;

	(void)state;
	assert_false(jws_header_parse(inside, sizeof inside - 1, &header));
	assert_false(jws_header_parse(behind, sizeof behind - 1, &header));
	assert_true(jws_header_parse(behind, sizeof behind - 2, &header));
}

static void
every_cut_of_a_header_is_refused(void **state)
{
	static const char text[] = "{\"alg\":\"EdDSA\",\"kid\":\"" KID "\",\"typ\":\"t\"}";
	struct jws_header header;

	(void)state;
	for (size_t length = 0; length < sizeof text - 1; length++) {
		char *cut = memory_take(length); /* so that a sanitizer sees a read behind it */

		memcpy(cut, text, length);
		assert_false(jws_header_parse(cut, length, &header));
		free(cut);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_three_strings_are_read_in_any_order),
	    cmocka_unit_test(what_is_written_is_read_back),
	    cmocka_unit_test(no_other_text_is_a_header),
	    cmocka_unit_test(a_nul_byte_is_no_end),
	    cmocka_unit_test(every_cut_of_a_header_is_refused),
	};

	return cmocka_run_group_tests_name("header", tests, NULL, NULL);
}
