/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - the policy document and what it decides. Pure: values in, values out; no clock, no I/O. */
#ifndef COUNTERSIGN_POLICY_H
#define COUNTERSIGN_POLICY_H

#include "common/finding/finding.h"
#include "common/policy/policy_profile.h"
#include "common/value/value.h"

#define POLICY_RULES_MAX 20000
#define POLICY_CLASSES_MAX 256
#define POLICY_PROFILES_MAX 256
#define POLICY_REQUIREMENTS_MAX 16	  /* approval profiles that one decision may demand together */
#define POLICY_REQUIREMENTS_STAGES_MAX 32 /* their stages together */
#define POLICY_REQUIREMENTS_ASKS_MAX 32	  /* their asks together, those of steps included */
#define POLICY_REQUIREMENTS_STEPS_MAX 16  /* their steps together */
#define POLICY_LAYERS_MAX 2	   /* documents that decide together: the organisation's and the tenant's */
#define POLICY_CANDIDATES_MAX 1024 /* rules that may cover one literal action */

/* In the order of strictness. */
enum policy_verdict { POLICY_ALLOW, POLICY_REQUIRE_APPROVAL, POLICY_BLOCK };

/* "ALLOW", "REQUIRE_APPROVAL", "BLOCK" */
const char *policy_verdict_name(enum policy_verdict verdict);

/* A loaded document; lives in the arena it was loaded into, borrows nothing of the document. */
struct policy;
struct policy_deciding;

/*
 * Checks the document whole (policy.md 9.2, the manual page countersign-policy(5)) and compiles it. What is wrong goes into the
 * findings, up to findings->max of them with their spots, where `spot` is given (as document_read makes it, else NULL); NULL is
 * returned when there is any. What is right but not honoured by this version is no finding: it is among policy_gaps. For tools;
 * whoever decides about real requests takes policy_load. `approval` stands where people may be asked and nowhere else: with
 * REQUIRE_APPROVAL, and in a class whose evaluation_timeout is hold, whatever its default. Actions in patterns are a-z 0-9 _ - in
 * dotted segments, as in requests: what could never match is refused. Expressions are kept as text, not looked into. Words of the
 * findings: "unknown_key", "missing_key", "wrong_type", "bad_value", "bad_pattern", "duplicate_id" (E01), "wrong_value_type",
 * "unknown_input" (E02), "unknown_approval" (E03), "too_many", "too_large" (E04), "no_fallback_class" and
 * "missing_key", "bad_value" of an approval (E05). Limits: those above; 1,024 items in any other list; over all rules 100,000
 * action patterns, 1,024 of them with a star inside a segment ("a-*.b", not "a.*").
 */
struct policy *policy_load_whole(struct arena *arena, const struct value *document, const struct spot *spot,
				 struct findings *findings) CS_MUST_CHECK;

/* What of the document this version does not honour, the first FINDINGS_MAX: code E10, word "unsupported_key". */
const struct findings *policy_gaps(const struct policy *policy);

/*
 * As policy_load_whole, for those who decide, ask and grant: a policy that can't be honoured whole is not loaded at all. Errors:
 * ERROR_INVALID with the first finding's word and path ("rules[3].when"), or the first gap's.
 */
struct policy *policy_load(struct arena *arena, const struct value *document, struct error *error) CS_MUST_CHECK;

const char *policy_name(const struct policy *policy);
int64_t policy_version(const struct policy *policy);
/* True when the policy is for this tenant: its tenants hold it or "*". */
bool policy_covers(const struct policy *policy, const char *tenant);
/* An organisation's policy: its tenants hold "*". */
bool policy_is_organisation(const struct policy *policy);
/* The tenants the document names; "*" stands for all. */
const char *const *policy_tenants(const struct policy *policy, size_t *count);
/* Every group that an approval of this policy may ask, each once. */
const char *const *policy_groups(const struct policy *policy, size_t *count);

enum policy_window { POLICY_WINDOW_SLIDING, POLICY_WINDOW_FIXED, POLICY_WINDOW_TOKEN_BUCKET };
/* "sliding", "fixed", "token_bucket" */
const char *policy_window_name(enum policy_window window);

/* What a limit counts by: one of its keys. Usage belongs to policy, limit, fields, measure and key together, whatever the version. */
struct policy_counter {
	const char *policy, *limit; /* the policy's name, the limit's id */
	const char *fields;	    /* what the key is made of, with commas: "agent_id,context.currency" */
	const char *measure;	    /* the input that is summed: "context.amount_minor"; "": it counts */
	const char *key;	    /* a JSON list of the fields' values */
	const char *shown; /* the same for people: long texts shortened, sensitive inputs as "(hidden)" */
	enum policy_window window;
	int64_t max, per; /* microseconds */
};

