/* SPDX-License-Identifier: Apache-2.0 */
/* random_condition.c - expressions over the inputs of random_policy.c, well-typed, with every way to err among them. */
#include "tests/properties/random_policy.h"

enum path { B1, B2, S1, S2, N1, N2, D1, T1, U1, L1, L2, M, M_X, M_Y, M_Z, M_L, O, O_K, O_J };

const char *const random_paths[RANDOM_PATHS] = {"b1",  "b2",  "s1", "s2",  "n1", "n2",	"d1",
						"t1",  "u1",  "l1", "l2",  "m",	 "m.x", "m.y",
						"m.z", "m.l", "o",  "o.k", "o.j"};

#define BIT(path) (UINT32_C(1) << (path))
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* In the texts @ is a comparison, # an int, ~ a string. */
struct leaf {
	const char *text;
	uint32_t outside; /* of random_policy.h */
};

static const struct leaf plain[] = {
    {"agent_id == 'bot'", 0},
    {"action.startsWith('a')", 0},
    {"tenant != 'beta'", 0},
    {"target in ['web', 'db']", 0},
    {"now.getHours() @ #", 0},
    {"params.p @ #", 0},
    {"1 / (params.p - 7) == #", 0},
    {"true", 0},
    {"false", 0},
};

static const struct leaf reading[] = {
    {"context.b1", 0},
    {"context.b2", 0},
    {"!context.b1", 0},
    {"context.b1 == context.b2", 0},
    {"context.b1 != context.m.z", 0},
    {"context.s1 @ ~", 0},
    {"context.s1 in ['low', 'high']", 0},
    {"!(context.s1 in ['high', 'b'])", 0},
    {"context.s1 + context.s2 == 'lowa'", 0},
    {"context.s2.startsWith(~)", 0},
    {"context.s2.endsWith(~)", 0},
    {"context.s2.contains(~)", 0},
    {"context.s2.matches('^[ab]+x?$')", 0},
    {"context.s2.size() @ #", 0},
    {"glob(context.s2, 'a*')", 0},
    {"context.s2.lowerAscii() == ~", 0},
    {"int(context.s2) @ #", 0},
    {"context.s2 == params.q", 0},
    {"context.n1 @ #", 0},
    {"context.n1 @ context.n2", 0},
    {"context.n1 / context.n2 @ #", 0},
    {"context.n1 % context.n2 == #", 0},
    {"context.n2 * 4611686018427387904 @ #", 0},
    {"context.n1 + # @ context.n2", 0},
    {"context.n1 in [0, 1, 5]", 0},
    {"-context.n2 @ #", 0},
    {"math.greatest(context.n1, context.n2) @ #", 0},
    {"params.p @ context.n1", 0},
    {"context.d1 @ 0.5", 0},
    {"context.d1 * 2.0 @ double(context.n1)", 0},
    {"context.d1 / 0.0 > 1.0", 0},
    {"context.t1 @ now", 0},
    {"now - context.t1 @ duration('1h')", 0},
    {"context.t1.getFullYear() @ 1970", 0},
    {"context.u1 @ duration('10m')", 0},
    {"context.t1 + context.u1 < now", 0},
    {"~ in context.l1", 0},
    {"!(~ in context.l1)", 0},
    {"context.l1.exists(x, x == ~)", 0},
    {"context.l1.all(x, x != ~)", 0},
    {"context.l1.exists_one(x, x == ~)", 0},
    {"context.l2.exists_one(y, 10 / y == #)", 0},
    {"context.l1[#] == ~", 0},
    {"context.l1.size() @ #", 0},
    {"context.l1.filter(x, x == ~).size() @ #", 0},
    {"context.l1.exists(x, context.l2.exists(y, y == # && x == ~))", 0},
    {"context.l1.map(x, x + 'b')[0] == 'ab'", 0},
    {"context.l1 == context.m.l", 0},
    {"context.l2.sum() @ #", 0},
    {"context.l2.all(y, 10 / y > #)", 0},
    {"context.l2.exists(y, 10 / y > # || y == 0)", 0},
    {"context.m.x @ #", 0},
    {"context.m.y == ~", 0},
    {"context.m.z", 0},
    {"context.m.l.exists(x, x.startsWith(~))", 0},
    {"context.m.x + context.n1 @ #", 0},
    {"context.o.k", 0},
    {"context.o.k == #", 0},
    {"context.o.k @ #", 0},
    {"context.o.j in ['a', 'b']", 0},
    {"type(context.o.k) == int", 0},
    {"has(context.b1)", BIT(B1)},
    {"has(context.s2)", BIT(S2)},
    {"!has(context.n2)", BIT(N2)},
    {"has(context.m.x)", BIT(M_X)},
    {"!has(context.o.k)", BIT(O_K)},
    {"'k' in context.o", BIT(O_K)},
    {"context.o.exists(n, n == 'j')", BIT(O_K) | BIT(O_J)},
    {"context.o.size() @ #", BIT(O_K) | BIT(O_J)},
    {"context.?s1.orValue('low') == ~", BIT(S1)},
    {"context.?u1.hasValue()", BIT(U1)},
    {"context.m.?y.orValue('a') == ~", BIT(M_Y)},
    {"context.?m.?x.orValue(0) @ #", BIT(M) | BIT(M_X)},
};
/* those that leave the property stand at the end, and are rarer than the others */
enum { INSIDE = COUNT_OF(reading) - 12 };

