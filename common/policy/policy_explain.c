/* SPDX-License-Identifier: Apache-2.0 */
/* policy_explain.c - every candidate with what it came to, and what was read for it. */
#include "common/policy/policy_explain.h"
#include "common/cel/time.h"
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_read.h"

#include <string.h>

enum { NEAREST_UNITS = 50000 }; /* to find what would have been allowed */

struct explaining {
	struct arena *arena;
	const struct policy_decision *decision; /* the caller's: the trail's own may have been copied from where it was made */
	const struct policy_deciding *trail; /* of one document */
	const struct policy_deciding *head; /* of the decision, which is the same unless several documents made it */
	struct value *shown; /* a map: the inputs that were shown already, as many rules read the same */
};

static bool
is_layered(const struct explaining *e)
{
	return e->head->layer_count > 0;
}

/* Whose it is, where that is not plain. */
static void
set_policy(const struct explaining *e, struct value *map)
{
	if (is_layered(e))
		value_set_string(e->arena, map, "policy", policy_name(e->trail->policy));
}

/* Has its document made the decision what it is? */
static bool
speaks(const struct explaining *e)
{
	return !is_layered(e) || (!e->trail->is_silent && e->trail->decision->verdict == e->decision->verdict);
}

static void
set_strings(const struct explaining *e, struct value *map, const char *name, const char *const *strings,
	    size_t count)
{
	struct value *list = value_list(e->arena);

	for (size_t i = 0; i < count; i++)
		value_append(e->arena, list, value_string(e->arena, strings[i]));
	value_set(e->arena, map, name, list);
}

static void
set_int(const struct explaining *e, struct value *map, const char *name, int64_t integer)
{
	value_set(e->arena, map, name, value_int(e->arena, integer));
}

/* ------------------------------------------------------------------ what was read */

/* The same value for all that read it. */
static struct value *
input_shown(const struct explaining *e, const char *path, const char *input)
{
	struct value *value = value_get(e->shown, path);
	bool is_mark;

	if (!value) {
		value = policy_input_shown(e->trail, input, e->arena, &is_mark);
		value_set(e->arena, e->shown, path, value);
	}
	return value;
}

static void
add_read(const struct explaining *e, struct value *map, const char *path)
{
	static const char context[] = "context.";
	const struct policy_request *request = e->trail->request;
	const char *const names[] = {"agent_id", "action", "target", "tenant"};
	const char *const values[] = {request->agent_id, request->action, request->target, request->tenant};

	if (value_get(map, path))
		return;
	if (strncmp(path, context, strlen(context)) == 0) {
		value_set(e->arena, map, path, input_shown(e, path, path + strlen(context)));
		return;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(path, names[i]) == 0)
			value_set(e->arena, map, path, value_string(e->arena, values[i]));
}

static void add_reads(const struct explaining *e, struct value *map, const struct policy_program *program);

static void
add_program_reads(const struct explaining *e, struct value *map, const struct cel_program *program)
{
	size_t count;
	const char *const *paths = cel_program_reads(program, &count);

	for (size_t i = 0; i < count; i++)
		add_read(e, map, paths[i]);
}

/* Its own, and those of the named expressions that it reads. */
static void
add_reads(const struct explaining *e, struct value *map, const struct policy_program *program)
{
	const struct policy_bindings *bindings = &e->trail->policy->names->bindings;

	add_program_reads(e, map, program->program);
	for (size_t i = 0; i < program->binding_count; i++)
		add_program_reads(e, map, bindings->items[program->bindings[i]].value.program);
}

static struct value *
reads_of(const struct explaining *e, const struct policy_condition *condition)
{
	struct value *map = value_map(e->arena);

	for (size_t i = 0; i < condition->count; i++)
		add_reads(e, map, &condition->conjuncts[i].ask);
	return map;
}

/* ------------------------------------------------------------------ candidates */

static const char *
conjunct_text(const struct explaining *e, const struct policy_conjunct *conjunct)
{
	return conjunct->of_unless ? arena_format(e->arena, "!(%s)", conjunct->text) : conjunct->text;
}

