/* SPDX-License-Identifier: Apache-2.0 */
/* test_properties.c - the properties of properties.h over many rule sets: test_properties [COUNT [SEED]]. Broken copies first. */
#include "tests/properties/layers.h"
#include "tests/properties/properties.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SETS = 20000, FLAWED_SETS = 600, SEED = 20261130 };

/* ------------------------------------------------------------------ many */

static size_t
print(const char *title, const struct tally *tally)
{
	size_t all = 0;

	printf("# %s: %zu rule sets (%zu too dear to load), decisions %zu ALLOW, %zu REQUIRE_APPROVAL, %zu "
	       "BLOCK; %zu with errors, "
	       "%zu out of units\n",
	       title, tally->sets, tally->refused, tally->verdicts[0], tally->verdicts[1], tally->verdicts[2],
	       tally->errors, tally->exhausted);
	for (size_t i = 0; i < PROPERTIES; i++) {
		if (tally->comparisons[i])
			printf("#   %-14s %9zu comparisons, %zu violations\n", property_names[i],
			       tally->comparisons[i], tally->violations[i]);
		all += tally->violations[i];
	}
	fflush(stdout);
	return all;
}

/* Every property is tried, and on all kinds of decisions. */
static bool
is_wide(const struct tally *tally)
{
	bool wide = tally->refused * 20 < tally->sets;

	for (size_t i = 0; i < PROPERTIES; i++)
		wide = wide && tally->comparisons[i] >= tally->sets / 50;
	for (size_t i = 0; i < 3; i++)
		wide = wide && tally->verdicts[i] >= tally->sets / 10;
	return wide && tally->errors >= tally->sets / 10 && tally->exhausted >= tally->sets / 5000;
}

static bool
holds_always(struct arena *arena, uint64_t seed, size_t count)
{
	struct tally tally = {0};

	for (size_t i = 0; i < count; i++) {
		properties_try(arena, seed + i, false, FLAW_NONE, &tally);
		for (size_t p = 0; p < PROPERTIES; p++)
			if (tally.violations[p])
				count = i;
	}

	size_t violations = print("the product", &tally);

	if (violations == 0 && count >= FLAWED_SETS && !is_wide(&tally)) {
		printf("# the rule sets are too much alike\n");
		return false;
	}
	return violations == 0;
}

/* The broken copies are found out by the property that is about what is broken. */
static bool
finds(struct arena *arena, enum flaw flaw)
{
	static const struct {
		const char *title;
		enum property by[3];
	} flaws[FLAW_COUNT] = {
	    [FLAW_NONE] = {"the copy as it should be", {0}},
	    [FLAW_NOTHING_RAISES] = {"a copy without step 2", {Q3, Q4, SLOW}},
	    [FLAW_ERRORS_MATCH] = {"a copy in which what errs matches", {Q3, Q3, Q3}},
	    [FLAW_ALLOW_ERRORS_COUNT] = {"a copy in which an ALLOW that errs counts", {Q3, Q3, Q3}},
	    [FLAW_ASKS_WHO_COUNTS] = {"a copy that does not ask who raises", {Q3, Q4, Q4}},
	    [FLAW_FIRST_WINS] = {"a copy in which the first rule wins", {Q1, Q2, Q1}},
	};
	struct tally tally = {0};

	for (size_t i = 0; i < FLAWED_SETS; i++)
		properties_try(arena, 1 + i, true, flaw, &tally);

	size_t violations = print(flaws[flaw].title, &tally);

	if (flaw == FLAW_NONE)
		return violations == 0;
	for (size_t i = 0; i < 3; i++)
		if (tally.violations[flaws[flaw].by[i]] == 0)
			return false;
	return true;
}

/* ------------------------------------------------------------------ several documents */

static struct layers_tally
try_layers(struct arena *arena, uint64_t seed, size_t count, enum layers_flaw flaw)
{
	struct layers_tally tally = {0};

	for (size_t i = 0; i < count; i++) {
		layers_try(arena, seed + i, flaw, &tally);
		for (size_t p = 0; p < LAYERS_PROPERTIES && flaw == LAYERS_SOUND; p++)
			if (tally.violations[p])
				count = i;
	}
	return tally;
}

