/* SPDX-License-Identifier: Apache-2.0 */
/* directory_file.h - the directory of a tenant as a file says that it is to be: groups, agents and keys. Pure. */
#ifndef COUNTERSIGN_DIRECTORY_FILE_H
#define COUNTERSIGN_DIRECTORY_FILE_H

#include "common/crypto/crypto.h"
#include "services/countersign/spotted.h"

/* What a fact is about. */
enum directory_kind { DIRECTORY_MEMBER, DIRECTORY_AGENT, DIRECTORY_KEY, DIRECTORY_KINDS };

struct directory_key {
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	const char *owner, *kind;
	const char **speaks_for, **groups, **agents; /* each sorted by name, each once */
	size_t speaks_for_count, group_count, agent_count;
	int64_t revoked_at; /* microseconds since 1970 UTC; 0: it is not */
	bool is_over;	    /* of one that is registered: it counts for nothing by now */
};

/* One thing that is so: a person is in a group, an agent has an owner, a key is registered. */
struct directory_fact {
	enum directory_kind kind;
	const char *name;	   /* the group, the agent, the key's kid */
	const char *more;	   /* the person; "" of others */
	const char *owner;	   /* of an agent */
	struct directory_key *key; /* of a key */
	struct spotted place;	   /* where it is said; of what is not from a file: nowhere */
};

struct directory_facts {
	struct arena *arena;
	struct directory_fact *items;
	size_t count, room;
};

struct directory_file {
	const char *tenant;	      /* NULL: it does not say */
	bool holds[DIRECTORY_KINDS];  /* it says all that there is of that kind */
	struct directory_facts facts; /* in the order of kind, name and more; no two alike */
};

void directory_add(struct directory_facts *facts, const struct directory_fact *fact);
/* Puts them into their order. */
void directory_sort(struct directory_facts *facts);
int directory_compare(const struct directory_fact *left, const struct directory_fact *right);
/* Sorts names and drops those that are there twice. */
size_t directory_distinct(const char **names, size_t count);

/*
 * Reads a document of format "directory/v1" (the manual page countersign-directory(5)). Everything lives in the reader's arena. False
 * with findings at their places: unknown and missing keys, wrong types, names and keys that are none, what is said twice.
 */
bool directory_read(const struct spotted_reader *reader, const struct document *document,
		    struct directory_file *file) CS_MUST_CHECK;

#endif
