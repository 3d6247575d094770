/* SPDX-License-Identifier: Apache-2.0 */
/* test_cost_bounds.c - no run counts more than the static estimate: random expressions over values as large as is declared. */
#include "common/cel/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
	struct arena *arena;
	struct cel_env *env;
	struct cel_faults faults;
};

static const struct cel_type *
type(struct fixture *f, const char *text)
{
	struct error error = {0};
	const struct cel_type *parsed = cel_type_parse(f->arena, text, &error);

	assert_non_null(parsed);
	return parsed;
}

static void
declare(struct fixture *f, const char *name, const struct cel_type *of)
{
	struct error error = {0};
	size_t slot;

	assert_true(cel_declare(f->env, name, of, &slot, &error));
}

enum { SLOT_TEXT, SLOT_NUMBER, SLOT_WORDS, SLOT_NUMBERS, SLOT_LABELS, SLOT_CONTEXT, SLOT_ANY, SLOTS };

static int
set_up(void **state)
{
	struct arena *arena = arena_open();
	struct fixture *f = arena_take(arena, sizeof *f);
	struct cel_field *fields = arena_take_array(arena, 2, sizeof *fields);

	f->arena = arena;
	f->env = cel_env_open(arena);
	fields[0] = (struct cel_field){"branch", type(f, "string")};
	fields[1] = (struct cel_field){"tags", type(f, "list<string>")};
	declare(f, "text", type(f, "string"));
	declare(f, "number", type(f, "int"));
	declare(f, "words", type(f, "list<string>"));
	declare(f, "numbers", type(f, "list<int>"));
	declare(f, "labels", type(f, "map<string, string>"));
	declare(f, "context", cel_type_record(arena, fields, 2));
	declare(f, "any", type(f, "dyn"));
	*state = f;
	return 0;
}

static void
declare_sizes(struct fixture *f)
{
	cel_declare_size(f->env, "text", 40);
	cel_declare_size(f->env, "words", 6);
	cel_declare_size(f->env, "words[]", 10);
	cel_declare_size(f->env, "numbers", 7);
	cel_declare_size(f->env, "labels", 5);
	cel_declare_size(f->env, "labels[]", 20);
	cel_declare_size(f->env, "context.branch", 30);
	cel_declare_size(f->env, "context.tags", 4);
	cel_declare_size(f->env, "context.tags[]", 12);
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	cel_env_close(f->env);
	arena_close(f->arena);
	return 0;
}

struct source {
	uint64_t seed;
	char text[1500];
	size_t length;
	unsigned loops; /* around this place */
};

static uint64_t
next(struct source *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed;
}

static unsigned
below(struct source *s, unsigned n)
{
	return (unsigned)((next(s) >> 20) % n);
}

static void
put(struct source *s, const char *text)
{
	size_t length = strlen(text);

	if (s->length + length < sizeof s->text) {
		memcpy(s->text + s->length, text, length + 1);
		s->length += length;
	}
}

static void grow(struct source *s, const char *const *patterns, size_t count, unsigned depth);

/* In patterns B I S L N M D stand for a bool, an int, a string, a list of strings, one of ints, a map, anything; v for a loop's
 * variable. The first three of each kind hold nothing that grows. */