/* How much of it is used up at `now`. */
struct policy_usage {
	int64_t amount; /* in the limit's own measure, 0 or more */
	int64_t resets_at; /* when there will be more room, if nothing more is used; 0: nothing is used, or it is not known */
};

/* What is decided about. All borrowed. */
struct policy_request {
	const char *tenant, *agent_id, *action, *target;
	const struct value *context; /* a map; NULL counts as empty */
	const char *digest;	     /* of the request; NULL where no limit's key needs it */
	bool is_verified; /* who asks is known by a signature; else agent_id and tenant are claims */
	int64_t deadline; /* microseconds since 1970 UTC; 0 = none */
	/* Has the time for evaluating run out? Asked now and then; whatever is not evaluated by then errs. NULL: no limit but that of
	 * the units. */
	bool (*expired)(void *clock);
	void *clock;
	/* What is used up of a limit before this request. NULL: nothing is. False: it is not known, which counts as exceeded. */
	bool (*used)(void *usage, const struct policy_counter *counter, struct policy_usage *used);
	void *usage;
};

/* What one profile demands; all profiles of a decision must be met. */
struct policy_requirement {
	const char *profile, *group; /* its name; the group that is asked first */
	int64_t quorum;		     /* how many of that */
	const char *policy;	     /* whose profile it is, in a decision by several documents; else NULL */
	const struct policy_profile *terms;    /* all that it demands */
	const struct policy_profile *fallback; /* what stands in for it if escalate_if_nobody, else NULL */
	bool is_fallback; /* it stands in for what nobody could answer (policy_requirement_escalate) */
};

struct policy_decision {
	enum policy_verdict verdict;
	/* one of "rule", "class_default", "rule_error" (a condition of a rule that restricts could not be evaluated, and the rule's
	 * decision stands instead of a milder one), "limit_exceeded" (likewise, of a limit), "identity_not_verified", "missing_input", "evaluation_timeout", "no_policy", "invalid_request" (the context does
	 * not satisfy the declared inputs), "bad_param" (one document gives another's param what this does not take), "too_many_rules" (over
	 * POLICY_CANDIDATES_MAX speak), "too_many_requirements" (more would be asked than one approval holds: over POLICY_REQUIREMENTS_MAX
	 * profiles, 32 stages, 32 asks or 16 steps of them together),
	 * "obligation_conflict", "too_many_obligations" (policy_obligations.h; `rules` are those that oblige so) */
	const char *reason_code;
	const char *reason_text; /* one line of at most 1 KiB; the rules' reasons, joined */
	const char *remediation; /* likewise, what the agent could do instead; NULL: nothing is said of it; never with ALLOW */
	const char *class_id; /* the class whose default or cells spoke; of several the strictest, first in the
				  * document; NULL when no class was looked for (no_policy) */
	bool default_used;    /* no rule counted: the class's default is the base of the decision */
	const char *const *rules; /* ids of the deciding rules, sorted by name */
	size_t rule_count;
	const char *const *errors; /* ids of the rules whose condition could not be evaluated, sorted by name */
	size_t error_count;
	const char *const *limits; /* ids of the limits that made the decision what it is, sorted by name */
	size_t limit_count;
	const char *const *missing; /* with missing_input: the paths, sorted */
	size_t missing_count;
	const struct error *refusal; /* with invalid_request: code and field, as policy_read_context says; else NULL */
	/* with REQUIRE_APPROVAL */
	struct policy_requirement requirements[POLICY_REQUIREMENTS_MAX];
	size_t requirement_count;
	int64_t ttl;	   /* microseconds; the least of all profiles; 0: no deadline */
	int64_t extend_to; /* the least of all profiles; 0: one of them does not let its deadline be extended */
	int64_t remind_before,
	    remind_every; /* the first and the most frequent reminders of all profiles; 0: none */
	int64_t hold_for; /* microseconds between the grant and its not_before; the most of all profiles */
	/* What becomes of a requirement that nobody could answer: cell no_eligible_approver, of several classes the strictest; of closed, which
	 * is neither, hold and escalate in this order. */
	bool hold_if_nobody, escalate_if_nobody;
	/* with ALLOW: of the class; with REQUIRE_APPROVAL: the least of the grants; microseconds, > 0 */
	int64_t valid_for;
	/* unless BLOCK: what whoever is authorized must do as well, a map (policy_obligations.h); NULL: nothing */
	const struct value *obligations;
	const struct policy_deciding *trail; /* for policy_explain; lives in the arena, borrows from policy and request */
};