static void
add_error(const struct explaining *e, struct value *map, const struct policy_outcome *outcome)
{
	value_set_string(e->arena, map, "error", cel_code_name(outcome->code));
	if (outcome->decider) {
		value_set_string(e->arena, map, "in", conjunct_text(e, outcome->decider));
		value_set_string(e->arena, map, "of", outcome->decider->of_unless ? "unless" : "when");
		set_int(e, map, "position", outcome->position);
	}
}

static struct value *
because(const struct explaining *e, const struct policy_candidate *candidate)
{
	struct value *map = value_map(e->arena);

	set_policy(e, map);
	value_set_string(e->arena, map, "rule", candidate->rule->id);
	value_set_string(e->arena, map, "decision", policy_verdict_name(candidate->rule->verdict));
	value_set_string(e->arena, map, "reason", policy_filled(e->trail, candidate->rule->reason, e->arena));
	value_set(e->arena, map, "read", reads_of(e, &candidate->rule->condition));
	return map;
}

static struct value *
considered(const struct explaining *e, const struct policy_candidate *candidate)
{
	static const char *const results[] = {
	    [POLICY_FALSE] = "no", [POLICY_TRUE] = "yes", [POLICY_ERROR] = "error"};
	const struct policy_outcome *outcome = &candidate->outcome;
	struct value *map = value_map(e->arena), *read = value_map(e->arena);

	set_policy(e, map);
	value_set_string(e->arena, map, "rule", candidate->rule->id);
	value_set_string(e->arena, map, "decision", policy_verdict_name(candidate->rule->verdict));
	value_set_string(e->arena, map, "result", results[outcome->truth]);
	if (candidate->rule->is_shadow)
		value_set_string(e->arena, map, "mode", "shadow");
	if (outcome->truth == POLICY_ERROR) {
		add_error(e, map, outcome);
		value_set(e->arena, map, "raised", value_bool(e->arena, candidate->decides && speaks(e)));
	} else if (outcome->decider) {
		value_set_string(e->arena, map, "false", conjunct_text(e, outcome->decider));
	}
	if (outcome->decider) {
		add_reads(e, read, &outcome->decider->ask);
		value_set(e->arena, map, "read", read);
	}
	return map;
}

static void
add_candidates(const struct explaining *e, struct value *decided, struct value *others)
{
	for (size_t i = 0; i < e->trail->candidate_count; i++) {
		const struct policy_candidate *candidate = &e->trail->candidates[i];

		if (candidate->decides && candidate->outcome.truth == POLICY_TRUE && speaks(e))
			value_append(e->arena, decided, because(e, candidate));
		else
			value_append(e->arena, others, considered(e, candidate));
	}
}

/* ------------------------------------------------------------------ what would have been allowed */

/* The values of the decision with a purse of their own and no clock, so that the same decision is explained the same, however long it took. */
static struct policy_meter
meter_of(const struct explaining *e)
{
	const struct policy_names *names = e->trail->policy->names;
	size_t slots = cel_slot_count(names->env), bindings = names->bindings.count;
	struct policy_meter meter = e->trail->meter;

	meter.arena = e->arena;
	meter.expired = NULL;
	meter.cost = POLICY_COST_MAX - NEAREST_UNITS;
	meter.others = 0;
	if (!meter.slots)
		return meter;
	meter.slots = arena_take_array(e->arena, slots, sizeof *meter.slots);
	memcpy(meter.slots, e->trail->meter.slots, slots * sizeof *meter.slots);
	meter.known = arena_take_array(e->arena, bindings + 1, sizeof *meter.known);
	memcpy(meter.known, e->trail->meter.known, bindings * sizeof *meter.known);
	return meter;
}

/* What speaks against an ALLOW rule that is about the request, as it is written: all of it, or `most` when it is that or more. */
static size_t
needs(const struct explaining *e, const struct policy_candidate *candidate, struct policy_meter *meter,
      size_t most, const char **texts)
{
	const struct policy_condition *condition = &candidate->rule->condition;
	size_t count = 0;

	for (size_t i = 0; i < condition->count && count < most; i++) {
		struct policy_condition one = {&condition->conjuncts[i], 1};

		if (policy_condition_ask(&one, meter).truth != POLICY_TRUE)
			texts[count++] = conjunct_text(e, &condition->conjuncts[i]);
	}
	return count;
}

