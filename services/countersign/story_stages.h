/* SPDX-License-Identifier: Apache-2.0 */
/* story_stages.h - how far an approval had come when: the core counts again, answer by answer. */
#ifndef COUNTERSIGN_STORY_STAGES_H
#define COUNTERSIGN_STORY_STAGES_H

#include "common/approval/approval.h"
#include "services/countersign/story.h"

struct stages {
	struct approval approval;
	const char *groups[APPROVAL_ASKS_MAX];
	const char *profiles[APPROVAL_DEMANDS_MAX];
	const char *added_at[APPROVAL_DEMANDS_MAX]; /* by a second decision; NULL: since the opening */
	const char *people[APPROVAL_VOTERS_MAX];
	const char *step_groups[APPROVAL_STEPS_MAX], *step_at[APPROVAL_STEPS_MAX];
};

/* *stages is NULL when the request has no approval. */
bool stages_read(struct cli *cli, const char *request_id, struct stages **stages,
		 struct error *error) CS_MUST_CHECK;

/* Whom the demands ask that were added at `added_at` (NULL: at the opening). */
void stages_asked(struct buffer *out, const struct stages *stages, const char *added_at);
/* One step is taken. */
void stages_step(struct buffer *out, struct stages *stages, unsigned step);
/* A counted approve, deny or recuse, a row of `responses`; for which groups an approve counts is said, and what it completes. */
void stages_answered(struct buffer *out, struct stages *stages, const struct value *row);

#endif