/*
 * Never fails: whatever is unclear is BLOCK. policy NULL = "no_policy". `now` is the database's clock. The strings
 * live in the policy or in the arena. Rules of combination: policy.md 9.2 (classes) and 10.3 (rules), numbered at the
 * head of policy_decide.c; the unit tests carry the same numbers.
 */
void policy_decide(const struct policy *policy, const struct policy_request *request, int64_t now,
		   struct arena *arena, struct policy_decision *decision);

/* Do the stages, asks and steps of all requirements fit into one approval? */
bool policy_requirements_fit(const struct policy_decision *decision);
/* The requirement of a decision with escalate_if_nobody as its fallback stands in for it. */
struct policy_requirement policy_requirement_escalate(const struct policy_requirement *requirement);

/* When a request begins to use a limit: when people are asked about it, when it is granted, when it was executed. */
enum policy_count_on { POLICY_COUNT_DECISION, POLICY_COUNT_GRANT, POLICY_COUNT_EXECUTION };

/* What a request takes of a limit when it is allowed, or granted by people; count_on says whether before that or after. */
struct policy_use {
	const struct policy_counter
	    *counter; /* key NULL: it, or the amount, is missing; nothing can be taken, and it was exceeded */
	int64_t amount;
	bool warns;    /* with it as much is used as the limit's warn_at says, or more */
	bool exceeded; /* it does not fit */
	enum policy_count_on count_on;
	int64_t report_within; /* microseconds after an authorization's end in which its execution may be reported */
	bool releases; /* it is given back when the execution failed, and who executed has signed that */
};
/* Of every limit that is about the request, of every document, by their ids. None after a BLOCK by something else. In the arena. */
const struct policy_use *policy_uses(const struct policy_decision *decision, struct arena *arena,
				     size_t *count);
/* Does the policy hold any limit? */
bool policy_has_limits(const struct policy *policy);

/*
 * The same by several documents together, up to POLICY_LAYERS_MAX (more are BLOCK no_policy), the organisation's before the tenant's: rule
 * 12 at the head of policy_decide.c. None of them loosens what another decides by itself, but that a context is undeclared only when it is so in all that
 * declare inputs, and that a default of a class with `floor: false` gives way to the rules of the other. One document is policy_decide,
 * none is "no_policy". Names in rules, errors and limits are then of any of them, each once; class_id is of the one that reason_code is of.
 */
void policy_decide_layers(const struct policy *const *layers, size_t count,
			  const struct policy_request *request, int64_t now, struct arena *arena,
			  struct policy_decision *decision);

/*
 * Do the values that a tenant's document gives for params of this organisation's document fit? Only those with bounds (min, max or enum) may be
 * given, within these. Errors: ERROR_INVALID with the field ("params.refund_limit"): "unknown_param", "not_overridable", and those of
 * policy_read_context.
 */
bool policy_params_fit(const struct policy *tenant, const struct policy *organisation, struct arena *arena,
		       struct error *error) CS_MUST_CHECK;
/* The organisation's documents that it gives values for, the n-th; NULL: there are no more. */
const char *policy_params_of(const struct policy *policy, size_t n);

/*
 * Of two documents that may decide together: can an input that both declare satisfy both? Of lists what they hold is compared. Errors:
 * ERROR_INVALID "inputs_clash" with the first field ("inputs.plan.create").
 */
bool policy_inputs_fit(const struct policy *policy, const struct policy *other, struct arena *arena,
		       struct error *error) CS_MUST_CHECK;

/* Did any of the documents put the action into this class? */
bool policy_is_of_class(const struct policy_decision *decision, const char *class_id);

/* Did units or time run out, of any document, so that something was not evaluated? */
bool policy_is_exhausted(const struct policy_decision *decision);

/*
 * A pattern over segments: separators are '.', '/' and ':'; "*" inside a segment stands for any run without a
 * separator, "**" as a whole segment for any run of segments, none included. Everything else is literal.
 * A literal segment must stand between the pattern's separators: "a.**" covers "a" and "a.b/c", not "a/b".
 * ERROR_INVALID "bad_pattern" for an empty pattern, one over 256 bytes, "**" glued to other characters, or more than 8
 * stars ("**" is one).
 */
bool policy_pattern_check(const char *pattern, const char *field, struct error *error) CS_MUST_CHECK;
/* Linear in the product of both lengths at worst. The pattern was checked. */
bool policy_pattern_match(const char *pattern, const char *text);

#endif
