/* SPDX-License-Identifier: Apache-2.0 */
/* directory_change.h - from the directory that is to the one that is to be. */
#ifndef COUNTERSIGN_DIRECTORY_CHANGE_H
#define COUNTERSIGN_DIRECTORY_CHANGE_H

#include "services/countersign/cli.h"
#include "services/countersign/directory_file.h"

struct directory_change {
	const char *what; /* "add", "change", "remove", "revoke" */
	const struct directory_fact *is,
	    *wanted;	    /* one of them NULL: it was not there, it is no more to be there */
	const char *detail; /* for people */
};

struct directory_changes {
	struct directory_change *items;
	size_t count;
};

/* What the tenant's directory says, in its order; inside a transaction. */
bool directory_load(struct cli *cli, const char *tenant, struct directory_facts *facts,
		    struct error *error) CS_MUST_CHECK;
/*
 * What has to be done, by kind and name. Of a kind that the file does not hold nothing. A key that the file leaves out is revoked. False
 * with findings where a key would have to get another owner or more time.
 */
bool directory_compare_all(const struct spotted_reader *reader, const struct directory_file *file,
			   const struct directory_facts *current,
			   struct directory_changes *changes) CS_MUST_CHECK;
/* Does it; inside the same transaction. */
bool directory_change(struct cli *cli, const char *tenant, const struct directory_changes *changes,
		      struct error *error) CS_MUST_CHECK;

#endif