static void
print_layers(const char *title, const struct layers_tally *tally)
{
	printf(
	    "# %s: %zu pairs of documents, decisions %zu ALLOW, %zu REQUIRE_APPROVAL, %zu BLOCK; %zu of two "
	    "minds\n",
	    title, tally->sets, tally->verdicts[0], tally->verdicts[1], tally->verdicts[2], tally->mixed);
	for (size_t i = 0; i < LAYERS_PROPERTIES; i++)
		if (tally->comparisons[i])
			printf("#   %-14s %9zu comparisons, %zu violations\n", layers_property_names[i],
			       tally->comparisons[i], tally->violations[i]);
	fflush(stdout);
}

/* The broken ones are found out, the product is not. */
static bool
layers_hold(struct arena *arena, uint64_t seed, size_t count, bool alone)
{
	static const char *const flaws[LAYERS_FLAWS] = {
	    [LAYERS_SOUND] = "layers",
	    [LAYERS_LAST_WINS] = "layers of which the last wins",
	    [LAYERS_DEFAULT_YIELDS] = "layers without floors",
	    [LAYERS_PROFILES_MIXED] = "layers that ask equal names once",
	    [LAYERS_CONTEXT_OF_LAST] = "layers that look at the tenant's declarations alone",
	    [LAYERS_SHADOW_COUNTS] = "a shadow that counts",
	};
	bool good = true;

	for (int flaw = LAYERS_SOUND + 1; flaw < LAYERS_FLAWS && !alone; flaw++) {
		struct layers_tally tally = try_layers(arena, 1, FLAWED_SETS, (enum layers_flaw)flaw);

		print_layers(flaws[flaw], &tally);
		good = good
		       && tally.violations[flaw == LAYERS_SHADOW_COUNTS ? LAYERS_SHADOW : LAYERS_LOOSENS] > 0;
	}

	struct layers_tally tally = try_layers(arena, seed, count, LAYERS_SOUND);
	bool wide = count < FLAWED_SETS || tally.mixed * 10 > tally.sets;

	print_layers(flaws[LAYERS_SOUND], &tally);
	for (size_t i = 0; i < LAYERS_PROPERTIES; i++) {
		wide = wide && (count < FLAWED_SETS || tally.comparisons[i] * 2 > tally.sets);
		good = good && tally.violations[i] == 0;
	}
	for (size_t i = 0; i < 3; i++)
		wide = wide && (count < FLAWED_SETS || tally.verdicts[i] * 50 > tally.sets);
	if (!wide)
		printf("# the pairs are too much alike\n");
	return good && wide;
}

static uint64_t
number_of(const char *text)
{
	char *end;

	errno = 0;

	unsigned long long number = strtoull(text, &end, 10);

	if (errno || end == text || *end) {
		fprintf(stderr, "not a number: %s\n", text);
		exit(2);
	}
	return number;
}

int
main(int argc, char **argv)
{
	struct arena *arena = arena_open();
	size_t count = argc > 1 ? number_of(argv[1]) : SETS, failed = 0;
	uint64_t seed = argc > 2 ? number_of(argv[2]) : SEED;
	bool alone = argc > 2 && count == 1;

	printf("# properties of policies with conditions: COUNT=%zu SEED=%llu\n", count,
	       (unsigned long long)seed);
	for (int flaw = FLAW_NONE; flaw < FLAW_COUNT && !alone; flaw++) {
		bool found = finds(arena, (enum flaw)flaw);

		failed += !found;
		if (!found)
			printf("# that is not what should be found\n");
	}
	failed += !holds_always(arena, seed, count);
	failed += !layers_hold(arena, seed, count, alone);
	printf("# %s\n", failed ? "FAILED" : "0 violations");
	arena_close(arena);
	return failed != 0;
}
