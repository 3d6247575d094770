/* SPDX-License-Identifier: Apache-2.0 */
/* policy_lint_terms.c - the condition of a rule as a set of terms that must all hold. */
#include "common/policy/policy_linting.h"
#include "common/policy/policy_values.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 96, SAME_MAX = 32 };

struct collecting {
	const struct policy *policy;
	struct arena *arena, *trees; /* of the result; of what is only looked at */
	const char *suffix;	     /* what names of the rule's own let mean differs from rule to rule */
	struct policy_terms *terms;
	bool is_cut; /* there were more than fit */
};

static const char *
kept(const struct collecting *collecting, const char *text)
{
	return *collecting->suffix ? arena_format(collecting->arena, "%s %s", text, collecting->suffix)
				   : arena_string(collecting->arena, text);
}

/* The words of a claim point into its tree, which goes. */
static void
keep_claim(const struct collecting *collecting, const struct policy_claim *claim, const char *text)
{
	struct policy_terms *terms = collecting->terms;
	struct policy_claim *copy = &terms->claims[terms->claim_count];
	struct cel_value *words = arena_take_array(collecting->arena, claim->word_count, sizeof *words);

	for (size_t i = 0; i < claim->word_count; i++) {
		words[i] = claim->words[i];
		if (words[i].kind == CEL_STRING)
			words[i].as.bytes = arena_copy(collecting->arena, words[i].as.bytes, words[i].extra);
	}
	*copy = *claim;
	copy->path = arena_string(collecting->arena, claim->path);
	copy->words = words;
	copy->input = NULL;
	terms->claim_texts[terms->claim_count++] = text;
}

static void
collect(struct collecting *collecting, const struct cel_node *node, bool negated)
{
	struct policy_terms *terms = collecting->terms;
	struct policy_claim claim;

	if (policy_node_is(node, "!_", 1)) {
		collect(collecting, node->arguments[0], !negated);
	} else if (policy_node_is(node, negated ? "_||_" : "_&&_", 2)) {
		collect(collecting, node->arguments[0], negated);
		collect(collecting, node->arguments[1], negated);
	} else if (terms->text_count == TERMS_MAX) {
		collecting->is_cut = true;
	} else {
		const char *text = kept(collecting, policy_node_normal(node, negated, collecting->trees));

		terms->texts[terms->text_count++] = text;
		if (policy_claim_read(collecting->policy, node, negated, collecting->trees, &claim))
			keep_claim(collecting, &claim, text);
	}
}

/* ------------------------------------------------------------------ what small requests tell everything about */

static bool
is_simple(const struct policy *policy, const struct cel_node *node, struct arena *arena)
{
	struct policy_claim claim;

	if (policy_node_is(node, "!_", 1))
		return is_simple(policy, node->arguments[0], arena);
	if (policy_node_is(node, "_&&_", 2) || policy_node_is(node, "_||_", 2))
		return is_simple(policy, node->arguments[0], arena)
		       && is_simple(policy, node->arguments[1], arena);
	return policy_claim_read(policy, node, false, arena, &claim)
	       && claim.field->type.kind != POLICY_T_DOUBLE;
}

static int
compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct policy_terms
policy_terms_of(const struct policy *policy, const struct policy_rule *rule, struct arena *arena)
{
	struct policy_terms terms = {.is_simple = rule->lets.count == 0};
	const char *texts[TERMS_MAX], *claim_texts[TERMS_MAX];
	struct policy_claim claims[TERMS_MAX];
	struct collecting collecting = {.policy = policy,
					.arena = arena,
					.trees = arena_open(),
					.suffix = rule->lets.count ? rule->id : "",
					.terms = &terms};
	const struct policy_expression *const expressions[] = {rule->when, rule->unless};

	terms.texts = texts;
	terms.claims = claims;
	terms.claim_texts = claim_texts;
	for (size_t i = 0; i < 2; i++) {
		const struct cel_node *root =
		    expressions[i] ? policy_node_of(expressions[i], collecting.trees) : NULL;

		if (!root)
			continue;
		collect(&collecting, root, i == 1);
		terms.is_simple = terms.is_simple && is_simple(policy, root, collecting.trees);
	}
	arena_close(collecting.trees);
	if (collecting.is_cut) /* it says more than is known here, so it is like no other */
		terms.texts[0] = arena_format(arena, "%s is long", rule->id);
	qsort(terms.texts, terms.text_count, sizeof *terms.texts, compare_texts);
	terms.texts = arena_take_array(arena, terms.text_count, sizeof *texts);
	terms.claims = arena_take_array(arena, terms.claim_count, sizeof *claims);
	terms.claim_texts = arena_take_array(arena, terms.claim_count, sizeof *claim_texts);
	if (terms.text_count)
		memcpy(terms.texts, texts, terms.text_count * sizeof *texts);
	if (terms.claim_count) {
		memcpy(terms.claims, claims, terms.claim_count * sizeof *claims);
		memcpy(terms.claim_texts, claim_texts, terms.claim_count * sizeof *claim_texts);
	}
	return terms;
}

/* ------------------------------------------------------------------ */

static const struct policy_claim *
claim_of(const struct policy_terms *terms, const char *text)
{
	for (size_t i = 0; i < terms->claim_count; i++)
		if (terms->claim_texts[i] == text)
			return &terms->claims[i];
	return NULL;
}

static bool
implies_claim(const struct policy_terms *given, const struct policy_claim *then)
{
	const struct policy_claim *same[SAME_MAX];
	size_t count = 0;

	for (size_t i = 0; i < given->claim_count && count < SAME_MAX; i++)
		if (strcmp(given->claims[i].path, then->path) == 0)
			same[count++] = &given->claims[i];
	return policy_claims_imply(same, count, then);
}

bool
policy_terms_imply(const struct policy_terms *given, const struct policy_terms *then,
		   struct policy_allowance *allowance)
{
	for (size_t i = 0; i < then->text_count; i++) {
		const char *text = then->texts[i];
		const struct policy_claim *claim;

		if (!policy_allowance_take(allowance, 16))
			return false;
		if (bsearch(&text, given->texts, given->text_count, sizeof *given->texts, compare_texts))
			continue;
		claim = given->claim_count ? claim_of(then, text) : NULL;
		if (!claim || !policy_allowance_take(allowance, 8 + claim->word_count * 8)
		    || !implies_claim(given, claim))
			return false;
	}
	return true;
}
