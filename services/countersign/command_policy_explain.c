/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy_explain.c - the dry run: what a policy says about a request, and why; nothing is written, no server is asked. */
#include "common/canonical/canonical.h"
#include "common/message/json.h"
#include "common/policy/policy_explain.h"
#include "common/policy/policy_input.h"
#include "services/countersign/policy_file.h"
#include "services/countersign/policy_replay.h"

#include <string.h>

enum { REQUEST_BYTES_MAX = 64 * 1024 };

static bool
read_request(struct cli *cli, struct request *request, struct error *error)
{
	size_t length;
	char *bytes = cli_read_file(cli, cli->arguments[0], REQUEST_BYTES_MAX, &length, error);
	struct value *map = bytes ? json_parse(cli->arena, bytes, length, &json_limits_request, error) : NULL;

	return map && policy_request_of(cli->arena, map, request, error);
}

static bool
read_now(struct cli *cli, int64_t *now, struct error *error)
{
	const char *text = cli_option(cli, "now");
	int64_t seconds;
	uint32_t nanoseconds;

	if (text) {
		if (!policy_timestamp_parse((struct text){text, strlen(text)}, &seconds, &nanoseconds))
			return error_set_field(error, ERROR_INVALID, "bad_value", "--now",
					       "must be a time as 2026-03-04T10:00:00Z");
		*now = seconds * 1000000 + nanoseconds / 1000;
		return true;
	}
	*now = cli_now();
	return true;
}

/* From files, or those that are active for the tenant. */
static int
read_policies(struct cli *cli, const char *tenant, struct policy_layers *layers)
{
	const char *path = cli_option(cli, "policy");
	struct policy_actives actives;
	struct error error = {0};
	struct policy_file file;

	if (path) {
		int result = policy_file_read(cli, path, &file);

		return result == CLI_OK ? policy_layers_read(cli, file.policy.policy, layers) : result;
	}
	if (cli_option(cli, "with"))
		return cli_usage(cli, "--with: beside the document of --policy");
	return policy_actives_load(cli, &actives, &error)
		       && policy_actives_of(&actives, tenant, NULL, layers, &error)
		   ? CLI_OK
		   : cli_fail(&error);
}

/* ------------------------------------------------------------------ for people */

static void
print_line(const char *name, const char *text)
{
	if (!text)
		return;
	printf("%-12s ", name);
	cli_print_text(text, stdout);
	putchar('\n');
}

static const char *
scalar(struct arena *arena, const struct value *value)
{
	struct buffer buffer = {.arena = arena};
	struct error error = {0};

	return canonical_format(&buffer, value, &error) ? buffer.bytes : "";
}

static void
print_read(struct arena *arena, const struct value *entry)
{
	const struct value *read = value_get(entry, "read");

	for (size_t i = 0; read && i < read->as.map.count; i++)
		print_line("  read", arena_format(arena, "%s = %s", read->as.map.members[i].name.bytes,
						  scalar(arena, read->as.map.members[i].value)));
}

/* With the policy it is of, where that is not plain. */
static const char *
name_of(struct arena *arena, const struct value *one, const char *name)
{
	const char *policy = value_get_string(one, "policy");

	return policy ? arena_format(arena, "%s of %s", value_get_string(one, name), policy)
		      : value_get_string(one, name);
}

static void
print_because(struct arena *arena, const struct value *list)
{
	for (size_t i = 0; list && i < list->as.list.count; i++) {
		const struct value *one = list->as.list.items[i];

		print_line("because", arena_format(arena, "rule %s says %s", name_of(arena, one, "rule"),
						   value_get_string(one, "decision")));
		print_read(arena, one);
	}
}

static const char *
verdict_of(struct arena *arena, const struct value *one)
{
	const char *rule = name_of(arena, one, "rule"), *wrong = value_get_string(one, "false");
	const char *error = value_get_string(one, "error"), *in = value_get_string(one, "in");
	const struct value *raised = value_get(one, "raised");

	if (value_get(one, "mode")) /* shadow, the one there is */
		rule = arena_format(arena, "%s in the shadow", rule);
	if (wrong)
		return arena_format(arena, "rule %s (%s): no, false is %s", rule,
				    value_get_string(one, "decision"), wrong);
	if (!error)
		return arena_format(
		    arena, "rule %s (%s): yes, but %s", rule, value_get_string(one, "decision"),
		    value_get(one, "mode") ? "it counts for nothing" : "a stricter one decides");
	return arena_format(arena, "rule %s (%s): error %s%s%s%s", rule, value_get_string(one, "decision"),
			    error, in ? " in " : "", in ? in : "",
			    raised && raised->as.boolean ? ", so it decides" : "");
}

