/* SPDX-License-Identifier: Apache-2.0 */
/* verification.h - what the parts of `ledger verify` share: the walk along the chains, the explanations that they speak of, and the look at the topics. */
#ifndef COUNTERSIGN_VERIFICATION_H
#define COUNTERSIGN_VERIFICATION_H

#include "services/countersign/send.h"

struct verification {
	struct cli *cli;
	const struct jwks *jwks; /* or NULL */
	int64_t events, batches, checkpoints, explanations, records;
	int64_t faults;
};

/* Counts a fault and says it on stderr, the first hundred of them. */
void verification_fault(struct verification *verification, const char *format, ...) CS_PRINTF(2, 3);

/*
 * Every record on our topics must be byte for byte an event of the ledger, and every published event must be there unless
 * retention or compaction took it. Faults are counted; false only when a server does not answer.
 */
bool verification_topics(struct verification *verification, struct error *error) CS_MUST_CHECK;

/*
 * What these events of a chain (rows of cli_ledger_events) say of explanations is so: one that is stored with a decision on the request
 * has the digest. Faults are counted; false only when the database does not answer.
 */
bool verification_explanations(struct verification *verification, int64_t chain,
			       const struct store_rows *events, struct error *error) CS_MUST_CHECK;

#endif
