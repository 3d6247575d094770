/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_headers.c - the headers of an event as the database holds them, read by the relay before it publishes. */
#include "services/relay/relay.h"
#include "tests/fuzz/fuzz.h"

int
FUZZ_TARGET(headers)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	const char *stored = fuzz_string(arena, bytes, length);
	const struct record_header *headers;
	struct value *list = value_list(arena);
	struct error error = {0};
	size_t count = 0, again = 0;

	if (stored && relay_headers(arena, stored, 31, INT64_MAX, &headers, &count, &error)) {
		assert(count >= 2 && strcmp(headers[count - 2].name, "countersign-chain") == 0
		       && strcmp(headers[count - 1].name, "countersign-sequence") == 0);
		assert(strcmp(headers[count - 1].value, "9223372036854775807") == 0);
		for (size_t i = 0; i < count - 2; i++) {
			struct value *pair = value_list(arena);

			assert(headers[i].name && headers[i].value
			       && strlen(headers[i].value) == headers[i].length);
			value_append(arena, pair, value_string(arena, headers[i].name));
			value_append(arena, pair, value_string(arena, headers[i].value));
			value_append(arena, list, pair);
		}

		struct text text = fuzz_canonical(arena, list);
		bool ok =
		    text.length > 65536 || relay_headers(arena, text.bytes, 0, 1, &headers, &again, &error);

		assert(ok && (text.length > 65536 || again == count));
	} else if (stored) {
		assert(error.kind == ERROR_BROKEN && strcmp(error.code, "ledger") == 0);
		assert(fuzz_one_line(error.text));
	}
	arena_close(arena);
	return 0;
}
