/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - the smaller things we say: incidents, quarantined records, checkpoints, changes of the directory. */
#ifndef COUNTERSIGN_REPORT_H
#define COUNTERSIGN_REPORT_H

#include "common/crypto/crypto.h"
#include "common/message/event.h"
#include "common/message/record.h"

struct incident {
	const char *tenant, *request_id, *key;
	uint32_t chain;
	const char *kind;	   /* "executed_without_authorization", … */
	const char *severity;	   /* "low", "medium", "high", "critical" */
	const char *text;	   /* one line */
	const char *discriminator; /* what makes two incidents of one kind and request two: the outcome id */
	const char *const *evidence; /* event ids and outcome ids */
	size_t evidence_count;
	int64_t at;
	const char *traceparent, *source;
};
/* event_id derives from (tenant, request_id, "incident." kind "." discriminator, 0). */
bool incident_event(struct arena *arena, const struct incident *incident, struct event *event,
		    struct error *error) CS_MUST_CHECK;

struct quarantine {
	const struct record *record; /* the origin */
	uint32_t chain;
	const struct error *reason; /* code, field, text */
	uint8_t digest[CRYPTO_SHA256_SIZE];
	const char *tenant, *request_id; /* when readable, else NULL */
	int64_t at;
	const char *source;
};
/* The digest of a record that was refused: SHA-256 of its raw value, of nothing when it has none. */
void quarantine_digest(const struct record *record, uint8_t digest[CRYPTO_SHA256_SIZE]);
/* Key: origin topic/partition/offset. event_id derives from ("", key, "quarantine", 0). Never the payload. */
bool quarantine_event(struct arena *arena, const struct quarantine *quarantine, struct event *event,
		      struct error *error) CS_MUST_CHECK;

struct checkpoint {
	uint32_t chain;
	int64_t sequence;
	uint8_t hash[CRYPTO_SHA256_SIZE];
	int64_t at;
	const char *source;
};
#define CHECKPOINT_TYP "countersign-checkpoint"
/*
 * Body: chain, sequence, hash, at and `token`, the compact JWS over exactly the first four. Key: the chain. event_id derives
 * from ("", chain in decimal, "checkpoint", sequence).
 */
bool checkpoint_event(struct arena *arena, const struct crypto_key *key, const struct checkpoint *checkpoint,
		      struct event *event, const char **token, struct error *error) CS_MUST_CHECK;

/* One change of who is who, as the directory's history has it. */
struct directory_event {
	const char *tenant;
	int64_t number;		 /* in that history */
	const char *role, *user; /* of the database's session; of the operating system, which is a claim */
	const char *relation;	 /* "agent", "group_member", "signing_key" */
	const char *operation;	 /* "INSERT", "UPDATE", "DELETE" */
	struct value *old_row, *new_row; /* maps, or NULL */
	uint32_t chain;
	int64_t at;
	const char *source;
};
/* Key: the tenant. event_id derives from (tenant, "", "directory", number). */
bool directory_event(struct arena *arena, const struct directory_event *change, struct event *event,
		     struct error *error) CS_MUST_CHECK;

#endif
