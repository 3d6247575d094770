/* SPDX-License-Identifier: Apache-2.0 */
/* policy_load_class.c - the classes of a document: what holds for an action when no rule speaks, and when something fails. */
#include "common/policy/policy_read.h"

#include <string.h>

/* One cell: a word that is legal in it. Each enum begins as its words do. */
static bool
load_cell(const struct place *failure, const char *name, const char *const *words, size_t *word)
{
	struct place cell = policy_place_member(failure, name);

	*word = 0;
	return !cell.value || policy_read_word(&cell, words, word);
}

/* The legal words of the six cells. No service ever opens: `open` is the gate's, and only where everything is allowed anyway. */
static bool
load_failure(const struct place *place, struct policy_class *class)
{
	static const char *const known[] = {
	    "evaluation_timeout", "unavailable", "approval_queued", "no_eligible_approver", "ignored",
	    "downstream_failure", NULL};
	static const char *const gaps[] = {"unavailable", "approval_queued", "ignored", "downstream_failure",
					   NULL};
	static const char *const timeout[] = {"closed", "hold", NULL}, *const unavailable[] = {"closed",
											       "open", NULL};
	static const char *const queued[] = {"closed", "hold", NULL}, *const nobody[] = {"closed", "hold",
											 "escalate", NULL};
	static const char *const after[] = {"record", "escalate", "tighten", NULL};
	struct policy_cells *cells = &class->cells;
	size_t words[6];

	if (!place->value)
		return true; /* a missing cell is closed */
	if (!policy_read_map(place, known))
		return false;
	policy_note_gaps(place, gaps);

	bool good = load_cell(place, "evaluation_timeout", timeout, &words[0]);

	good = load_cell(place, "unavailable", unavailable, &words[1]) && good;
	good = load_cell(place, "approval_queued", queued, &words[2]) && good;
	good = load_cell(place, "no_eligible_approver", nobody, &words[3]) && good;
	good = load_cell(place, "ignored", after, &words[4]) && good;
	good = load_cell(place, "downstream_failure", after, &words[5]) && good;
	if (!good)
		return false;
	cells->evaluation_timeout = (enum policy_cell_timeout)words[0];
	cells->unavailable = (enum policy_cell_unavailable)words[1];
	cells->approval_queued = (enum policy_cell_queued)words[2];
	cells->no_eligible_approver = (enum policy_cell_nobody)words[3];
	cells->ignored = (enum policy_cell_after)words[4];
	cells->downstream_failure = (enum policy_cell_after)words[5];
	return true;
}

/* What the cells say must fit the rest of the class. */
static bool
check_failure(const struct place *owner, const struct place *place, struct policy_class *class)
{
	struct place unavailable = policy_place_member(place, "unavailable"),
		     fallback = policy_place_member(owner, "fallback");
	bool escalates = class->cells.no_eligible_approver == POLICY_NOBODY_ESCALATE;

	if (escalates && !fallback.value)
		return policy_refuse_as(&fallback, "E05", "missing_key",
					"must be there: whom no_eligible_approver escalates to");
	if (!escalates && fallback.value)
		return policy_refuse_as(&fallback, "E05", "bad_value",
					"nobody is ever asked: no_eligible_approver must be escalate");
	if (fallback.value && !policy_load_ask(&fallback, &class->fallback))
		return false;
	if (class->cells.unavailable == POLICY_UNAVAILABLE_OPEN && class->verdict != POLICY_ALLOW)
		return policy_refuse_as(&unavailable, "E05", "bad_value",
					"open is only for a class whose default is ALLOW");
	return true;
}

