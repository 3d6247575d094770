/* SPDX-License-Identifier: Apache-2.0 */
/* command_keys.c - Ed25519 keys: made here, registered by their public half. */
#include "common/canonical/canonical.h"
#include "common/crypto/crypto.h"
#include "common/message/rfc3339.h"
#include "common/policy/policy.h"
#include "services/countersign/check.h"
#include "services/countersign/directory_record.h"
#include "services/countersign/jwks.h"
#include <string.h>

static struct value *
jwk(struct cli *cli, const struct crypto_key *key, bool for_set)
{
	struct value *map = value_map(cli->arena);
	value_set_string(cli->arena, map, "kty", "OKP");
	value_set_string(cli->arena, map, "crv", "Ed25519");
	value_set_string(
	    cli->arena, map, "x",
	    crypto_base64url_format(cli->arena, crypto_key_public(key), CRYPTO_ED25519_PUBLIC_SIZE));
	value_set_string(cli->arena, map, "kid", crypto_key_thumbprint(key));
	if (for_set) {
		value_set_string(cli->arena, map, "use", "sig");
		value_set_string(cli->arena, map, "alg", "EdDSA");
	}
	return map;
}

static int
print_value(struct cli *cli, const struct value *value)
{
	struct buffer buffer = {.arena = cli->arena};
	struct error error = {0};
	if (!canonical_format(&buffer, value, &error))
		return cli_fail(&error);
	puts(buffer.bytes);
	return CLI_OK;
}

int
command_keys_generate(struct cli *cli)
{
	struct error error = {0};
	const char *path = cli_option(cli, "out");
	struct crypto_key *key;
	int code;

	if (!path)
		return cli_usage(cli, "--out is required");
	key = crypto_key_generate(path, &error);
	if (!key)
		return cli_fail(&error);
	code = print_value(cli, jwk(cli, key, false));
	crypto_key_close(key);
	return code;
}

int
command_keys_jwks(struct cli *cli)
{
	struct error error = {0};
	struct value *set = value_map(cli->arena), *keys = value_list(cli->arena);

	for (int i = 0; i < cli->argument_count; i++) {
		struct crypto_key *key = crypto_key_load(cli->arguments[i], &error);
		if (!key)
			return cli_fail(&error);
		value_append(cli->arena, keys, jwk(cli, key, true));
		crypto_key_close(key);
	}
	value_set(cli->arena, set, "keys", keys);
	return print_value(cli, set);
}

static bool
read_public(struct cli *cli, uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], struct error *error)
{
	size_t length;
	char *bytes = cli_read_file(cli, cli->arguments[0], 16384, &length, error);
	size_t start = 0;

	if (!bytes)
		return false;
	while (start < length && strchr(" \t\r\n", bytes[start]))
		start++;
	if (bytes[start] == '{')
		return jwk_parse(cli->arena, bytes, length, public_key, error);
	if (memmem(bytes, length, "PRIVATE KEY-----", strlen("PRIVATE KEY-----")))
		return error_set(
		    error, ERROR_INVALID, "private_key",
		    "that is a private key; register its public half, which `keys generate` printed");
	return crypto_public_parse(bytes, length, public_key, error);
}

/* "a,b" as a list; the text is cut in place. */
static const char **
split(struct cli *cli, const char *text, size_t *count)
{
	char *rest = arena_string(cli->arena, text ? text : "");
	const char **items = arena_take_array(cli->arena, strlen(rest) + 1, sizeof *items);
	*count = 0;
	for (char *item; (item = strsep(&rest, ",")) != NULL;)
		if (*item)
			items[(*count)++] = item;
	return items;
}

static bool
check_names(const char *what, const char *const *names, size_t count, struct error *error)
{
	for (size_t i = 0; i < count; i++)
		if (!check_name(what, names[i], error))
			return false;
	return true;
}

static bool
check_patterns(const char *what, const char *const *patterns, size_t count, struct error *error)
{
	for (size_t i = 0; i < count; i++)
		if (!policy_pattern_check(patterns[i], what, error))
			return false;
	return true;
}

int
command_keys_add(struct cli *cli)
{
	struct error error = {0};
	const char *owner = cli_option(cli, "owner"), *speaks_for = cli_option(cli, "speaks-for");
	bool bot = cli_option(cli, "bot") != NULL, agent = cli_option(cli, "agent") != NULL;
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	char kid[CRYPTO_THUMBPRINT_SIZE];
	size_t count = 0, group_count = 0, agent_count = 0;
	const char **persons = split(cli, speaks_for, &count);
	const char **groups = split(cli, cli_option(cli, "groups"), &group_count);
	const char **agents = split(cli, cli_option(cli, "agents"), &agent_count);

	if (!owner)
		return cli_usage(cli, "--owner is required");
	if (bot != (count + group_count > 0))
		return cli_usage(cli, "--bot goes together with --speaks-for or --groups");
	if (agent && bot)
		return cli_usage(cli, "--agent or --bot, not both");
	if (!agent && agent_count)
		return cli_usage(cli, "--agents goes with --agent");
	if (!check_name("--owner", owner, &error) || !check_names("--speaks-for", persons, count, &error)
	    || !check_names("--groups", groups, group_count, &error)
	    || !check_patterns("--agents", agents, agent_count, &error)
	    || !read_public(cli, public_key, &error))
		return cli_fail(&error);
	crypto_thumbprint(public_key, kid);
	struct store_param params[] = {store_text(kid),
				       store_text(cli->config.tenant),
				       store_text(owner),
				       store_text(bot	  ? "bot"
						  : agent ? "agent"
							  : "person"),
				       store_bytes(public_key, sizeof public_key),
				       store_text_list(persons, count),
				       store_text_list(groups, group_count),
				       store_text_list(agents, agent_count)};
	if (!directory_make(cli, STATEMENT_CLI_KEY_ADD, params, 8, NULL, &error)) {
		if (error.kind != ERROR_CONFLICT)
			return cli_fail(&error);
		cli_say("key %s is registered already; a key is registered once, for ever", kid);
		return CLI_FAILED;
	}
	cli_say("key of %s registered", owner);
	puts(kid);
	return CLI_OK;
}

int
command_keys_revoke(struct cli *cli)
{
	struct error error = {0};
	const char *text = cli_option(cli, "at");
	int64_t at = 0;
	struct store_rows *rows = NULL;

	if (text && !rfc3339_parse(text, strlen(text), &at))
		return cli_usage(cli, "--at: not a time as 2026-03-04T10:00:00Z");

	struct store_param params[] = {store_text(cli->config.tenant), store_text(cli->arguments[0]),
				       store_time_or_null(at)};

	if (!directory_make(cli, STATEMENT_CLI_KEY_REVOKE, params, 3, &rows, &error))
		return cli_fail(&error);
	if (store_rows_count(rows)) {
		cli_say("the key counts for nothing from %s on", store_row_text(rows, 0, 1));
		return CLI_OK;
	}
	cli_say("no such key, or it is revoked already from then on or earlier");
	return CLI_FAILED;
}

int
command_keys_list(struct cli *cli)
{
	static const char *const names[] = {
	    "kid", "owner", "kind", "@speaks_for", "@groups", "@agents", "registered_at", "revoked_at", NULL};
	static const char *const columns[] = {"kid",	"owner",	 "kind",       "speaks_for", "groups",
					      "agents", "registered_at", "revoked_at", NULL};
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_KEY_LIST, params, 1, &error);
	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}