static void
print_considered(struct arena *arena, const struct value *list)
{
	for (size_t i = 0; list && i < list->as.list.count; i++) {
		print_line("considered", verdict_of(arena, list->as.list.items[i]));
		print_read(arena, list->as.list.items[i]);
	}
}

static const char *
stage_shown(struct arena *arena, const struct value *stage)
{
	const struct value *any = value_get(stage, "any_of");

	return arena_format(arena, "%s %s", any ? "any of" : "all of",
			    scalar(arena, any ? any : value_get(stage, "all_of")));
}

static void
print_limits(struct arena *arena, const struct value *list)
{
	for (size_t i = 0; list && i < list->as.list.count; i++) {
		const struct value *one = list->as.list.items[i], *exceeded = value_get(one, "exceeded");
		const struct value *amount = value_get(one, "amount"), *key = value_get(one, "key");

		print_line(
		    "limit",
		    arena_format(arena, "%s%s: takes %s of %s for %s", name_of(arena, one, "limit"),
				 exceeded->as.boolean ? " is exceeded" : "", scalar(arena, amount),
				 scalar(arena, value_get(one, "max")),
				 key && key->kind == VALUE_STRING ? key->as.string.bytes : "an unknown key"));
	}
}

static void
print_approvals(struct arena *arena, const struct value *list)
{
	for (size_t i = 0; list && i < list->as.list.count; i++) {
		const struct value *one = list->as.list.items[i], *stages = value_get(one, "stages");
		const char *profile = name_of(arena, one, "profile");

		if (!stages)
			print_line("approval", arena_format(arena, "%s: %s", profile, stage_shown(arena, one)));
		for (size_t j = 0; stages && j < stages->as.list.count; j++)
			print_line("approval", arena_format(arena, "%s, stage %zu: %s", profile, j + 1,
							    stage_shown(arena, stages->as.list.items[j])));
	}
}

static void
print_nearest(struct arena *arena, const struct value *nearest)
{
	const struct value *needs = value_get(nearest, "needs");

	if (!nearest)
		return;
	print_line("would allow",
		   arena_format(arena, "rule %s, if it were true that", name_of(arena, nearest, "rule")));
	for (size_t i = 0; i < needs->as.list.count; i++)
		print_line("", needs->as.list.items[i]->as.string.bytes);
}

static void
print_policy(struct arena *arena, const struct value *policy)
{
	print_line("policy", arena_format(arena, "%s version %s", value_get_string(policy, "id"),
					  scalar(arena, value_get(policy, "version"))));
}

static void
print_class(struct arena *arena, const struct value *class)
{
	const struct value *used = value_get(class, "default_used");

	print_line("class", arena_format(arena, "%s, default %s%s", name_of(arena, class, "id"),
					 value_get_string(class, "default"),
					 used && used->as.boolean ? ", which is used" : ""));
}

/* One, or a list of them. */
static void
print_each(struct arena *arena, const struct value *value, void (*print)(struct arena *, const struct value *))
{
	if (value && value->kind == VALUE_LIST)
		for (size_t i = 0; i < value->as.list.count; i++)
			print(arena, value->as.list.items[i]);
	else if (value)
		print(arena, value);
}

static void
print_explanation(struct cli *cli, const struct value *map)
{
	struct arena *arena = cli->arena;

	print_line("decision", value_get_string(map, "decision"));
	print_line("reason", value_get_string(map, "reason"));
	print_line("remediation", value_get_string(map, "remediation"));
	if (value_get(map, "obligations"))
		print_line("obligations", scalar(arena, value_get(map, "obligations")));
	print_line("code", value_get_string(map, "reason_code"));
	print_each(arena, value_get(map, "policy"), print_policy);
	print_each(arena, value_get(map, "class"), print_class);
	print_because(arena, value_get(map, "because"));
	print_considered(arena, value_get(map, "considered"));
	print_limits(arena, value_get(map, "limits"));
	print_line("used", value_get_string(map, "usage"));
	print_approvals(arena, value_get(map, "approvals"));
	print_nearest(arena, value_get(map, "nearest_allow"));
}

int
command_policy_explain(struct cli *cli)
{
	struct error error = {0};
	struct request request;
	struct policy_layers layers;
	struct policy_decision decision;
	int64_t now = 0;

	if (!read_now(cli, &now, &error) || !read_request(cli, &request, &error))
		return cli_fail(&error);

	int result = read_policies(cli, request.tenant, &layers);

	if (result != CLI_OK)
		return result;

	policy_request_decide(&layers, &request, cli_option(cli, "verified") != NULL, NULL, now, cli->arena,
			      &decision);

	struct value *map = policy_explain(&decision, cli->arena);

	if (value_get(map, "limits"))
		value_set_string(cli->arena, map, "usage",
				 "nothing: what others have used of limits is not looked at here");
	if (cli->json)
		cli_print_map(cli, map);
	else
		print_explanation(cli, map);
	return CLI_OK;
}
