/* SPDX-License-Identifier: Apache-2.0 */
/* keyring.h - registered keys as they are now: whose they are, and for whom they may speak. */
#ifndef COUNTERSIGN_KEYRING_H
#define COUNTERSIGN_KEYRING_H

#include "common/jws/jws.h"
#include "common/sheet/sheet.h"

#define KEYRING_WINDOW_US (INT64_C(300) * 1000000) /* issued_at may differ from the clock by so much */

struct keyring_key {
	const char *kid, *owner;
	bool is_agent; /* it signs requests and answers for nobody; all others the other way round */
	bool answers;  /* for the person that was asked about */
	bool revoked;  /* by the database's clock at the look-up */
	struct store_bytes public_key;
	const char *const *agents; /* patterns of agent ids */
	size_t agent_count;
};

/* An empty list of questions; needs STATEMENT_KEYRING_KEYS. */
struct sheet keyring_open(struct arena *arena);
/* Asks for the key of a kid in a tenant, and whether it answers for this person (NULL: nobody is meant). */
void keyring_add(struct sheet *asked, const char *kid, const char *tenant, const char *person);
/* The answer to the row-th question: NULL when no key of that tenant has the kid. */
const struct keyring_key *keyring_read(struct arena *arena, const struct store_rows *rows, size_t row);

/* Is there such a key, and does it still count? ERROR_INVALID "unknown_key" (key NULL), "revoked_key", field "signature". */
bool keyring_check(const struct keyring_key *key, struct error *error) CS_MUST_CHECK;
/* Is the signature by it over these bytes? ERROR_INVALID "signature_invalid", field "signature". */
bool keyring_verify(struct arena *arena, const struct keyring_key *key, const struct jws *signature,
		    const void *value, size_t length, struct error *error) CS_MUST_CHECK;
/*
 * May it speak as this agent, to ask or to withdraw? Its owner is the agent, or one of its patterns covers the agent's id. A key that
 * answers for people never does.
 */
bool keyring_speaks_as(const struct keyring_key *key, const char *agent_id);

/*
 * Is what was signed at `issued_at` still new? By the clock, or, when it was we who were late, by the moment at which the broker took
 * it (appended_at; 0: the broker did not say). All microseconds since 1970 UTC.
 */
bool keyring_is_fresh(int64_t issued_at, int64_t appended_at, int64_t now);

#endif
