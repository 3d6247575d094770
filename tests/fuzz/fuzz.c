/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.c - inputs taken apart, and the checks that several targets make. */
#include "tests/fuzz/fuzz.h"

#include "common/canonical/canonical.h"
#include "common/jws/jws.h"
#include "common/visible/characters.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct text
fuzz_split(struct text *rest, char byte)
{
	const char *end = rest->length ? memchr(rest->bytes, byte, rest->length) : NULL;
	struct text part = {rest->bytes, end ? (size_t)(end - rest->bytes) : rest->length};
	size_t step = part.length + (end ? 1 : 0);

	rest->bytes += step;
	rest->length -= step;
	return part;
}

char *
fuzz_string(struct arena *arena, const uint8_t *bytes, size_t length)
{
	return length && memchr(bytes, '\0', length) ? NULL : arena_copy(arena, bytes, length);
}

static bool
skip_word(struct text *line, const char *word)
{
	size_t length = strlen(word);

	if (line->length < length || memcmp(line->bytes, word, length) != 0)
		return false;
	line->bytes += length;
	line->length -= length;
	return true;
}

static void
add_header(struct arena *arena, struct fuzz_record *input, struct text line)
{
	bool has_value = memchr(line.bytes, '=', line.length) != NULL;
	struct text name = fuzz_split(&line, '=');

	if (input->record.header_count == FUZZ_HEADERS)
		return;
	input->headers[input->record.header_count++] =
	    (struct record_header){.name = arena_copy(arena, name.bytes, name.length),
				   .value = has_value ? arena_copy(arena, line.bytes, line.length) : NULL,
				   .length = has_value ? line.length : 0};
}

static void
read_line(struct arena *arena, struct fuzz_record *input, struct text line)
{
	if (skip_word(&line, "key ")) {
		input->record.key = line.bytes;
		input->record.key_length = line.length;
	} else if (skip_word(&line, "header ")) {
		add_header(arena, input, line);
	} else if (skip_word(&line, "append ")) {
		input->record.timestamp = strtoll(arena_copy(arena, line.bytes, line.length), NULL, 10);
		input->record.timestamp_is_append = true;
	} else if (skip_word(&line, "sign")) {
		input->sign = true;
	}
}

struct fuzz_record *
fuzz_record(struct arena *arena, const uint8_t *bytes, size_t length)
{
	struct fuzz_record *input = arena_take(arena, sizeof *input);
	struct text rest = {(const char *)bytes, length};

	input->record =
	    (struct record){.topic = "countersign.fuzz", .timestamp = -1, .headers = input->headers};
	while (rest.length) {
		struct text line = fuzz_split(&rest, '\n');

		if (line.length == 0) {
			input->record.value = rest.bytes;
			input->record.value_length = rest.length;
			break;
		}
		read_line(arena, input, line);
	}
	return input;
}

void
fuzz_sign(struct arena *arena, struct fuzz_record *input, const char *typ)
{
	const struct record *record = &input->record;
	const char *signature = jws_sign_detached(
	    arena, fuzz_key(), typ, record->value_length ? record->value : "", record->value_length);

	input->headers[input->record.header_count++] =
	    (struct record_header){.name = "signature", .value = signature, .length = strlen(signature)};
}

const struct crypto_key *
fuzz_key(void)
{
	static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
				  "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
				  "-----END PRIVATE KEY-----\n";
	static struct crypto_key *key;
	char path[] = "/tmp/countersign-fuzz-key-XXXXXX";
	struct error error = {0};

	if (key)
		return key;

	int fd = mkstemp(path);

	if (fd < 0 || fchmod(fd, S_IRUSR | S_IWUSR) != 0 || write(fd, pem, sizeof pem - 1) < 0)
		abort();
	close(fd);
	key = crypto_key_load(path, &error);
	unlink(path);
	assert(key);
	return key;
}

struct text
fuzz_canonical(struct arena *arena, const struct value *value)
{
	struct buffer text = {.arena = arena};
	struct error error = {0};
	bool ok = canonical_format(&text, value, &error);

	assert(ok);
	return (struct text){text.bytes, text.length};
}

bool
fuzz_same(struct text left, struct text right)
{
	return left.length == right.length && memcmp(left.bytes, right.bytes, left.length) == 0;
}

bool
fuzz_equal(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

bool
fuzz_one_line(const char *text)
{
	size_t length = strlen(text);
	uint32_t point;

	for (size_t at = 0, step; at < length; at += step) {
		step = value_utf8_decode(text + at, length - at, &point);
		if (step == 0 || character_breaks_line(point))
			return false;
	}
	return true;
}

void
fuzz_refused(const struct error *error, enum error_kind kind)
{
	assert(error->kind == kind);
	assert(error->code[0] && error->code[strspn(error->code, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0);
	assert(error->text[0] && fuzz_one_line(error->text));
	assert(fuzz_one_line(error->field));
}
