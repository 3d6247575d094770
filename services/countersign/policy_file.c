/* SPDX-License-Identifier: Apache-2.0 */
/* policy_file.c - reading policies and tests for the commands, and saying what is wrong with them in their lines. */
#include "services/countersign/policy_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Line by line: a terminal gets nothing else. */
static void
print_lines(struct cli *cli, const struct text *text)
{
	for (size_t at = 0; at < text->length;) {
		const char *end = memchr(text->bytes + at, '\n', text->length - at);
		size_t length = end ? (size_t)(end - (text->bytes + at)) : text->length - at;

		cli_print_text(arena_copy(cli->arena, text->bytes + at, length), stderr);
		fputc('\n', stderr);
		at += length + 1;
	}
}

struct value *
policy_file_finding_map(struct cli *cli, const struct finding *finding)
{
	struct value *map = value_map(cli->arena);

	value_set_string(cli->arena, map, "code", finding->code);
	value_set_string(cli->arena, map, "word", finding->word);
	value_set_string(cli->arena, map, "path", finding->path);
	value_set(cli->arena, map, "line", value_int(cli->arena, finding->at.line));
	value_set(cli->arena, map, "column", value_int(cli->arena, finding->at.column));
	value_set_string(cli->arena, map, "text", finding->text);
	return map;
}

void
policy_file_show_findings(struct cli *cli, const struct document *document, const struct findings *findings)
{
	struct buffer buffer = {.arena = cli->arena};

	for (size_t i = 0; i < findings->count; i++)
		document_explain(&buffer, document, &findings->items[i]);
	print_lines(cli, &(struct text){buffer.bytes, buffer.length});
}

int
policy_file_print_findings(struct cli *cli, const struct document *document, const struct findings *findings)
{
	static const char *const columns[] = {"code", "path", "line", "column", "text", NULL};
	struct value *list = value_list(cli->arena);

	for (size_t i = 0; i < findings->count; i++)
		value_append(cli->arena, list, policy_file_finding_map(cli, &findings->items[i]));
	if (cli->json)
		cli_print_list(cli, list, columns);
	else
		policy_file_show_findings(cli, document, findings);
	cli_say("%s: %zu %s%s", document->name, findings->count, findings->count == 1 ? "error" : "errors",
		findings_full(findings) ? ", and perhaps more" : "");
	return CLI_FAILED;
}

static const char *
shown_name(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "stdin";
}

int
policy_file_read(struct cli *cli, const char *path, struct policy_file *file)
{
	struct error error = {0};
	struct findings findings = findings_open(cli->arena, FINDINGS_MAX);
	size_t length;
	char *bytes = cli_read_file(cli, path, POLICY_BYTES_MAX, &length, &error);

	*file = (struct policy_file){0};
	if (!bytes)
		return cli_fail(&error);
	if (!document_policy(cli->arena, shown_name(path), bytes, length, &file->document, &file->policy,
			     &findings))
		return policy_file_print_findings(cli, &file->document, &findings);
	file->written = file->policy.policy;
	return CLI_OK;
}

int
policy_file_read_honoured(struct cli *cli, const char *path, struct policy_file *file)
{
	struct error error = {0};
	int result = policy_file_read(cli, path, file);

	if (result != CLI_OK)
		return result;
	if (policy_gaps(file->policy.policy)->count)
		return policy_file_print_findings(cli, &file->document, policy_gaps(file->policy.policy));
	/* what is stored is read again by whoever decides, and by nothing but this */
	if (!policy_document_parse(cli->arena, file->policy.canonical, file->policy.canonical_length,
				   &file->policy, &error))
		return cli_fail(&error);
	return CLI_OK;
}

static const char *const endings[] = {"yaml", "yml", "json"};

static const char *
suite_name(struct cli *cli, const char *policy_path, size_t ending)
{
	const char *dot = strrchr(policy_path, '.'), *slash = strrchr(policy_path, '/');
	size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - policy_path) : strlen(policy_path);

	return arena_format(cli->arena, "%.*s.test.%s", (int)stem, policy_path, endings[ending]);
}

const char *
policy_file_suite(struct cli *cli, const char *policy_path)
{
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		const char *path = suite_name(cli, policy_path, i);

		if (access(path, F_OK) == 0)
			return path;
	}
	return NULL;
}

int
policy_file_read_suite(struct cli *cli, const char *policy_path, const char *path, struct policy_suite *suite)
{
	struct error error = {0};
	struct document document;
	struct findings findings = findings_open(cli->arena, FINDINGS_MAX);
	const char *beside = path ? path : policy_file_suite(cli, policy_path);
	const char *name = beside ? beside : suite_name(cli, policy_path, 0);
	size_t length;
	char *bytes = cli_read_file(cli, name, POLICY_BYTES_MAX, &length, &error);

	if (!bytes)
		return cli_fail(&error);
	if (!document_read(cli->arena, shown_name(name), bytes, length, document_form(name, bytes, length),
			   &document, &findings)
	    || !policy_suite_read(cli->arena, &document, suite, &findings))
		return policy_file_print_findings(cli, &document, &findings);
	return CLI_OK;
}
