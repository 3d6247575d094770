/* SPDX-License-Identifier: Apache-2.0 */
/* setting.h - one loading and one setting in it: somebody wrote a name and a value in some place. Private to the room config. */
#ifndef COUNTERSIGN_CONFIG_SETTING_H
#define COUNTERSIGN_CONFIG_SETTING_H

#include "common/config/key.h"

/* In the order of loading; a later one is stronger. */
enum config_layer { LAYER_DEFAULT, LAYER_FILE, LAYER_ENVIRONMENT, LAYER_OVERRIDE };

/* What was set so far, newest first. */
struct config_seen {
	struct config_seen *next;
	enum config_layer layer;
	const char *name;
	const char *place;
};

/* The arena holds what is needed until loading ends: names, places, texts of files. */
struct config_loading {
	const struct config_table *table;
	void *target;
	struct arena *arena;
	struct error *error;
	enum config_layer layer;
	struct config_seen *seen;
};

struct config_setting {
	const char *name;
	const char *value;
	const char *place;  /* "countersign.conf:12", for error texts */
	bool value_is_path; /* of a file that holds the value */
};

/*
 * Puts the setting into the target or among the pairs. `name` is a key, a key handed through, or one of both that is secret and
 * has "_file" behind it. Errors: BROKEN "config" with place, name and reason.
 */
bool config_setting_apply(struct config_loading *loading, struct config_setting *setting) CS_MUST_CHECK;
/* The same when the name is known to be one and "_file" is resolved. */
bool config_setting_put(struct config_loading *loading, struct config_setting *setting) CS_MUST_CHECK;
/* BROKEN "config", "place: name: reason"; returns false. */
bool config_setting_refuse(const struct config_loading *loading, const struct config_setting *setting,
			   const char *reason);
/* The place where a name was set, the strongest layer first; NULL when nowhere. */
const char *config_setting_place(const struct config_loading *loading, const char *name);

const struct config_key *config_find(const struct config_table *table, const char *name, size_t length);
bool config_is_through(const struct config_table *table, const char *name);
/* The length of the secret's name in front of the suffix ("_file"); 0 when it is not that. */
size_t config_secret_length(const struct config_table *table, const char *name, const char *suffix);

/* A file of at most 64 KiB as NUL-terminated text in the arena; NULL and a reason otherwise. */
char *config_file_read(struct arena *arena, const char *path, const char **reason);

#endif
