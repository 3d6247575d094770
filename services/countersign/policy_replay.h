/* SPDX-License-Identifier: Apache-2.0 */
/* policy_replay.h - requests decided again: which decisions become others, counted by what decided before and after. */
#ifndef COUNTERSIGN_POLICY_REPLAY_H
#define COUNTERSIGN_POLICY_REPLAY_H

#include "common/message/request.h"
#include "services/countersign/policy_layers.h"

/* What came of one request. */
struct policy_seen {
	const char *verdict; /* "ALLOW", … */
	const char *by; /* the rules or limits that decided, "the default of change", or the reason's code */
	const char *asks; /* what is asked of people, and for how long, as one text; only compared */
};

struct policy_replay; /* lives in its arena */

struct policy_replay *policy_replay_open(struct arena *arena);
/* `name` is what people know the request by. Nothing is kept of the texts. */
void policy_replay_add(struct policy_replay *replay, const char *name, const struct policy_seen *before,
		       const struct policy_seen *after);
/*
 * {decisions, changed, groups: [{direction: "milder" | "stricter" | "asks otherwise", count, before, before_by, after, after_by, examples}]},
 * or the same for people; milder ones first, within a direction the most frequent first.
 */
void policy_replay_print(struct cli *cli, const struct policy_replay *replay);

/* A decision as an outcome; `whole`: asks holds groups, quorums and times, else the names of the profiles. */
struct policy_seen policy_seen_of(struct arena *arena, const struct policy_decision *decision, bool whole);
/* A request as the evaluator would take it; one without an id gets one. */
bool policy_request_of(struct arena *arena, struct value *map, struct request *request,
		       struct error *error) CS_MUST_CHECK;
/* Decides it by these documents, the organisation's first. is_verified: as if its signature was. usage: the `limits` of the explanation of a decision about it, whatever they say is used up; NULL: nothing is. */
void policy_request_decide(const struct policy_layers *layers, const struct request *request,
			   bool is_verified, const struct value *usage, int64_t now, struct arena *arena,
			   struct policy_decision *decision);

#endif
