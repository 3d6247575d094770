/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jws_pairs.c - our side of comparing signatures. `jws_pairs sign FILE COUNT` makes keys (at FILE, removed again) and prints
 * lines "x typ payload attached detached"; `jws_pairs verify` reads such lines and prints one "yes" or "no" for each.
 * x and payload are base64url.
 */
#include "common/jws/jws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAYLOAD_MAX = 300 };

static bool
print_signatures(struct arena *arena, const char *path, size_t number)
{
	const char *typ = arena_format(arena, "oracle-%zu+jwt", number);
	struct error error = {0};
	struct crypto_key *key = crypto_key_generate(path, &error);
	uint8_t payload[PAYLOAD_MAX];
	size_t length = 1 + number % PAYLOAD_MAX;

	unlink(path);
	if (!key) {
		fprintf(stderr, "%s\n", error.text);
		return false;
	}
	crypto_random(payload, length);
	printf("%s %s %s %s %s\n",
	       crypto_base64url_format(arena, crypto_key_public(key), CRYPTO_ED25519_PUBLIC_SIZE), typ,
	       crypto_base64url_format(arena, payload, length), jws_sign(arena, key, typ, payload, length),
	       jws_sign_detached(arena, key, typ, payload, length));
	crypto_key_close(key);
	return true;
}

/* The parts of a line, of which the text is cut up. */
struct pair {
	const char *x, *typ, *payload, *attached, *detached;
};

static bool
split(char *line, struct pair *pair)
{
	const char **parts[] = {&pair->x, &pair->typ, &pair->payload, &pair->attached, &pair->detached};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!(*parts[i] = strsep(&line, " \n")))
			return false;
	return true;
}

static bool
verify(struct arena *arena, const struct pair *pair)
{
	size_t key_length, length;
	const uint8_t *key = crypto_base64url_parse(arena, pair->x, strlen(pair->x), &key_length);
	const uint8_t *payload = crypto_base64url_parse(arena, pair->payload, strlen(pair->payload), &length);
	struct jws attached, detached;
	struct error error = {0};

	return key && key_length == CRYPTO_ED25519_PUBLIC_SIZE && payload
	       && jws_parse(arena, pair->attached, strlen(pair->attached), pair->typ, false, &attached, &error)
	       && jws_verify(arena, &attached, key, NULL, 0) && attached.payload_length == length
	       && memcmp(attached.payload, payload, length) == 0
	       && jws_parse(arena, pair->detached, strlen(pair->detached), pair->typ, true, &detached, &error)
	       && jws_verify(arena, &detached, key, payload, length);
}

static bool
answer_lines(struct arena *arena)
{
	char *line = NULL;
	size_t size = 0;
	struct pair pair;
	bool ok = true;

	while (ok && getline(&line, &size, stdin) > 0) {
		ok = split(line, &pair);
		if (ok)
			puts(verify(arena, &pair) ? "yes" : "no");
		arena_reset(arena);
	}
	free(line);
	return ok;
}

int
main(int argc, char **argv)
{
	struct arena *arena = arena_open();
	bool ok = true;

	if (argc == 4 && strcmp(argv[1], "sign") == 0) {
		for (size_t number = 0; ok && number < strtoull(argv[3], NULL, 10); number++) {
			ok = print_signatures(arena, argv[2], number);
			arena_reset(arena);
		}
	} else if (argc == 2 && strcmp(argv[1], "verify") == 0) {
		ok = answer_lines(arena);
	} else {
		ok = false;
		fprintf(stderr, "usage: jws_pairs sign FILE COUNT | jws_pairs verify\n");
	}
	arena_close(arena);
	return ok ? 0 : 1;
}