/* None is named when some could not be asked: it might be another. */
static void
add_nearest(const struct explaining *e, struct value *map)
{
	const struct policy_candidate *nearest = NULL;
	const char **least = NULL;
	size_t least_count = SIZE_MAX;
	struct policy_meter meter;

	if (!e->trail->candidate_count || e->trail->meter.exhausted)
		return;
	meter = meter_of(e);
	for (size_t i = 0; i < e->trail->candidate_count; i++) {
		const struct policy_candidate *candidate = &e->trail->candidates[i];

		if (candidate->rule->verdict != POLICY_ALLOW || candidate->rule->is_shadow
		    || candidate->outcome.truth == POLICY_TRUE)
			continue;
		if (least_count <= 1 && candidate->outcome.truth == POLICY_FALSE)
			continue; /* it needs one at least */

		const char **texts =
		    arena_take_array(e->arena, candidate->rule->condition.count, sizeof *texts);
		size_t count = needs(e, candidate, &meter, least_count, texts);

		if (count < least_count) {
			nearest = candidate;
			least = texts;
			least_count = count;
		}
	}
	if (!nearest || meter.exhausted)
		return;

	struct value *found = value_map(e->arena);

	set_policy(e, found);
	value_set_string(e->arena, found, "rule", nearest->rule->id);
	set_strings(e, found, "needs", least, least_count);
	value_set(e->arena, map, "nearest_allow", found);
}

/* ------------------------------------------------------------------ the rest */

static struct value *
class_of(const struct explaining *e)
{
	struct value *class = value_map(e->arena);

	set_policy(e, class);
	value_set_string(e->arena, class, "id", e->trail->speaker->id);
	value_set_string(e->arena, class, "default", policy_verdict_name(e->trail->speaker->verdict));
	value_set(e->arena, class, "default_used",
		  value_bool(e->arena, e->trail->default_used && !e->trail->is_silent));
	return class;
}

/* RFC 3339, in UTC. */
static const char *
moment(const struct explaining *e, int64_t microseconds)
{
	char *text = arena_take(e->arena, CEL_TIME_TEXT_SIZE);

	cel_timestamp_text(cel_timestamp(microseconds / 1000000, (uint32_t)(microseconds % 1000000 * 1000)),
			   text);
	return text;
}

/* An input, or a part of one, that nobody may see. */
static bool
is_hidden(const struct explaining *e, const char *path)
{
	static const char context[] = "context.";

	return strncmp(path, context, strlen(context)) == 0
	       && policy_is_hidden(e->trail, path + strlen(context));
}

static struct value *
key_shown(const struct explaining *e, const struct policy_check *check)
{
	for (size_t i = 0; i < check->limit->key.count; i++)
		if (check->counter.key && is_hidden(e, check->limit->key.items[i]))
			return value_string(e->arena, "(hidden)");
	return value_string(e->arena, check->counter.shown);
}

/* What others have used may be more than a number of JSON can be: then the largest. */
static struct value *
amount_shown(const struct explaining *e, const struct policy_check *check, int64_t amount)
{
	static const int64_t largest = (INT64_C(1) << 53) - 1;

	if (check->limit->sum_of && is_hidden(e, check->limit->sum_of))
		return value_string(e->arena, "(hidden)");
	return value_int(e->arena, amount > largest ? largest : amount < -largest ? -largest : amount);
}

static void
add_limits(const struct explaining *e, struct value *list)
{
	for (size_t i = 0; i < e->trail->check_count; i++) {
		const struct policy_check *check = &e->trail->checks[i];
		struct value *one = value_map(e->arena);

		set_policy(e, one);
		value_set_string(e->arena, one, "limit", check->limit->id);
		value_set(e->arena, one, "exceeded", value_bool(e->arena, check->exceeded));
		value_set(e->arena, one, "key", key_shown(e, check));
		if (check->outcome.truth == POLICY_ERROR)
			add_error(e, one, &check->outcome);
		if (check->unknown)
			value_set(e->arena, one, "unknown", value_bool(e->arena, true));
		value_set(e->arena, one, "used", amount_shown(e, check, check->used.amount));
		value_set(e->arena, one, "amount", amount_shown(e, check, check->amount));
		set_int(e, one, "max", check->limit->max);
		if (check->used.resets_at)
			value_set_string(e->arena, one, "resets_at", moment(e, check->used.resets_at));
		if (policy_check_warns(check))
			value_set(e->arena, one, "warns", value_bool(e->arena, true));
		value_append(e->arena, list, one);
	}
}