static const char *const bools[] = {
    "true",
    "number > 3",
    "has(context.branch)",
    "B && B",
    "B || B",
    "!B",
    "B ? B : B",
    "S == S",
    "I == I",
    "L == L",
    "N == N",
    "M == M",
    "S < S",
    "S in L",
    "I in N",
    "S in M",
    "S.contains(S)",
    "S.startsWith(S)",
    "S.endsWith(S)",
    "S.matches('a+b')",
    "L.exists(v, B)",
    "L.all(v, v != S)",
    "N.exists_one(v, v > I)",
    "M.all(v, B)",
    "D == D",
    "M.exists(k, v, k == S)",
    "type(D) == string",
    "S.matches(S)",
    "glob(S, S)",
    "isIP(S)",
    "optional.of(S).hasValue()",
    "optional.of(D) == optional.of(D)",
    "[optional.of(S)] == [optional.of(S)]",
    "optional.of(L)[?I] == optional.of(S)",
    "D == S",
};
static const char *const ints[] = {
    "1",
    "number",
    "7",
    "I + I",
    "I * I",
    "size(S)",
    "size(L)",
    "N[I]",
    "S.indexOf(S)",
    "int(S)",
    "math.greatest(I, I, I)",
    "B ? I : I",
    "cel.bind(v, I, v + v)",
    "labels.size()",
    "S.size()",
    "N.sum()",
};
static const char *const strings[] = {
    "'abc'",
    "text",
    "context.branch",
    "S + S",
    "string(I)",
    "L[I]",
    "labels['a']",
    "S.lowerAscii()",
    "S.substring(I)",
    "S.replace(S, S)",
    "L.join(S)",
    "S.trim()",
    "B ? S : S",
    "labels[?S].orValue(S)",
    "'%s %s'.format([D, S])",
    "S.charAt(I)",
    "S.reverse()",
    "strings.quote(S)",
};
static const char *const lists[] = {
    "words",
    "context.tags",
    "['a', 'bb']",
    "L + L",
    "L.map(v, S)",
    "L.filter(v, B)",
    "[S, S]",
    "S.split(S)",
    "labels.map(v, v)",
    "B ? L : L",
    "N.map(v, string(v))",
    "[?labels[?S]]",
    "M.transformList(k, v, k + v)",
};
static const char *const numbers[] = {
    "numbers", "[1, 2]", "[number]", "N + N", "L.map(v, size(v))", "N.filter(v, v > I)", "[I, I, I]",
};
static const char *const maps[] = {
    "labels",	   "{'a': 'b'}",
    "{'x': text}", "M.transformMap(k, v, v + S)",
    "{S: S}",	   "L.transformMap(k, v, v, v)",
};
static const char *const anything[] = {
    "any", "number", "text", "dyn(S)", "any[I]", "any.a", "[D, D]", "dyn(L)", "any.b.c",
};

#define PATTERNS(LETTER, TABLE) {LETTER, TABLE, sizeof TABLE / sizeof TABLE[0]}
static const struct {
	char letter;
	const char *const *patterns;
	size_t count;
} kinds[] = {
    PATTERNS('B', bools),   PATTERNS('I', ints), PATTERNS('S', strings),  PATTERNS('L', lists),
    PATTERNS('N', numbers), PATTERNS('M', maps), PATTERNS('D', anything),
};

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void
expand(struct source *s, const char *pattern, unsigned depth)
{
	for (const char *p = pattern; *p; p++) {
		bool alone = !(p > pattern && is_word(p[-1])) && !is_word(p[1]);
		size_t kind = 0;

		while (kind < sizeof kinds / sizeof kinds[0] && kinds[kind].letter != *p)
			kind++;
		if (!alone || kind == sizeof kinds / sizeof kinds[0]) {
			put(s, (const char[]){*p, '\0'});
			continue;
		}
		put(s, "(");
		grow(s, kinds[kind].patterns, kinds[kind].count, depth + 1);
		put(s, ")");
	}
}

static void
grow(struct source *s, const char *const *patterns, size_t count, unsigned depth)
{
	bool small = depth >= 4 || s->length > 600;

	expand(s, patterns[below(s, small ? 3 : (unsigned)count)], depth);
}

/* Of the declared maximum mostly, for there the estimate is tight. */
static struct cel_value
random_text(struct source *s, struct arena *arena, size_t max)
{
	size_t length = below(s, 3) ? max : below(s, (unsigned)max + 1);
	char *bytes = arena_take(arena, length + 1);

	for (size_t i = 0; i < length; i++)
		bytes[i] = "ab 1"[below(s, 4)];
	return cel_string(bytes, length);
}

static struct cel_value
random_list(struct source *s, struct arena *arena, size_t max, size_t bytes)
{
	size_t count = below(s, 3) ? max : below(s, (unsigned)max + 1);
	struct cel_value *items = arena_take_array(arena, count, sizeof *items);

	for (size_t i = 0; i < count; i++)
		items[i] = bytes ? random_text(s, arena, bytes) : cel_int(below(s, 9));
	return cel_list(arena, items, count);
}

