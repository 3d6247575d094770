/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what the targets share. A target is one file fuzz_<name>.c with one FUZZ_TARGET: libFuzzer's entry when clang
 * builds it for `make fuzz`, a plain function when gcc builds it for the replay of the kept inputs (replay.c). Targets
 * assert what must hold for every input; that nothing crashes is the sanitizers' part.
 */
#ifndef COUNTERSIGN_TESTS_FUZZ_H
#define COUNTERSIGN_TESTS_FUZZ_H

#include "common/crypto/crypto.h"
#include "common/message/record.h"
#include "common/value/value.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Every target, in the order of replay. */
#define FUZZ_EACH(target)                                                                                    \
	target(request) target(response) target(outcome) target(envelope) target(decide) target(policy)      \
	    target(document) target(context) target(pattern) target(json) target(number) target(jws)         \
		target(keys) target(token) target(time) target(config) target(headers) target(targets)       \
		    target(webhook) target(address) target(card) target(cel_parse) target(cel_run)           \
			target(conditions) target(approval)

#ifdef FUZZ_LIBFUZZER
#define FUZZ_TARGET(name) LLVMFuzzerTestOneInput
#else
#define FUZZ_TARGET(name) fuzz_##name
#endif
#define FUZZ_DECLARE(name) int FUZZ_TARGET(name)(const uint8_t *bytes, size_t length);
FUZZ_EACH(FUZZ_DECLARE)

/*
 * An input as a record: lines, an empty line, and behind it the value, byte for byte and borrowed. The lines:
 *   key TEXT, header NAME=VALUE (no "=": a header without value), append MICROSECONDS, sign
 * "sign" asks for a signature header over the value by fuzz_key. Other lines are passed over. Without the empty line there is
 * no value.
 */
enum { FUZZ_HEADERS = 80 };
struct fuzz_record {
	struct record record;
	struct record_header headers[FUZZ_HEADERS + 1]; /* room for a signature */
	bool sign;
};
struct fuzz_record *fuzz_record(struct arena *arena, const uint8_t *bytes, size_t length);
/* Adds the detached signature of the value by fuzz_key. */
void fuzz_sign(struct arena *arena, struct fuzz_record *input, const char *typ);

/* The published key of RFC 8037 A.1, read once. */
const struct crypto_key *fuzz_key(void);

/* Everything up to the byte, or all; the rest starts behind it. For inputs of several texts. */
struct text fuzz_split(struct text *rest, char byte);
/* The input as a C string, in the arena; NULL when it holds a NUL. */
char *fuzz_string(struct arena *arena, const uint8_t *bytes, size_t length);

/* The RFC 8785 form of a value that must have one. */
struct text fuzz_canonical(struct arena *arena, const struct value *value);
bool fuzz_same(struct text left, struct text right);
/* Both NULL, or equal. */
bool fuzz_equal(const char *left, const char *right);
/* Well-formed UTF-8 without a character that breaks a line. */
bool fuzz_one_line(const char *text);
/* An error of this kind says in a word, a path and a line what is wrong, and never with raw bytes of the input. */
void fuzz_refused(const struct error *error, enum error_kind kind);

#endif
