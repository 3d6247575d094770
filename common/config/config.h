/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - typed key tables, loading, --print-config. Precedence: flag > COUNTERSIGN_* > file > default. */
#ifndef COUNTERSIGN_CONFIG_H
#define COUNTERSIGN_CONFIG_H

#include "common/error/error.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum config_type {
	CONFIG_STRING, /* char * */
	CONFIG_SECRET, /* char *; never printed; COUNTERSIGN_<KEY>_FILE is honoured, as is key "<key>_file" in the file */
	CONFIG_INTEGER, /* int64_t; min..max */
	CONFIG_DURATION, /* int64_t microseconds; written "5s", "15m", "200ms", "1h30m"; min..max in microseconds */
	CONFIG_BYTES,  /* int64_t; written 4096, 64KiB, 1MiB */
	CONFIG_CHOICE, /* int64_t index into choices, a "|"-separated list */
	CONFIG_FLAG,   /* bool; true or false */
	CONFIG_LIST,   /* char *: a comma-separated list, kept as text */
};

/* One key. `offset` is offsetof() in the caller's struct; strings there are owned by the config and freed by config_free. */
struct config_key {
	const char *name; /* "database.uri" */
	enum config_type type;
	size_t offset;
	const char *fallback; /* default as text; NULL = no default: required; "" = empty */
	int64_t min, max;     /* INTEGER, DURATION, BYTES; both 0: no limits */
	const char *choices;
	const char *sentence; /* one sentence, ends with a full stop */
};

/* A name/value pair that is handed through (kafka.*), without the prefix. */
struct config_pair {
	char *name, *value;
};
struct config_pairs {
	struct config_pair *items;
	size_t count;
};

struct config_table {
	const struct config_key *const *key_lists; /* NULL-terminated list of arrays, each ended by a key with name NULL */
	const char *through_prefix;		   /* "kafka." or NULL; such keys are collected in order */
	struct config_pairs *through;		   /* where to; names as librdkafka knows them */
	const struct config_key *through_keys; /* those among them that the sample explains, ended as above; or NULL */
};

/*
 * Fills *target (zeroed) from the defaults, the file (NULL: none), the environment and the overrides ("key=value"
 * strings, count of them). File format: "key = value" lines, '#' comments, 64 KiB at most. Environment: COUNTERSIGN_ +
 * key in upper case with '_' for '.'; for the through prefix '_' becomes '.'. Pairs whose names speak of a password,
 * passphrase, secret or PEM have a _file like secrets. On failure nothing is left in *target.
 * Errors: BROKEN "config" naming file, line, key and reason. An unknown key is one, with the nearest known key as
 * suggestion (a COUNTERSIGN_ variable only when it is a known one with a letter or two wrong: our programs share an
 * environment); so is a missing required key, a name set twice in the file or, as itself and as _FILE, in the
 * environment, and a secret among the overrides (others can read a command line; its _file is taken).
 */
bool config_load(const struct config_table *table, void *target, const char *path,
		 const char *const *overrides, size_t override_count, struct error *error) CS_MUST_CHECK;

/* Writes the documented sample: for each key its sentence, type, limits and default, commented out. */
void config_print_sample(const struct config_table *table, FILE *out);
/* Writes the effective values, secrets as "(hidden)", a URI's password too. */
void config_print(const struct config_table *table, const void *target, FILE *out);
void config_free(const struct config_table *table, void *target);

/* "1h30m" to microseconds and back; digits are bounded, the sum must fit. Units: us ms s m h d. */
bool config_duration_parse(const char *text, int64_t *microseconds) CS_MUST_CHECK;

#endif
