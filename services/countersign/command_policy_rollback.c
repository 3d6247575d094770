/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy_rollback.c - a document that was active before is activated again, under a new version number: versions only rise. */
#include "common/canonical/canonical.h"
#include "common/message/json.h"
#include "services/countersign/policy_activation.h"
#include "services/countersign/policy_gate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The stored document but for its version; read again as any other, since this program may honour less or more than the one that
 * activated it then. */
static bool
renumber(struct cli *cli, const char *stored, int64_t version, struct policy_document *out, struct error *error)
{
	struct value *old = json_parse(cli->arena, stored, strlen(stored), &json_limits_policy, error);
	struct value *map = value_map(cli->arena);
	struct buffer text = {.arena = cli->arena};

	for (size_t i = 0; old && i < old->as.map.count; i++) {
		const struct value_member *one = &old->as.map.members[i];

		value_set(cli->arena, map, one->name.bytes,
			  strcmp(one->name.bytes, "version") == 0 ? value_int(cli->arena, version)
								  : one->value);
	}
	return old && canonical_format(&text, map, error)
	       && policy_document_parse(cli->arena, text.bytes, text.length, out, error);
}

static bool
read_version(struct cli *cli, const char *name, int64_t version, struct policy_document *out,
	     struct error *error)
{
	struct store_param params[] = {store_text(name), store_int(version)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_POLICY_VERSION, params, 2, error);
	int64_t highest;

	if (!rows)
		return false;
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_INVALID, "unknown_version",
				 "there was never a version %" PRId64 " of policy %s active", version, name);
	highest = store_row_int(rows, 0, 1);
	if (highest == version)
		return error_set(error, ERROR_INVALID, "already_active",
				 "version %" PRId64 " of policy %s is the active one", version, name);
	return renumber(cli, store_row_text(rows, 0, 0), highest + 1, out, error);
}

int
command_policy_rollback(struct cli *cli)
{
	struct error error = {0};
	struct policy_file file = {0};
	/* it has decided before, and going back must not wait for people */
	struct policy_review review = {.lowered = {"E03"}};
	char *end;
	long long version = strtoll(cli->arguments[1], &end, 10);
	int result;

	if (*end || end == cli->arguments[1] || version < 0)
		return cli_usage(cli, "the version is a number");
	if (!read_version(cli, cli->arguments[0], version, &file.policy, &error))
		return cli_fail(&error);
	file.document.name = arena_format(cli->arena, "%s version %s", cli->arguments[0], cli->arguments[1]);
	result = policy_review(cli, &review, &file, POLICY_LINT_DOCUMENT);
	if (result == CLI_OK)
		result = policy_gate_invariants(cli, &file, false);
	return result == CLI_OK ? policy_activate(cli, &review, &file) : result;
}
