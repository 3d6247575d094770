/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - what every command of the command line shares: options, configuration, output. Data on stdout, messages on stderr. */
#ifndef COUNTERSIGN_CLI_H
#define COUNTERSIGN_CLI_H

#include "common/bus/bus.h"
#include "common/config/config.h"
#include "common/log/log.h"
#include "common/store/store.h"
#include "common/value/value.h"

/* Documented, stable. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2,
	CLI_PENDING = 3,
	CLI_DENIED = 5,
	CLI_TIMEOUT = 124,
};

struct cli_config {
	char *database_uri, *topics_prefix;
	int64_t partitions, replication, chains;
	char *tenant, *key_file, *responder;
	struct config_pairs kafka;
};
extern const struct config_table cli_table;

#define CLI_OPTIONS_MAX 24

/* One option of a command. `value` names its argument in the help, NULL for a flag. */
struct cli_option {
	const char *name, *value, *help;
};

struct cli;

struct cli_command {
	const char *name;      /* "policy activate" */
	const char *arguments; /* "FILE" */
	const char *sentence;
	const char *example;		  /* lines ready to paste, or NULL */
	const struct cli_option *options; /* ended by name NULL, or NULL */
	int least, most;		  /* number of arguments; most -1: any */
	int (*run)(struct cli *cli);
};

struct cli {
	const struct cli_command *command;
	struct cli_config config;
	struct log log;
	struct arena *arena;
	bool json;
	bool tenant_given; /* by --tenant, and not only by the configuration */
	char **arguments;
	int argument_count;
	struct {
		const char *name, *value;
	} given[CLI_OPTIONS_MAX];
	size_t given_count;
	struct store *store; /* opened by cli_store */
};

extern const struct cli_command cli_commands[]; /* ended by name NULL */

/* The value of an option, "" for a flag that was given, NULL when it was not. */
const char *cli_option(const struct cli *cli, const char *name);
/* The same as a duration in microseconds; a bad one is a usage error and ends the program. */
int64_t cli_duration(const struct cli *cli, const char *name, int64_t fallback);
/* Says it on stderr: "countersign: text". Returns CLI_FAILED. */
int cli_fail(const struct error *error);
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --limit as a number from 1 to 10,000; 0 after a usage message. */
int64_t cli_limit(const struct cli *cli);

/* Opens the database once; later calls give the same. */
bool cli_store(struct cli *cli, struct error *error) CS_MUST_CHECK;
/* One statement in a transaction of its own (read: rolled back after). */
struct store_rows *cli_read(struct cli *cli, enum statement statement, const struct store_param *params,
			    size_t count, struct error *error) CS_MUST_CHECK;
/* One changing statement in a transaction of its own; *rows (may be NULL) is its RETURNING. */
bool cli_change(struct cli *cli, enum statement statement, const struct store_param *params, size_t count,
		struct store_rows **rows, struct error *error) CS_MUST_CHECK;
struct bus_options cli_bus(const struct cli *cli);
const char *cli_topic(const struct cli *cli, const char *logical);

/* Microseconds since 1970 UTC by this machine's clock. */
int64_t cli_now(void);

/* Reads a file, or standard input for "-", up to limit bytes. */
char *cli_read_file(struct cli *cli, const char *path, size_t limit, size_t *length,
		    struct error *error) CS_MUST_CHECK;

/* Prints a list of maps: as a table of the named columns ("" ends), or all of it as JSON with -o json. */
void cli_print_list(const struct cli *cli, const struct value *list, const char *const *columns);
/*
 * Rows as a list of maps. names, one per column and NULL at the end: plain = text, "#name" = integer, "@name" = text[].
 */
struct value *cli_rows(struct cli *cli, const struct store_rows *rows, const char *const *names);
/* Prints one map: "name: value" lines, or JSON. */
void cli_print_map(const struct cli *cli, const struct value *map);
/* Writes foreign text to a terminal: control, bidi and zero-width characters are made visible. */
void cli_print_text(const char *text, FILE *out);

/* The commands. */
int command_migrate(struct cli *cli);
int command_topics_apply(struct cli *cli);
int command_topics_check(struct cli *cli);
int command_keys_generate(struct cli *cli);
int command_keys_add(struct cli *cli);
int command_keys_revoke(struct cli *cli);
int command_keys_list(struct cli *cli);
int command_keys_jwks(struct cli *cli);
int command_groups_add(struct cli *cli);
int command_groups_remove(struct cli *cli);
int command_groups_list(struct cli *cli);
int command_people_list(struct cli *cli);
int command_people_remove(struct cli *cli);
int command_directory_apply(struct cli *cli);
int command_directory_export(struct cli *cli);
int command_agents_add(struct cli *cli);
int command_agents_remove(struct cli *cli);
int command_agents_list(struct cli *cli);
int command_policy_check(struct cli *cli);
int command_policy_lint(struct cli *cli);
int command_policy_test(struct cli *cli);
int command_policy_explain(struct cli *cli);
int command_policy_fmt(struct cli *cli);
int command_policy_convert(struct cli *cli);
int command_policy_diff(struct cli *cli);
int command_policy_replay(struct cli *cli);
int command_policy_activate(struct cli *cli);
int command_policy_rollback(struct cli *cli);
int command_policy_show(struct cli *cli);
int command_policy_list(struct cli *cli);
int command_policy_shadow(struct cli *cli);
int command_cel(struct cli *cli);
int command_submit(struct cli *cli);
int command_wait(struct cli *cli);
int command_show(struct cli *cli);
int command_list(struct cli *cli);
int command_approve(struct cli *cli);
int command_deny(struct cli *cli);
int command_recuse(struct cli *cli);
int command_comment(struct cli *cli);
int command_extend(struct cli *cli);
int command_withdraw(struct cli *cli);
int command_revoke(struct cli *cli);
int command_override(struct cli *cli);
int command_review(struct cli *cli);
int command_reviews_list(struct cli *cli);
int command_outcome(struct cli *cli);
int command_hold_add(struct cli *cli);
int command_hold_list(struct cli *cli);
int command_hold_lift(struct cli *cli);
int command_ledger_verify(struct cli *cli);
int command_deliveries_list(struct cli *cli);
int command_deliveries_replay(struct cli *cli);
int command_quarantine_list(struct cli *cli);
int command_quarantine_show(struct cli *cli);

#endif