static bool
load_marks(const struct place *place, struct policy_class *class)
{
	static const char *const gaps[] = {"irreversible", NULL};
	static const char *const errors[] = {"BLOCK", NULL}, *const identities[] = {"claimed", "verified",
										    NULL};
	struct place on_error = policy_place_member(place, "on_error"),
		     floor = policy_place_member(place, "floor");
	struct place identity = policy_place_member(place, "identity"),
		     irreversible = policy_place_member(place, "irreversible"),
		     no_deadline = policy_place_member(place, "no_deadline");
	size_t word = 0;
	bool good = !on_error.value || policy_read_word(&on_error, errors, &word);

	class->errors_block = on_error.value;
	class->is_floor = true;
	good = (!floor.value || policy_read_bool(&floor, &class->is_floor)) && good;
	good = (!no_deadline.value || policy_read_bool(&no_deadline, &class->no_deadline)) && good;
	good = (!irreversible.value || policy_read_bool(&irreversible, &class->irreversible)) && good;
	word = 0;
	good = (!identity.value || policy_read_word(&identity, identities, &word)) && good;
	class->verified_identity = word == 1;
	policy_note_gaps(place, gaps);
	return good;
}

/* Everything but `approval`, which depends on the rest. */
static bool
load_members(const struct place *place, struct policy_class *class)
{
	struct place id = policy_place_member(place, "id"), actions = policy_place_member(place, "actions");
	struct place except = policy_place_member(place, "except"),
		     requires = policy_place_member(place, "requires");
	struct place verdict = policy_place_member(place, "default"),
		     valid_for = policy_place_member(place, "valid_for");
	struct place failure = policy_place_member(place, "failure");

	class->valid_for = POLICY_VALID_FOR_DEFAULT;
	bool good = policy_read_id(&id, &class->id);

	good = policy_read_strings(&actions, policy_read_action_pattern, &class->actions) && good;
	good = (!except.value || policy_read_strings(&except, policy_read_action_pattern, &class->except))
	       && good;
	good = policy_read_verdict(&verdict, &class->verdict) && good;
	good = (!requires.value || policy_read_strings(&requires, policy_read_path, &class->requires)) && good;
	good = (!valid_for.value || policy_read_duration(&valid_for, &class->valid_for)) && good;
	good = load_failure(&failure, class) && good;
	good = load_marks(place, class) && good;
	return good && check_failure(place, &failure, class);
}

static bool
load_class(const struct place *place, struct policy_class *class)
{
	static const char *const known[] = {"id",	"actions",	"except",      "default",  "approval",
					    "requires", "valid_for",	"failure",     "on_error", "floor",
					    "identity", "irreversible", "no_deadline", "fallback", NULL};

	if (!policy_read_map(place, known) || !load_members(place, class))
		return false;
	/* hold asks people: it must say whom, whatever the default is */
	return policy_load_approval(place,
				    class->verdict == POLICY_REQUIRE_APPROVAL
					|| class->cells.evaluation_timeout == POLICY_TIMEOUT_HOLD,
				    &class->profile);
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
id_is_new(const struct place *place, const struct policy *policy, size_t number)
{
	struct place id = policy_place_member(place, "id");

	for (size_t i = 0; i < number; i++)
		if (policy->classes[i].id && strcmp(policy->classes[i].id, policy->classes[number].id) == 0)
			return policy_refuse(&id, "duplicate_id", "another class has it");
	return true;
}

void
policy_load_classes(const struct place *root)
{
	struct place classes = policy_place_member(root, "classes");
	struct policy *policy = root->reader->policy;
	bool good = true;

	if (!policy_read_list(&classes, POLICY_CLASSES_MAX))
		return;
	policy->class_count = classes.value->as.list.count;
	policy->classes = arena_take_array(root->reader->arena, policy->class_count, sizeof *policy->classes);
	for (size_t i = 0; i < policy->class_count && !policy_reader_is_full(root); i++) {
		struct place place = policy_place_item(&classes, i);

		good = load_class(&place, &policy->classes[i]) && id_is_new(&place, policy, i) && good;
	}
	if (good && !policy_reader_is_full(root) && find_fallback(&classes, policy))
		policy_collect_groups(root->reader->arena, policy);
}
