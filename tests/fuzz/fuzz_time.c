/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_time.c - RFC 3339: what is read is in range, and its text is read as the same instant; order is kept. */
#include "common/message/rfc3339.h"
#include "tests/fuzz/fuzz.h"

int
FUZZ_TARGET(time)(const uint8_t *bytes, size_t length)
{
	int64_t time = -1, again = -1, next = -1;
	char text[RFC3339_SIZE], later[RFC3339_SIZE];

	if (!rfc3339_parse((const char *)bytes, length, &time)) {
		assert(time == -1);
		return 0;
	}
	assert(time >= 0 && time < INT64_C(253402300800) * 1000000);
	rfc3339_format(time, text);

	bool ok = rfc3339_parse(text, strlen(text), &again);

	assert(ok && again == time && strlen(text) == RFC3339_SIZE - 1);
	if (time + 1 < INT64_C(253402300800) * 1000000) {
		rfc3339_format(time + 1, later);
		ok = rfc3339_parse(later, strlen(later), &next);
		assert(ok && next == time + 1 && strcmp(text, later) < 0);
	}
	/* the first four digits are the year, but for what an offset moves across its end */
	if (memcmp(text, bytes, 4) != 0)
		assert(bytes[length - 1] != 'Z' && bytes[length - 1] != 'z');
	return 0;
}
