/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_load.c - from a document to a policy, or to the first thing that is wrong with it. Whatever this version can't
 * honour is refused: a rule that is only half understood could allow what its author forbade.
 */
#include "common/policy/policy.h"
#include "common/policy/policy_read.h"

#include <stdlib.h>
#include <string.h>

enum { DESCRIPTION_MAX = 4096 };

#define VERSION_MAX ((INT64_C(1) << 53) - 1)

static const char *const none[] = {NULL};

/* The member `approval` of a class or a rule: it stands exactly where it is needed. */
static bool
load_approval(const struct place *owner, bool needed, const struct policy *policy,
	      const struct policy_profile **profile)
{
	struct place approval = policy_place_member(owner, "approval");
	const char *name;

	if (!needed && approval.value)
		return policy_refuse(&approval, "bad_value",
				     "nobody is ever asked here: the decision must be REQUIRE_APPROVAL");
	if (!needed)
		return true;
	if (!policy_read_id(&approval, &name))
		return false;
	*profile = policy_find_profile(policy, name);
	return *profile || policy_refuse(&approval, "unknown_approval", "is not among the approvals");
}

/* The classes: what holds when no rule speaks. */

static bool
load_cell(const struct place *failure, const char *name, bool *hold)
{
	static const char *const words[] = {"closed", "hold", NULL};
	struct place cell = policy_place_member(failure, name);
	size_t word = 0;

	if (cell.value && !policy_read_word(&cell, words, &word))
		return false;
	*hold = word == 1;
	return true;
}

static bool
load_failure(const struct place *place, struct policy_class *class)
{
	static const char *const known[] = {"evaluation_timeout", "no_eligible_approver", NULL};
	static const char *const later[] = {"unavailable", "approval_queued", "ignored", "downstream_failure",
					    NULL};

	if (!place->value)
		return true; /* a missing cell is closed */
	return policy_read_map(place, known, later)
	       && load_cell(place, "evaluation_timeout", &class->hold_on_timeout)
	       && load_cell(place, "no_eligible_approver", &class->hold_if_nobody);
}

/* Everything but `approval`, which depends on the rest. */
static bool
load_class_members(const struct place *place, struct policy_class *class)
{
	struct place id = policy_place_member(place, "id"), actions = policy_place_member(place, "actions");
	struct place except = policy_place_member(place, "except"),
		     requires = policy_place_member(place, "requires");
	struct place verdict = policy_place_member(place, "default"),
		     valid_for = policy_place_member(place, "valid_for");
	struct place failure = policy_place_member(place, "failure");

	class->valid_for = POLICY_VALID_FOR_DEFAULT;
	return policy_read_id(&id, &class->id)
	       && policy_read_strings(&actions, policy_read_action_pattern, &class->actions)
	       && (!except.value || policy_read_strings(&except, policy_read_action_pattern, &class->except))
	       && policy_read_verdict(&verdict, &class->verdict)
	       && (!requires.value || policy_read_strings(&requires, policy_read_path, &class->requires))
	       && (!valid_for.value || policy_read_duration(&valid_for, &class->valid_for))
	       && load_failure(&failure, class);
}

static bool
load_class(const struct place *place, const struct policy *policy, struct policy_class *class)
{
	static const char *const known[] = {"id",	"actions",   "except",	"default", "approval",
					    "requires", "valid_for", "failure", NULL};
	static const char *const later[] = {"on_error", "floor", "identity", "irreversible", NULL};

	if (!policy_read_map(place, known, later) || !load_class_members(place, class))
		return false;
	/* hold asks people: it must say whom, whatever the default is */
	return load_approval(place, class->verdict == POLICY_REQUIRE_APPROVAL || class->hold_on_timeout,
			     policy, &class->profile);
}

static bool
covers_all(const struct policy_strings *actions)
{
	for (size_t i = 0; i < actions->count; i++)
		if (strcmp(actions->items[i], "**") == 0)
			return true;
	return false;
}

/* One class, and only one, is for whatever the others leave. */
static bool
find_fallback(const struct place *classes, struct policy *policy)
{
	for (size_t i = 0; i < policy->class_count; i++) {
		const struct policy_class *class = &policy->classes[i];
		struct place place = policy_place_item(classes, i);
		struct place actions = policy_place_member(&place, "actions"),
			     except = policy_place_member(&place, "except");

		if (!covers_all(&class->actions))
			continue;
		if (policy->fallback)
			return policy_refuse(&actions, "bad_value", "another class is the fallback already");
		if (class->actions.count > 1)
			return policy_refuse(&actions, "bad_value", "the fallback has no pattern but \"**\"");
		if (class->except.count)
			return policy_refuse(&except, "bad_value", "the fallback has no exceptions");
		policy->fallback = class;
	}
	if (!policy->fallback)
		return policy_refuse(classes, "no_fallback_class", "no class has the actions [\"**\"]");
	return true;
}

static bool
class_id_is_new(const struct place *place, const struct policy *policy, size_t number)
{
	struct place id = policy_place_member(place, "id");

	for (size_t i = 0; i < number; i++)
		if (strcmp(policy->classes[i].id, policy->classes[number].id) == 0)
			return policy_refuse(&id, "duplicate_id", "another class has it");
	return true;
}

static bool
load_classes(const struct place *root, struct policy *policy)
{
	struct place classes = policy_place_member(root, "classes");

	if (!policy_read_list(&classes, POLICY_CLASSES_MAX))
		return false;
	policy->class_count = classes.value->as.list.count;
	policy->classes = arena_take_array(root->reader->arena, policy->class_count, sizeof *policy->classes);
	for (size_t i = 0; i < policy->class_count; i++) {
		struct place place = policy_place_item(&classes, i);

		if (!load_class(&place, policy, &policy->classes[i]) || !class_id_is_new(&place, policy, i))
			return false;
	}
	return find_fallback(&classes, policy);
}

