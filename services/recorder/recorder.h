/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h - outcomes in, incidents out: what the files of this service share. */
#ifndef COUNTERSIGN_RECORDER_H
#define COUNTERSIGN_RECORDER_H

#include "common/journal/journal.h"
#include "common/keyring/keyring.h"
#include "common/known/known.h"
#include "common/limits/limits.h"
#include "common/message/outcome.h"
#include "common/service/service.h"
#include "common/sheet/sheet.h"
#include "common/shelf/shelf.h"

struct recorder_config {
	struct service_config service;
	struct service_batch_config batch;
	int64_t shelf_limit;   /* shelf.limit */
	int64_t report_within; /* recorder.report_within; 0: nobody has to */
};

struct recorder {
	struct service_context *context;
	const struct recorder_config *config;
	struct journal *journal;
	struct shelf_keeper shelf;
	int64_t forget_at, unreported_at; /* by CLOCK_MONOTONIC */
	int64_t reported_until;		  /* grants that ended until then have been looked at */
};

bool recorder_open(struct service_context *context, void **state, struct error *error) CS_MUST_CHECK;
bool recorder_handle(void *state, struct work *work, const struct record *records, size_t count,
		     struct error *error) CS_MUST_CHECK;
void recorder_committed(void *state);
void recorder_close(void *state);

/* ------------------------------------------------------------------ recorder_judge.c: what an outcome means. Pure. */

enum recorder_judgement {
	RECORDER_AUTHORIZED,
	RECORDER_WITHOUT_AUTHORIZATION,
	RECORDER_AFTER_DENIAL,
	RECORDER_OTHER_DIGEST,
	RECORDER_TWICE,
	RECORDER_AFTER_REVOCATION,
	RECORDER_AFTER_EXPIRY,
	RECORDER_JUDGEMENTS
};

/* What is known about the request of an outcome. Strings are borrowed. */
struct recorder_facts {
	bool known;			       /* there is such a request */
	const char *status;		       /* of the final word; NULL: there is none yet */
	const char *event_id, *token, *digest; /* of the final word */
	int64_t expires_at;		       /* of a GRANTED */
	int64_t revoked_at;		       /* 0: it was not */
	/* outcomes before this one */
	bool started, ended; /* an execution was reported to have started; to have succeeded or failed */
	bool began_in_time;  /* one of them was found authorized */
	bool disputed;	     /* one of them was an incident */
};

/* `at` is when the report reached us: the broker's clock, else the database's; never what the report says. */
enum recorder_judgement recorder_judge(const struct recorder_facts *facts, const struct outcome *outcome,
				       int64_t at);
/* What the next outcome of the same request will have to know. */
void recorder_remember(struct recorder_facts *facts, const struct outcome *outcome,
		       enum recorder_judgement judgement);

/* Is that the end of an execution of which nothing came, by all that is known, the outcome itself being verified? */
bool recorder_gives_back(const struct recorder_facts *facts, const struct outcome *outcome,
			 enum recorder_judgement judgement);

/* "authorized", or the kind of incident. */
const char *recorder_judgement_name(enum recorder_judgement judgement);
const char *recorder_judgement_severity(enum recorder_judgement judgement);
const char *recorder_judgement_text(enum recorder_judgement judgement);

/* ------------------------------------------------------------------ recorder_intake.c: what came */

#define RECORDER_EVIDENCE_MAX 8 /* earlier outcomes that an incident names */

struct recorder_request {
	const char *tenant, *request_id;
	const char *agent_id; /* NULL: there is no such request */
	struct recorder_facts facts;
	const char *earlier[RECORDER_EVIDENCE_MAX]; /* ids of earlier outcomes */
	size_t earlier_count;
};

struct recorder_item {
	const struct record *record;
	struct outcome outcome;
	struct error refusal;		  /* why it can't be taken; kind NONE: it can */
	struct recorder_request *request; /* shared by all items about the same one */
	bool from_shelf;		  /* it has waited for its request */
	bool given_up;			  /* in vain */
	const struct keyring_key *key;	  /* whose signature it has, verified; NULL: it is a claim */
};

struct recorder_intake {
	struct recorder_item *items;
	size_t count;
	struct known *known;
	struct limits *limits; /* of which those that were granted hold places until they are reported on */
};

/* Parses everything, locks the chains of what can be taken, and looks up all that the outcomes are about. */
bool recorder_intake(struct work *work, const struct record *records, size_t count,
		     struct recorder_intake *intake, struct error *error) CS_MUST_CHECK;

/* Locks the limits of which the requests hold places or may get back what they used, and reads the clock. */
bool recorder_recall(struct recorder *recorder, struct work *work, struct recorder_intake *intake,
		     struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ recorder_signature.c: who reports */

/* Verifies what is signed, with the keys as they are now. After the clock was read: a key that still counts counted then. */
bool recorder_verify(struct work *work, struct recorder_intake *intake, struct error *error) CS_MUST_CHECK;
/* A signature counts for a moment. One that has waited here was taken in that moment. ERROR_INVALID "stale", field "issued_at". */
bool recorder_check_fresh(const struct recorder_item *item, int64_t now, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ recorder_record.c: what becomes of it */

/* Judges and keeps every item in order. Needs work->now. */
bool recorder_record(struct recorder *recorder, struct work *work, struct recorder_intake *intake,
		     struct error *error) CS_MUST_CHECK;

/* An incident: its row into the sheet, its event into the transaction. */
struct recorder_incident {
	const char *tenant, *request_id, *kind, *severity, *text, *discriminator;
	const char *const *evidence;
	size_t evidence_count;
	const char *traceparent;
};
struct sheet recorder_incidents_open(struct work *work);
bool recorder_report(struct recorder *recorder, struct work *work, struct sheet *incidents,
		     const struct recorder_incident *incident, struct error *error) CS_MUST_CHECK;

/* ------------------------------------------------------------------ recorder_tick.c: what happens by time */

bool recorder_tick(void *state, struct arena *arena, bool *again, struct error *error) CS_MUST_CHECK;
/* For the keeper of the shelf. */
bool recorder_apply_shelved(void *state, struct work *work, const struct record *records, size_t count,
			    struct error *error) CS_MUST_CHECK;
bool recorder_give_up(void *state, struct work *work, const struct record *records, size_t count,
		      struct error *error) CS_MUST_CHECK;

#endif