static struct cel_value
random_map(struct source *s, struct arena *arena, size_t max, size_t bytes)
{
	size_t count = below(s, (unsigned)max + 1);
	struct cel_entry *entries = arena_take_array(arena, count, sizeof *entries);

	for (size_t i = 0; i < count; i++) {
		entries[i].key = cel_string(&"abcdefgh"[i], 1);
		entries[i].value = random_text(s, arena, bytes);
	}
	return cel_map(arena, entries, count);
}

static void
random_slots(struct source *s, struct arena *arena, struct cel_value *slots)
{
	struct cel_entry *fields = arena_take_array(arena, 2, sizeof *fields);

	fields[0] = (struct cel_entry){cel_string("branch", 6), random_text(s, arena, 30)};
	fields[1] = (struct cel_entry){cel_string("tags", 4), random_list(s, arena, 4, 12)};
	slots[SLOT_TEXT] = random_text(s, arena, 40);
	slots[SLOT_NUMBER] = cel_int(below(s, 9));
	slots[SLOT_WORDS] = random_list(s, arena, 6, 10);
	slots[SLOT_NUMBERS] = random_list(s, arena, 7, 0);
	slots[SLOT_LABELS] = random_map(s, arena, 5, 20);
	slots[SLOT_CONTEXT] = cel_map(arena, fields, 2);
	switch (below(s, 4)) {
	case 0:
		slots[SLOT_ANY] = random_text(s, arena, 8192);
		break;
	case 1:
		slots[SLOT_ANY] = random_list(s, arena, 1024, 30);
		break;
	case 2:
		slots[SLOT_ANY] = random_map(s, arena, 5, 100);
		break;
	default:
		slots[SLOT_ANY] = cel_int(3);
	}
}

/* Compiles it, runs it with some values; false when it cannot be compiled. */
static bool
run_and_compare(struct fixture *f, struct source *s, unsigned *ran)
{
	const struct cel_tree *tree;
	const struct cel_checked *checked;
	const struct cel_program *program;
	uint64_t most;

	f->faults = (struct cel_faults){0};
	tree = cel_parse(f->arena, s->text, s->length, 0, NULL, &f->faults);
	checked = tree ? cel_check(f->env, f->arena, tree, NULL, &f->faults) : NULL;
	if (!checked)
		return false;
	struct cel_cost_question question = {f->env, tree, tree->root, checked, 0};
	most = cel_cost_estimate(&question, f->arena, &f->faults);
	program = cel_compile(f->env, tree, tree->root, checked, 0, &f->faults);
	if (!program)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		struct cel_value slots[SLOTS];
		struct cel_run run = {.slots = slots, .cost_max = UINT64_MAX / 4};
		struct cel_value value;

		random_slots(s, f->arena, slots);
		value = cel_evaluate(program, &run, f->arena);
		*ran += value.kind != CEL_ERROR;
		if (run.cost > most)
			fail_msg("%s\ncounted %llu, estimated %llu", s->text, (unsigned long long)run.cost,
				 (unsigned long long)most);
	}
	return true;
}

static void
no_run_counts_more_than_the_estimate(void **state)
{
	unsigned compiled = 0, ran = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 6000; seed++) {
		struct source s = {.seed = seed * 0x9E3779B97F4A7C15u};
		struct fixture *f;
		void *fresh;
		size_t kind = seed % (sizeof kinds / sizeof kinds[0]);

		set_up(&fresh);
		f = fresh;
		declare_sizes(f);
		next(&s);
		grow(&s, kinds[kind].patterns, kinds[kind].count, 0);
		compiled += run_and_compare(f, &s, &ran);
		tear_down(&fresh);
	}
	/* most of what is written can be run, and not all of it fails */
	assert_true(compiled > 3000);
	assert_true(ran > 3000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_run_counts_more_than_the_estimate),
	};

	return cmocka_run_group_tests_name("cost_bounds", tests, NULL, NULL);
}