/* The rules. */

static bool
load_scope(const struct place *place, struct policy_scope *scope)
{
	static const char *const known[] = {"actions", "agents", "targets", "tenants", NULL};

	if (!policy_read_map(place, known, none))
		return false;

	struct place actions = policy_place_member(place, "actions"),
		     agents = policy_place_member(place, "agents");
	struct place targets = policy_place_member(place, "targets"),
		     tenants = policy_place_member(place, "tenants");

	if (place->value->as.map.count == 0)
		return policy_refuse(place, "bad_value",
				     "names nothing: leave it out where everything is meant");
	return (!actions.value || policy_read_strings(&actions, policy_read_action_pattern, &scope->actions))
	       && (!agents.value || policy_read_strings(&agents, policy_read_pattern, &scope->agents))
	       && (!targets.value || policy_read_strings(&targets, policy_read_pattern, &scope->targets))
	       && (!tenants.value
		   || policy_read_strings(&tenants, policy_read_tenant_pattern, &scope->tenants));
}

static bool
load_rule(const struct place *place, const struct policy *policy, struct policy_rule *rule)
{
	static const char *const known[] = {"id", "match", "except", "decision", "approval", "reason", NULL};
	static const char *const later[] = {"when",	"unless", "obligations", "remediation", "mode",
					    "severity", "owner",  "expires",	 NULL};

	if (!policy_read_map(place, known, later))
		return false;

	struct place id = policy_place_member(place, "id"), match = policy_place_member(place, "match");
	struct place except = policy_place_member(place, "except"),
		     verdict = policy_place_member(place, "decision");
	struct place reason = policy_place_member(place, "reason");

	rule->position = place->index;
	rule->has_except = except.value;
	return policy_read_id(&id, &rule->id) && (!match.value || load_scope(&match, &rule->match))
	       && (!except.value || load_scope(&except, &rule->except))
	       && policy_read_verdict(&verdict, &rule->verdict)
	       && load_approval(place, rule->verdict == POLICY_REQUIRE_APPROVAL, policy, &rule->profile)
	       && (!reason.value || policy_read_text(&reason, POLICY_REASON_MAX, &rule->reason));
}

static int
compare_rules(const void *left, const void *right)
{
	const struct policy_rule *a = left, *b = right;
	int order = strcmp(a->id, b->id);

	return order ? order : (a->position > b->position) - (a->position < b->position);
}

/* By id, so that nothing that follows can depend on their order in the document. */
static bool
sort_rules(const struct place *rules, struct policy *policy)
{
	qsort(policy->rules, policy->rule_count, sizeof *policy->rules, compare_rules);
	for (size_t i = 1; i < policy->rule_count; i++) {
		struct place place = policy_place_item(rules, policy->rules[i].position),
			     id = policy_place_member(&place, "id");

		if (strcmp(policy->rules[i - 1].id, policy->rules[i].id) == 0)
			return policy_refuse(&id, "duplicate_id", "another rule has it");
	}
	return true;
}

static bool
load_rules(const struct place *root, struct policy *policy)
{
	struct place rules = policy_place_member(root, "rules");

	if (!rules.value)
		return true;
	if (rules.value->kind == VALUE_LIST && rules.value->as.list.count == 0)
		return true;
	if (!policy_read_list(&rules, POLICY_RULES_MAX))
		return false;
	policy->rule_count = rules.value->as.list.count;
	policy->rules = arena_take_array(root->reader->arena, policy->rule_count, sizeof *policy->rules);
	for (size_t i = 0; i < policy->rule_count; i++) {
		struct place place = policy_place_item(&rules, i);

		if (!load_rule(&place, policy, &policy->rules[i]))
			return false;
	}
	return sort_rules(&rules, policy);
}

/* The head of the document. */

static bool
load_tenants(const struct place *root, struct policy *policy)
{
	struct place tenants = policy_place_member(root, "tenants");

	if (tenants.value)
		return policy_read_strings(&tenants, policy_read_tenant, &policy->tenants);
	policy->tenants.count = 1;
	policy->tenants.items = arena_take(root->reader->arena, sizeof *policy->tenants.items);
	policy->tenants.items[0] = "default";
	return true;
}

static bool
load_head(const struct place *root, struct policy *policy)
{
	static const char *const known[] = {"countersign", "policy",	"version", "tenants", "description",
					    "classes",	   "approvals", "rules",   NULL};
	static const char *const later[] = {"inputs", "params", "let", "limits", "invariants", "tests", NULL};
	static const char *const formats[] = {"policy/v1", NULL};

	if (!policy_read_map(root, known, later))
		return false;

	struct place format = policy_place_member(root, "countersign"),
		     name = policy_place_member(root, "policy");
	struct place version = policy_place_member(root, "version"),
		     description = policy_place_member(root, "description");
	const char *unused;
	size_t word;

	return policy_read_word(&format, formats, &word) && policy_read_id(&name, &policy->name)
	       && policy_read_integer(&version, 1, VERSION_MAX, &policy->version) && load_tenants(root, policy)
	       && (!description.value || policy_read_text(&description, DESCRIPTION_MAX, &unused));
}

struct policy *
policy_load(struct arena *arena, const struct value *document, struct error *error)
{
	struct policy_reader reader = {arena, error};
	struct place root = policy_place_root(&reader, document);
	struct policy *policy = arena_take(arena, sizeof *policy);

	if (load_head(&root, policy) && policy_load_profiles(&root, policy) && load_classes(&root, policy)
	    && load_rules(&root, policy) && policy_index_build(arena, policy, error))
		return policy;
	return NULL;
}
