/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger.c - the hash of a batch against a value computed elsewhere, and that no two batches share one. */
#include "common/ledger/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct ledger_entry first_entry = {
    .sequence = 41,
    .event_id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    .topic = "authorizations",
    .key = "request-1",
    .headers = "[[\"ce_id\",\"x\"]]",
    .payload = "{\"a\":\"\xc3\xa9\"}",
    .payload_length = 10,
};
static const struct ledger_entry second_entry = {
    .sequence = 42,
    .event_id = "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
    .topic = "approvals",
    .key = "",
    .headers = "[]",
    .payload = "",
    .payload_length = 0,
};

struct batch {
	uint8_t prev_hash[CRYPTO_SHA256_SIZE];
	uint32_t chain;
	int64_t first, last, created_at;
	struct ledger_entry entries[2];
};

static struct batch
example(void)
{
	struct batch batch = {.chain = 3, .first = 41, .last = 42, .created_at = INT64_C(1790000000123456)};

	for (int i = 0; i < CRYPTO_SHA256_SIZE; i++)
		batch.prev_hash[i] = (uint8_t)i;
	batch.entries[0] = first_entry;
	batch.entries[1] = second_entry;
	return batch;
}

static void
hash_of(const struct batch *batch, uint8_t digest[CRYPTO_SHA256_SIZE])
{
	struct ledger_hash *hash =
	    ledger_hash_open(batch->prev_hash, batch->chain, batch->first, batch->last, batch->created_at);

	ledger_hash_add(hash, &batch->entries[0]);
	ledger_hash_add(hash, &batch->entries[1]);
	ledger_hash_close(hash, digest);
}

/*
 * Python: field = lambda b: struct.pack(">q", len(b)) + b; number = lambda n: field(struct.pack(">q", n));
 * sha256 over the fields in the order of ledger.h.
 */
static void
the_hash_is_the_one_that_was_computed_elsewhere(void **state)
{
	struct batch batch = example();
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char text[CRYPTO_DIGEST_TEXT_SIZE];

	(void)state;
	hash_of(&batch, digest);
	crypto_digest_text(digest, text);
	assert_string_equal(text, "sha-256:fe9d612472c438be3ea6d7a4ca1fb461a0e94381a407a4bf77dc4f21dac5735f");
}

static void
assert_differs(const struct batch *batch)
{
	struct batch original = example();
	uint8_t digest[CRYPTO_SHA256_SIZE], other[CRYPTO_SHA256_SIZE];

	hash_of(&original, digest);
	hash_of(batch, other);
	assert_memory_not_equal(digest, other, CRYPTO_SHA256_SIZE);
}

static void
every_field_of_the_batch_counts(void **state)
{
	struct batch changed = example();

	(void)state;
	changed.prev_hash[31] ^= 1;
	assert_differs(&changed);
	changed = example();
	changed.chain = 2;
	assert_differs(&changed);
	changed = example();
	changed.first--;
	assert_differs(&changed);
	changed = example();
	changed.last++;
	assert_differs(&changed);
	changed = example();
	changed.created_at++;
	assert_differs(&changed);
}

static void
every_field_of_an_event_counts_and_so_does_their_order(void **state)
{
	struct batch changed = example();

	(void)state;
	changed.entries[0].sequence++;
	assert_differs(&changed);
	changed = example();
	changed.entries[0].event_id = second_entry.event_id;
	assert_differs(&changed);
	changed = example();
	changed.entries[0].topic = "approvals";
	assert_differs(&changed);
	changed = example();
	changed.entries[0].payload_length--;
	assert_differs(&changed);
	changed = example();
	changed.entries[0] = second_entry;
	changed.entries[1] = first_entry;
	assert_differs(&changed);
}

/* Without lengths "ab"+"c" and "a"+"bc" would be one text. */
static void
moving_a_byte_from_one_field_to_the_next_changes_the_hash(void **state)
{
	struct batch changed = example();

	(void)state;
	changed.entries[1].key = "[";
	changed.entries[1].headers = "]";
	assert_differs(&changed);
	changed = example();
	changed.entries[1].topic = "approval";
	changed.entries[1].key = "s";
	assert_differs(&changed);
	changed = example();
	changed.entries[1].headers = "[";
	changed.entries[1].payload = "]";
	changed.entries[1].payload_length = 1;
	assert_differs(&changed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_hash_is_the_one_that_was_computed_elsewhere),
	    cmocka_unit_test(every_field_of_the_batch_counts),
	    cmocka_unit_test(every_field_of_an_event_counts_and_so_does_their_order),
	    cmocka_unit_test(moving_a_byte_from_one_field_to_the_next_changes_the_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
