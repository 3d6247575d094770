/* SPDX-License-Identifier: Apache-2.0 */
/* key.h - what the files of the room config share: one key's value from text and back, names, secrets. Private to the room. */
#ifndef COUNTERSIGN_CONFIG_KEY_H
#define COUNTERSIGN_CONFIG_KEY_H

#include "common/config/config.h"
#include "common/memory/memory.h"

/* Calls the loop body for each key of each list of a table. */
#define CONFIG_EACH_KEY(table, key)                                                                          \
	for (const struct config_key *const *list_ = (table)->key_lists; *list_; list_++)                    \
		for (const struct config_key *key = *list_; key->name; key++)

/* Reads text as the key's type, checks its limits, and puts it into the target. Errors: BROKEN "config" with the reason only. */
bool config_key_set(const struct config_key *key, void *target, const char *text,
		    struct error *error) CS_MUST_CHECK;
/* The value in the target as config_key_set would read it; in the arena. Not for secrets. */
char *config_key_format(struct arena *arena, const struct config_key *key, const void *target);
/* "a duration from 100ms to 1h", in the arena. */
char *config_key_expects(struct arena *arena, const struct config_key *key);
/* CONFIG_STRING, CONFIG_SECRET and CONFIG_LIST keep text. */
bool config_key_is_text(const struct config_key *key);
char **config_key_text(const struct config_key *key, void *target);

/* COUNTERSIGN_ and the key in upper case with '_' for '.'; in the arena. */
#define CONFIG_ENVIRONMENT_PREFIX "COUNTERSIGN_"
char *config_environment_name(struct arena *arena, const char *key_name);

/* True for names of pairs handed through whose values are not shown ("sasl.password"). */
bool config_name_is_secret(const char *name);
/* A value for people: no password of a URI or of a connection string, no control characters; in the arena. */
char *config_value_shown(struct arena *arena, const char *value);

/*
 * The key whose name is nearest to a mistyped one (case, '.' and '_' apart) with at most so many wrong letters, and at most a
 * third of them; NULL when none is near.
 */
const struct config_key *config_nearest(const struct config_table *table, const char *name,
					size_t wrong_letters);

/* Forgets a text that may be secret. */
void config_text_free(char *take_text);

#endif
