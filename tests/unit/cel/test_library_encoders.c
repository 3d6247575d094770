/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_encoders.c - base64 in expressions. */
#include "tests/unit/cel/evaluate.h"

static void
goes_there_and_back(void **state)
{
	(void)state;
	ALL_TRUE(
	    "base64.encode(b'') == ''", "base64.encode(b'f') == 'Zg=='", "base64.encode(b'fo') == 'Zm8='",
	    "base64.encode(b'foo') == 'Zm9v'", "base64.encode(b'foob') == 'Zm9vYg=='",
	    "base64.encode(b'\\xfb\\xff\\xfe') == '+//+'", "base64.decode('') == b''",
	    "base64.decode('Zg==') == b'f'", "base64.decode('Zg') == b'f'", "base64.decode('Zm8=') == b'fo'",
	    "base64.decode('Zm8') == b'fo'", "base64.decode('Zm9vYmFy') == b'foobar'",
	    "base64.decode('+//+') == b'\\xfb\\xff\\xfe'",
	    "base64.decode(base64.encode(b'\\x00\\x01\\x7f\\x80\\xff')) == b'\\x00\\x01\\x7f\\x80\\xff'");
}

static void
each_value_has_one_text(void **state)
{
	(void)state;
	ALL_FAIL("conversion", "base64.decode('Z')", "base64.decode('Zg=')", "base64.decode('Zg===')",
		 "base64.decode('Zm8==')", "base64.decode('Zm9v=')", "base64.decode('Zm9v====')",
		 "base64.decode('=')", "base64.decode('====')", "base64.decode('Zh==')",
		 "base64.decode('Zm9=')", "base64.decode('Zm 9v')", "base64.decode('Zm9v\\n')",
		 "base64.decode('-__-')", "base64.decode('Zm\\x009')", "base64.decode('Zg==Zg==')",
		 "base64.decode('é===')");
	ALL_FAIL("no_such_overload", "base64.encode(dyn('a'))", "base64.decode(dyn(b'a'))");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(goes_there_and_back),
	    cmocka_unit_test(each_value_has_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