static struct value *
asks_of(const struct explaining *e, const struct policy_stage *stage)
{
	struct value *list = value_list(e->arena);

	for (size_t i = 0; i < stage->ask_count; i++) {
		struct value *one = value_map(e->arena);

		value_set_string(e->arena, one, "group", stage->asks[i].group);
		set_int(e, one, "quorum", stage->asks[i].quorum);
		value_append(e->arena, list, one);
	}
	return list;
}

static void
set_stage(const struct explaining *e, struct value *map, const struct policy_stage *stage)
{
	value_set(e->arena, map, stage->all ? "all_of" : "any_of", asks_of(e, stage));
}

/* As the document has it: one stage by itself, several as a list. */
static void
set_stages(const struct explaining *e, struct value *map, const struct policy_profile *profile)
{
	struct value *list = value_list(e->arena);

	if (profile->stage_count == 1) {
		set_stage(e, map, &profile->stages[0]);
		return;
	}
	for (size_t i = 0; i < profile->stage_count; i++) {
		struct value *one = value_map(e->arena);

		set_stage(e, one, &profile->stages[i]);
		value_append(e->arena, list, one);
	}
	value_set(e->arena, map, "stages", list);
}

/* Does it ask by itself: by its default, or because it holds what came late? */
static bool
class_asks(const struct explaining *e, const struct policy_class *class)
{
	const struct policy_decision *own = is_layered(e) ? e->trail->decision : e->decision;

	return strcmp(own->reason_code, "evaluation_timeout") == 0
	       || (policy_default_counts(e->trail, class) && class->verdict == POLICY_REQUIRE_APPROVAL);
}

/* Who asks for a profile: rules, limits and classes. */
static struct value *
askers_of(const struct explaining *e, const struct policy_profile *profile)
{
	const struct policy_deciding *trail = e->trail;
	struct value *list = value_list(e->arena);

	for (size_t i = 0; i < trail->candidate_count; i++)
		if (trail->candidates[i].decides && trail->candidates[i].rule->profile == profile)
			value_append(e->arena, list, value_string(e->arena, trail->candidates[i].rule->id));
	for (size_t i = 0; i < trail->check_count; i++)
		if (trail->checks[i].decides && trail->checks[i].limit->profile == profile)
			value_append(e->arena, list, value_string(e->arena, trail->checks[i].limit->id));
	for (size_t i = 0; i < trail->class_count; i++)
		if (trail->classes[i]->profile == profile && class_asks(e, trail->classes[i]))
			value_append(e->arena, list, value_string(e->arena, trail->classes[i]->id));
	return list;
}

static void
add_approvals(const struct explaining *e, struct value *list)
{
	for (size_t i = 0; i < e->trail->profile_count; i++) {
		const struct policy_profile *profile = e->trail->profiles[i];
		struct value *one = value_map(e->arena);

		set_policy(e, one);
		value_set_string(e->arena, one, "profile", profile->name);
		value_set(e->arena, one, "from", askers_of(e, profile));
		set_stages(e, one, profile);
		value_append(e->arena, list, one);
	}
}

/* ------------------------------------------------------------------ one document, or several */

/* The view of one layer. */
static struct explaining
view(const struct policy_decision *decision, struct arena *arena, size_t layer)
{
	const struct policy_deciding *head = decision->trail;

	return (struct explaining){.arena = arena,
				   .decision = decision,
				   .trail = head->layer_count ? &head->layers[layer] : head,
				   .head = head,
				   .shown = value_map(arena)};
}

static size_t
layers_of(const struct policy_decision *decision)
{
	return decision->trail->layer_count ? decision->trail->layer_count : 1;
}

/* What the request says and no rule has asked, by name. */
static void
add_ignored(const struct explaining *e, struct value *map)
{
	const struct value *context = e->head->request->context;
	size_t count, layers = layers_of(e->decision);
	const struct policy_deciding **trails = arena_take_array(e->arena, layers, sizeof *trails);
	const char *const *names;
	bool is_declared = false;

	for (size_t i = 0; i < layers; i++) {
		trails[i] = view(e->decision, e->arena, i).trail;
		is_declared = is_declared || trails[i]->policy->has_inputs;
	}
	if (!is_declared || !context || context->kind != VALUE_MAP)
		return;

	names = policy_ignored(trails, layers, context, e->arena, &count);
	set_strings(e, map, "ignored_fields", names, count);
}