/* the second is false when it ends at all */
static const char *const heavy[] = {"context.l2.all(v, context.l2.all(w, v + w < 1000 || w == #))",
				    "context.l2.exists(v, context.l2.exists(w, v + w > 1000 && w != #))"};

static void
add_leaf(uint64_t *seed, const char *text, struct buffer *out)
{
	static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
	static const char *const numbers[] = {"-1", "0", "1", "2", "5", "100"};
	static const char *const words[] = {"'a'", "'b'", "'low'", "'high'", "''"};

	for (; *text; text++) {
		if (*text == '@')
			buffer_add_text(out, comparisons[random_below(seed, COUNT_OF(comparisons))]);
		else if (*text == '#')
			buffer_add_text(out, numbers[random_below(seed, COUNT_OF(numbers))]);
		else if (*text == '~')
			buffer_add_text(out, words[random_below(seed, COUNT_OF(words))]);
		else
			buffer_add_byte(out, *text);
	}
}

static void
add_simple(uint64_t *seed, struct random_policy *policy, struct buffer *out)
{
	const struct leaf *leaf = &plain[random_below(seed, COUNT_OF(plain))];

	if (policy->let_count && random_one_in(seed, 8)) {
		buffer_add_format(out, "g%zu", random_below(seed, policy->let_count));
		return;
	}
	if (policy->has_inputs && !random_one_in(seed, 8))
		leaf = &reading[random_below(seed, random_one_in(seed, 6) ? COUNT_OF(reading) : INSIDE)];
	policy->outside |= leaf->outside;
	add_leaf(seed, leaf->text, out);
}

static void
add(uint64_t *seed, struct random_policy *policy, size_t depth, struct buffer *out)
{
	static const char *const shapes[][4] = {
	    {"(", " && ", ")"}, {"(", " || ", ")"}, {"!(", ")"}, {"(", " ? ", " : ", ")"}};
	const char *const *shape = shapes[random_below(seed, COUNT_OF(shapes))];

	if (depth == 0 || random_one_in(seed, 2)) {
		add_simple(seed, policy, out);
		return;
	}
	buffer_add_text(out, shape[0]);
	for (size_t i = 1; i < 4 && shape[i]; i++) {
		add(seed, policy, depth - 1, out);
		buffer_add_text(out, shape[i]);
	}
}

void
random_condition(uint64_t *seed, struct random_policy *policy, struct buffer *out)
{
	size_t terms = 1 + random_below(seed, 3);

	if (policy->is_heavy && policy->has_inputs && !random_one_in(seed, 3)) {
		add_leaf(seed, heavy[random_below(seed, COUNT_OF(heavy))], out);
		terms = 1;
		buffer_add_text(out, random_one_in(seed, 2) ? " && " : " || ");
	}
	for (size_t i = 0; i < terms; i++) {
		if (i)
			buffer_add_text(out, " && ");
		add(seed, policy, 2, out);
	}
}
