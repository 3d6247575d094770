/* SPDX-License-Identifier: Apache-2.0 */
/* policy_load_rule.c - the rules of a document, and what they share with limits and invariants: scopes and names. */
#include "common/canonical/canonical.h"
#include "common/policy/policy_obligations.h"
#include "common/policy/policy_read.h"
#include "common/visible/visible.h"

#include <stdlib.h>
#include <string.h>

enum { OWNER_MAX = 256, LETS_MAX = 256 };

bool
policy_load_scope(const struct place *place, struct policy_scope *scope)
{
	static const char *const known[] = {"actions", "agents", "targets", "tenants", NULL};

	if (!policy_read_map(place, known))
		return false;

	struct place actions = policy_place_member(place, "actions"),
		     agents = policy_place_member(place, "agents");
	struct place targets = policy_place_member(place, "targets"),
		     tenants = policy_place_member(place, "tenants");

	if (place->value->as.map.count == 0)
		return policy_refuse(place, "bad_value",
				     "names nothing: leave it out where everything is meant");
	bool good =
	    !actions.value || policy_read_strings(&actions, policy_read_action_pattern, &scope->actions);

	good = (!agents.value || policy_read_strings(&agents, policy_read_pattern, &scope->agents)) && good;
	good = (!targets.value || policy_read_strings(&targets, policy_read_pattern, &scope->targets)) && good;
	return (!tenants.value || policy_read_strings(&tenants, policy_read_tenant_pattern, &scope->tenants))
	       && good;
}

void
policy_load_scopes(const struct place *owner, struct policy_scope *match, struct policy_scope *except,
		   bool *has_except)
{
	struct place matches = policy_place_member(owner, "match"),
		     excepts = policy_place_member(owner, "except");

	*has_except = excepts.value;
	if (matches.value)
		policy_load_scope(&matches, match);
	if (excepts.value)
		policy_load_scope(&excepts, except);
}

/* Named expressions. */