static struct value *
policy_of(const struct explaining *e)
{
	struct value *policy = value_map(e->arena);

	value_set_string(e->arena, policy, "id", e->trail->policy->name);
	set_int(e, policy, "version", e->trail->policy->version);
	return policy;
}

/* A map of the one document, or a list with one map for each. */
static void
set_each(const struct explaining *e, struct value *map, const char *name, struct value *list)
{
	if (list->as.list.count)
		value_set(e->arena, map, name, is_layered(e) ? list : list->as.list.items[0]);
}

static void
add_work(const struct explaining *e, struct value *map)
{
	struct value *index = value_map(e->arena), *cost = value_map(e->arena);
	int64_t rules = 0, action = 0, agent_target = 0, units = 0;

	for (size_t i = 0; i < layers_of(e->decision); i++) {
		const struct policy_deciding *trail = view(e->decision, e->arena, i).trail;

		rules += (int64_t)trail->policy->rule_count;
		action += (int64_t)trail->indexed;
		agent_target += (int64_t)trail->candidate_count;
		units += (int64_t)trail->meter.cost;
	}
	set_int(e, index, "rules", rules);
	set_int(e, index, "action", action);
	set_int(e, index, "agent_target", agent_target);
	value_set(e->arena, map, "index", index);
	set_int(e, cost, "units", units);
	value_set(e->arena, map, "cost", cost);
}

static void
add_layers(const struct policy_decision *decision, struct arena *arena, struct value *map)
{
	const struct explaining e = view(decision, arena, 0);
	struct value *policies = value_list(arena), *classes = value_list(arena), *decided = value_list(arena);
	struct value *others = value_list(arena), *limits = value_list(arena), *approvals = value_list(arena);

	for (size_t i = 0; i < layers_of(decision); i++) {
		const struct explaining one = view(decision, arena, i);

		value_append(arena, policies, policy_of(&one));
		if (one.trail->speaker)
			value_append(arena, classes, class_of(&one));
		add_candidates(&one, decided, others);
		add_limits(&one, limits);
		if (decision->verdict == POLICY_REQUIRE_APPROVAL && speaks(&one))
			add_approvals(&one, approvals);
	}
	set_each(&e, map, "policy", policies);
	set_each(&e, map, "class", classes);
	value_set(arena, map, "because", decided);
	value_set(arena, map, "considered", others);
	set_strings(&e, map, "errors", decision->errors, decision->error_count);
	add_work(&e, map);
	if (limits->as.list.count)
		value_set(arena, map, "limits", limits);
	if (decision->verdict == POLICY_REQUIRE_APPROVAL)
		value_set(arena, map, "approvals", approvals);
}

/* Of the first that does not allow by itself. */
static void
add_nearest_of_any(const struct policy_decision *decision, struct arena *arena, struct value *map)
{
	for (size_t i = 0; i < layers_of(decision) && !value_get(map, "nearest_allow"); i++) {
		const struct explaining one = view(decision, arena, i);

		if (speaks(&one))
			add_nearest(&one, map);
	}
}

struct value *
policy_explain(const struct policy_decision *decision, struct arena *arena)
{
	const struct explaining e = view(decision, arena, 0);
	struct value *map = value_map(arena);

	value_set_string(arena, map, "decision", policy_verdict_name(decision->verdict));
	value_set_string(arena, map, "reason_code", decision->reason_code);
	value_set_string(arena, map, "reason", decision->reason_text);
	value_set_string(arena, map, "remediation", decision->remediation);
	if (decision->obligations)
		value_set(arena, map, "obligations", (struct value *)(uintptr_t)decision->obligations);
	if (!e.trail->policy)
		return map;
	add_layers(decision, arena, map);
	if (decision->missing_count)
		set_strings(&e, map, "missing", decision->missing, decision->missing_count);
	if (decision->refusal) {
		value_set_string(arena, map, "field", decision->refusal->field);
		value_set_string(arena, map, "code", decision->refusal->code);
		return map;
	}
	add_ignored(&e, map);
	if (decision->verdict != POLICY_ALLOW)
		add_nearest_of_any(decision, arena, map);
	return map;
}
