/* SPDX-License-Identifier: Apache-2.0 */
/* story.h - the life of one request in sentences: who did what, when and why, and what came of it. It reads and changes nothing. */
#ifndef COUNTERSIGN_STORY_H
#define COUNTERSIGN_STORY_H

#include "services/countersign/cli.h"

/*
 * `whole` is what `show` has read. A list of {at, text} in the order of time; text is fit for a terminal, whatever agents and people
 * wrote. NULL: the database could not be asked.
 */
struct value *story_tell(struct cli *cli, const char *request_id, const struct value *whole,
			 struct error *error) CS_MUST_CHECK;

/* A line with the date where a day begins, then the sentences with their times, folded at words. */
void story_print(const struct value *story);

/* ------------------------------------------------------------------ between the files of the story */

struct stages;

struct teller {
	struct cli *cli;
	const struct value *whole, *request;
	struct stages *stages; /* as far as it has been told; NULL: nobody is asked */
};

/* A name as it is when it can't be mistaken for words of the sentence; else in quotation marks. */
void story_name(struct buffer *out, const char *name);
/* ": "text"", or nothing for NULL. */
void story_quote(struct buffer *out, const char *text);
/* The time of `at`, and its date where that is not the day of `day`. */
void story_time(struct buffer *out, const char *at, const char *day);
/* One answer of a person, and what it came to. */
void story_answer(struct teller *teller, const struct value *row, struct buffer *out);

#endif
