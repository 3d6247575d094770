/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_load.c - from a document to a policy, or to what is wrong with it. Whatever this version can't honour is told apart,
 * and refused by whoever decides: a rule that is only half understood could allow what its author forbade.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_read.h"

#include <string.h>

enum { DESCRIPTION_MAX = 4096, INPUTS_NAMED = 256 };

#define VERSION_MAX ((INT64_C(1) << 53) - 1)

bool
policy_refuse_input(const struct place *place, const char *path)
{
	const struct policy_type *inputs = &place->reader->policy->inputs;
	const char *names[INPUTS_NAMED + 1] = {NULL};

	if (place->reader->policy->bad_inputs)
		return false; /* that was said */
	for (size_t i = 0; i < inputs->field_count && i < INPUTS_NAMED; i++)
		names[i] = inputs->fields[i].name;
	return policy_refuse_unknown(place, "unknown_input", path, names, "is not among the declared inputs");
}

static void
load_tenants(const struct place *root, struct policy *policy)
{
	struct place tenants = policy_place_member(root, "tenants");

	if (tenants.value) {
		policy_read_strings(&tenants, policy_read_tenant, &policy->tenants);
		return;
	}
	policy->tenants.count = 1;
	policy->tenants.items = arena_take(root->reader->arena, sizeof *policy->tenants.items);
	policy->tenants.items[0] = "default";
}

static void
load_head(const struct place *root, struct policy *policy)
{
	static const char *const formats[] = {"policy/v1", NULL};
	struct place format = policy_place_member(root, "countersign"),
		     name = policy_place_member(root, "policy");
	struct place version = policy_place_member(root, "version"),
		     description = policy_place_member(root, "description");
	const char *unused;
	size_t word;

	policy_read_word(&format, formats, &word);
	policy_read_id(&name, &policy->name);
	policy_read_integer(&version, 1, VERSION_MAX, &policy->version);
	load_tenants(root, policy);
	if (description.value)
		policy_read_text(&description, DESCRIPTION_MAX, &unused);
}

static void
load_members(const struct place *root)
{
	static const char *const known[] = {"countersign", "policy", "version",	   "tenants", "description",
					    "inputs",	   "params", "let",	   "classes", "approvals",
					    "rules",	   "limits", "invariants", NULL};
	static void (*const loaders[])(const struct place *) = {policy_load_profiles, policy_load_classes,
								policy_load_rules, policy_load_limits,
								policy_load_invariants};
	struct policy *policy = root->reader->policy;

	if (!policy_read_map(root, known))
		return;

	struct place let = policy_place_member(root, "let");

	load_head(root, policy);
	policy_load_inputs(root);
	policy_load_params(root);
	policy_load_lets(&let, NULL, &policy->lets);
	for (size_t i = 0; i < sizeof loaders / sizeof *loaders && !policy_reader_is_full(root); i++)
		loaders[i](root);
}

/* The index knows rules, no places: what it refuses is about all rules together. */
static bool
build_index(const struct place *root)
{
	struct error why = {0};
	struct place rules = policy_place_member(root, "rules");

	if (policy_index_build(root->reader->arena, root->reader->policy, &why))
		return true;
	return findings_add(root->reader->findings,
			    (struct finding){.code = "E04",
					     .word = "too_many",
					     .path = why.field,
					     .text = why.text,
					     .at = rules.spot ? rules.spot->name : (struct stretch){0}});
}

struct policy *
policy_load_whole(struct arena *arena, const struct value *document, const struct spot *spot,
		  struct findings *findings)
{
	struct policy *policy = arena_take(arena, sizeof *policy);
	struct policy_reader reader = {arena, findings, policy};
	struct place root = policy_place_root(&reader, document, spot);

	policy->gaps = findings_open(arena, FINDINGS_MAX);
	load_members(&root);
	if (findings->count == 0)
		policy_load_conditions(&root);
	findings_sort(&policy->gaps);
	return findings->count == 0 && build_index(&root) ? policy : NULL;
}

const struct findings *
policy_gaps(const struct policy *policy)
{
	return &policy->gaps;
}

struct policy *
policy_load(struct arena *arena, const struct value *document, struct error *error)
{
	struct findings findings = findings_open(arena, 1);
	struct policy *policy = policy_load_whole(arena, document, NULL, &findings);

	findings_first(policy ? &policy->gaps : &findings, error);
	return policy && policy->gaps.count == 0 ? policy : NULL;
}
