/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - who is told, as the operator's targets file says:
 *   {"targets": [{"name": "release-bot", "channel": "webhook", "url": "https://…", "secret_file": "…"}, …]}
 * All targets may have "groups", "tenants" and "events". What a target's file no longer names stays in the database as it
 * is: another instance may still know it.
 */
#ifndef COUNTERSIGN_NOTIFIER_TARGETS_H
#define COUNTERSIGN_NOTIFIER_TARGETS_H

#include "common/message/path.h"
#include "services/notifier/channel.h"
#include "services/notifier/webhook.h"

#define TARGETS_MAX 64

enum target_event { TARGET_OPENED = 1, TARGET_CHANGED = 2, TARGET_CLOSED = 4, TARGET_OUTCOME = 8 };

struct target {
	const char *name;
	const struct channel *channel;
	const char *const *groups, *const *tenants; /* told only about these; ended by NULL; NULL: about all */
	unsigned events;			    /* TARGET_OPENED … */
	/* webhook */
	struct webhook_url url;
	struct webhook_secrets secrets;
	const char *ca_file; /* or NULL */
	bool allow_http;
	/* command */
	const char *const *argv; /* ended by NULL */
};

struct targets {
	struct arena *arena;
	struct target *items;
	size_t count;
};

/* Ports that a URL may name; what the file is checked against. */
struct targets_rules {
	const char *ports; /* separated by commas, or "any" */
};

/*
 * Reads the file and the files that it names. BROKEN "targets_file", naming file, member and reason, for anything that is
 * not exactly as described here.
 */
bool targets_load(const char *path, const struct targets_rules *rules, struct targets *targets,
		  struct error *error) CS_MUST_CHECK;
/* The same of text that was read already; `path` is for errors. */
bool targets_parse(const char *path, const void *bytes, size_t length, const struct targets_rules *rules,
		   struct targets *targets, struct error *error) CS_MUST_CHECK;
void targets_close(struct targets *targets);
/* Index, or -1: there is no such target. */
int targets_find(const struct targets *targets, const char *channel, const char *name);
/* Whether a target wants to hear of this: one of the groups asked, the tenant, the event. */
bool targets_wants(const struct target *target, const char *tenant, const char *const *groups,
		   size_t group_count, enum target_event event);

/* ------------------------------------------------------------------ for channels */

/* A target's members, while they are read. */
struct targets_place {
	const char *file;
	struct arena *arena;
	const struct targets_rules *rules;
	const struct path *path;
	const struct value *map;
};
bool targets_refuse(const struct targets_place *place, const char *member, struct error *error,
		    const char *format, ...) CS_PRINTF(4, 5);
/* A string of one character at least. Absent and not required: NULL and true. */
bool targets_string(const struct targets_place *place, const char *member, bool required, const char **text,
		    struct error *error) CS_MUST_CHECK;
/* A list of strings with one item at least, ended by NULL. Absent and not required: NULL and true. */
bool targets_strings(const struct targets_place *place, const char *member, bool required,
		     const char *const **list, struct error *error) CS_MUST_CHECK;
bool targets_flag(const struct targets_place *place, const char *member, bool *flag,
		  struct error *error) CS_MUST_CHECK;
/* The text of the file that a member names; nobody but we may read it. */
bool targets_secret(const struct targets_place *place, const char *member, const char **text,
		    struct error *error) CS_MUST_CHECK;

#endif