static int
compare_lets(const void *left, const void *right)
{
	const struct policy_let *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static bool
is_let(const struct policy_lets *lets, const char *name)
{
	for (size_t i = 0; lets && i < lets->count; i++)
		if (strcmp(lets->items[i].name, name) == 0)
			return true;
	return false;
}

void
policy_load_lets(const struct place *place, const struct policy_lets *above, struct policy_lets *lets)
{
	bool good = true;

	if (!place->value || policy_is_empty(place, VALUE_MAP) || !policy_read_open_map(place, LETS_MAX))
		return;

	size_t count = place->value->as.map.count;
	struct policy_let *items = arena_take_array(place->reader->arena, count, sizeof *items);

	for (size_t i = 0; i < count && !policy_reader_is_full(place); i++) {
		struct place let = policy_place_nth(place, i);
		bool named = policy_read_variable_name(&let, &items[i].name);

		if (named && is_let(above, items[i].name))
			named = policy_refuse_name(&let, "duplicate_id",
						   "the document's let has this name already");
		good = policy_read_expression(&let, &items[i].value) && named && good;
	}
	if (!good || policy_reader_is_full(place))
		return;
	qsort(items, count, sizeof *items, compare_lets);
	*lets = (struct policy_lets){items, count};
}

/* What comes with a decision. */

/* A value of the document, copied: the document may go. */
struct value *
policy_copy_value(struct arena *arena, const struct value *value)
{
	struct value *copy;

	switch (value->kind) {
	case VALUE_LIST:
		copy = value_list(arena);
		for (size_t i = 0; i < value->as.list.count; i++)
			value_append(arena, copy, policy_copy_value(arena, value->as.list.items[i]));
		return copy;
	case VALUE_MAP:
		copy = value_map(arena);
		for (size_t i = 0; i < value->as.map.count; i++)
			value_set(arena, copy, value->as.map.members[i].name.bytes,
				  policy_copy_value(arena, value->as.map.members[i].value));
		return copy;
	case VALUE_STRING:
		return value_text(arena, value->as.string.bytes, value->as.string.length);
	default:
		break;
	}
	copy = arena_take(arena, sizeof *copy);
	*copy = *value;
	return copy;
}

/* What people and programs can read, and RFC 8785 can write; not deeper than it may be. */
static bool
check_obligation(const struct place *place, size_t depth)
{
	const struct value *value = place->value;
	bool good = true;

	if (depth > POLICY_OBLIGATION_DEPTH_MAX)
		return policy_refuse(place, "too_large", "is deeper than %d lists and maps",
				     POLICY_OBLIGATION_DEPTH_MAX);
	if (value->kind == VALUE_STRING)
		return !visible_is_unclear(value->as.string.bytes, value->as.string.length)
		       || policy_refuse(place, "bad_value",
					"holds a character that can't be seen, or looks like another");
	if (value->kind == VALUE_LIST)
		for (size_t i = 0; good && i < value->as.list.count; i++) {
			struct place inside = policy_place_item(place, i);

			good = check_obligation(&inside, depth + 1);
		}
	if (value->kind == VALUE_MAP)
		for (size_t i = 0; good && i < value->as.map.count; i++) {
			struct place inside = policy_place_nth(place, i);
			const char *unused;

			good = policy_read_id_name(&inside, &unused) && check_obligation(&inside, depth + 1);
		}
	return good;
}

static void
keep_obligations(const struct place *place, struct policy_rule *rule)
{
	struct arena *arena = place->reader->arena;
	struct value *kept = value_map(arena);
	struct buffer text = {.arena = arena};
	struct error error = {0};

	for (size_t i = 0; i < place->value->as.map.count; i++)
		value_set(arena, kept, place->value->as.map.members[i].name.bytes,
			  policy_obligation_copy(arena, place->value->as.map.members[i].value));
	if (!canonical_format(&text, kept, &error))
		policy_refuse(place, "bad_value", "can't be written as JSON: %s: %s", error.field, error.text);
	else if (text.length > POLICY_OBLIGATIONS_BYTES_MAX)
		policy_refuse(place, "too_large", "are more than %d bytes", POLICY_OBLIGATIONS_BYTES_MAX);
	else
		rule->obligations = kept;
}

static void
load_obligations(const struct place *place, bool verdict_known, struct policy_rule *rule)
{
	bool good = true;

	if (!place->value || !policy_read_open_map(place, POLICY_OBLIGATIONS_MAX))
		return;
	for (size_t i = 0; i < place->value->as.map.count && !policy_reader_is_full(place); i++) {
		struct place obligation = policy_place_nth(place, i);
		const char *unused;

		good = policy_read_id_name(&obligation, &unused) && good;
		if (obligation.value->kind == VALUE_NULL)
			good = policy_refuse(&obligation, "bad_value", "null obliges nobody to anything");
		good = check_obligation(&obligation, 0) && good;
	}
	if (verdict_known && rule->verdict == POLICY_BLOCK)
		policy_refuse_name(place, "bad_value",
				   "go with ALLOW and with a grant: nobody ever gets those of a BLOCK");
	else if (good)
		keep_obligations(place, rule);
}

/* Not itself, nor what it is in. */
static bool
is_sensitive(const struct policy_type *inputs, struct text path)
{
	for (size_t length = 1; length <= path.length; length++) {
		const struct policy_field *field;

		if (length < path.length && path.bytes[length] != '.')
			continue;
		field = policy_find_field(inputs, path.bytes, length);
		if (field && field->sensitive)
			return true;
	}
	return false;
}

/* A reason and a remediation may name inputs in braces: {context.amount_minor}. */
static void
check_placeholders(const struct place *place, const char *reason)
{
	const struct policy *policy = place->reader->policy;
	struct text path;

	while (policy_placeholder_find(reason, &path)) {
		reason = path.bytes + path.length;
		if (!policy->has_inputs || !policy_find_field(&policy->inputs, path.bytes, path.length))
			policy_refuse_input(place, arena_copy(place->reader->arena, path.bytes, path.length));
		else if (is_sensitive(&policy->inputs, path))
			policy_refuse(place, "bad_value",
				      "names a sensitive input: it would be told to everybody");
	}
}

static void
load_reason(const struct place *place, const char **reason)
{
	if (place->value && policy_read_text(place, POLICY_REASON_MAX, reason))
		check_placeholders(place, *reason);
}

static void
load_expires(const struct place *place, bool verdict_known, struct policy_rule *rule)
{
	const char *text;
	int64_t seconds;
	uint32_t nanoseconds;

	if (!place->value || !policy_read_text(place, 64, &text))
		return;
	if (!policy_timestamp_parse((struct text){text, strlen(text)}, &seconds, &nanoseconds) || seconds <= 0)
		policy_refuse(place, "bad_value",
			      "must be a timestamp as \"2026-12-31T23:59:59Z\", after 1970");
	else if (verdict_known && rule->verdict != POLICY_ALLOW)
		policy_refuse_name(place, "bad_value",
				   "is for ALLOW only: a restriction must not lapse by itself");
	else
		rule->expires = seconds * 1000000 + nanoseconds / 1000;
}

static void
load_remediation(const struct place *place, bool verdict_known, struct policy_rule *rule)
{
	if (!place->value || !policy_read_text(place, POLICY_REASON_MAX, &rule->remediation))
		return;
	check_placeholders(place, rule->remediation);
	if (verdict_known && rule->verdict == POLICY_ALLOW)
		policy_refuse_name(place, "bad_value",
				   "tells what to do instead: whoever is allowed needs nothing else");
}

static void
load_notes(const struct place *place, struct policy_rule *rule)
{
	static const char *const modes[] = {"enforce", "shadow", NULL};
	static const char *const severities[] = {"low", "medium", "high", "critical", NULL};
	struct place mode = policy_place_member(place, "mode");
	struct place severity = policy_place_member(place, "severity"),
		     owner = policy_place_member(place, "owner");
	size_t word;

	if (owner.value)
		policy_read_text(&owner, OWNER_MAX, &rule->owner);
	if (severity.value && policy_read_word(&severity, severities, &word))
		rule->severity = severities[word];
	if (mode.value && policy_read_word(&mode, modes, &word))
		rule->is_shadow = word == 1;
}

/* Rules. */

static void
load_conditions(const struct place *place, struct policy_rule *rule)
{
	struct place when = policy_place_member(place, "when"), unless = policy_place_member(place, "unless");
	struct place let = policy_place_member(place, "let");

	policy_load_lets(&let, &place->reader->policy->lets, &rule->lets);
	policy_read_expression_if(&when, &rule->when);
	policy_read_expression_if(&unless, &rule->unless);
}

static void
load_rule(const struct place *place, struct policy_rule *rule)
{
	static const char *const known[] = {
	    "id",     "match",	     "except",	    "let",  "when",	"unless", "decision", "approval",
	    "reason", "obligations", "remediation", "mode", "severity", "owner",  "expires",  NULL};

	if (!policy_read_map(place, known))
		return;

	struct place id = policy_place_member(place, "id"), verdict = policy_place_member(place, "decision");
	struct place reason = policy_place_member(place, "reason"),
		     expires = policy_place_member(place, "expires");
	struct place obligations = policy_place_member(place, "obligations"),
		     remediation = policy_place_member(place, "remediation");

	rule->position = place->index;
	if (!policy_read_id(&id, &rule->id))
		rule->id = NULL;
	policy_load_scopes(place, &rule->match, &rule->except, &rule->has_except);

	bool verdict_known = policy_read_verdict(&verdict, &rule->verdict);

	if (verdict_known)
		policy_load_approval(place, rule->verdict == POLICY_REQUIRE_APPROVAL, &rule->profile);
	load_reason(&reason, &rule->reason);
	load_conditions(place, rule);
	load_obligations(&obligations, verdict_known, rule);
	load_expires(&expires, verdict_known, rule);
	load_remediation(&remediation, verdict_known, rule);
	load_notes(place, rule);
}

static int
compare_rules(const void *left, const void *right)
{
	const struct policy_rule *a = left, *b = right;
	int order = strcmp(a->id ? a->id : "", b->id ? b->id : "");

	return order ? order : (a->position > b->position) - (a->position < b->position);
}

/* By id, so that nothing that follows can depend on their order in the document. */
static void
sort_rules(const struct place *rules, struct policy *policy)
{
	qsort(policy->rules, policy->rule_count, sizeof *policy->rules, compare_rules);
	for (size_t i = 1; i < policy->rule_count && !policy_reader_is_full(rules); i++) {
		struct place place = policy_place_item(rules, policy->rules[i].position),
			     id = policy_place_member(&place, "id");

		if (policy->rules[i].id && policy->rules[i - 1].id
		    && strcmp(policy->rules[i - 1].id, policy->rules[i].id) == 0)
			policy_refuse(&id, "duplicate_id", "another rule has it");
	}
}

void
policy_load_rules(const struct place *root)
{
	struct place rules = policy_place_member(root, "rules");
	struct policy *policy = root->reader->policy;

	if (!rules.value || policy_is_empty(&rules, VALUE_LIST) || !policy_read_list(&rules, POLICY_RULES_MAX))
		return;
	policy->rule_count = rules.value->as.list.count;
	policy->rules = arena_take_array(root->reader->arena, policy->rule_count, sizeof *policy->rules);
	for (size_t i = 0; i < policy->rule_count; i++) {
		struct place place = policy_place_item(&rules, i);

		policy->rules[i].position = i;
		if (!policy_reader_is_full(root))
			load_rule(&place, &policy->rules[i]);
	}
	sort_rules(&rules, policy);
}
