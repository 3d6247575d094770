/* SPDX-License-Identifier: Apache-2.0 */
/* policy_review.c - what is doubtful about a policy, told. */
#include "services/countersign/policy_review.h"
#include "common/message/json.h"
#include "services/countersign/policy_known.h"
#include "services/countersign/policy_layers.h"

#include <string.h>

/* "W04,W05": each a check there is; W13 is made by whoever runs the tests. */
static int
read_codes(struct cli *cli, const char *option, const char *text, const char **codes, bool *all_tested)
{
	size_t count = 0;

	while (text && *text) {
		size_t length = strcspn(text, ",");
		const char *code = arena_copy(cli->arena, text, length);
		const struct policy_lint_check *check = policy_lint_find_check(code);

		if (strcmp(code, "W13") == 0)
			*all_tested = true;
		else if (!check)
			return cli_usage(cli, "--%s: there is no check %s", option, code);
		if (check && count < POLICY_LINT_CHECKS_MAX)
			codes[count++] = check->code;
		text += length + (text[length] == ',');
	}
	codes[count] = NULL;
	return CLI_OK;
}

int
policy_review_open(struct cli *cli, struct policy_review *review)
{
	bool unused = false;
	int result;

	*review = (struct policy_review){0};
	result = read_codes(cli, "error", cli_option(cli, "error"), review->raised, &review->all_tested);
	if (result == CLI_OK)
		result = read_codes(cli, "warn", cli_option(cli, "warn"), review->lowered, &unused);
	for (size_t i = 0; result == CLI_OK && review->lowered[i]; i++)
		if (strcmp(review->lowered[i], "E03") != 0)
			return cli_usage(cli,
					 "--warn: only E03 may be, which is about people who may come later");
	return result;
}

static void
add_maps(struct cli *cli, struct value *list, const struct findings *findings, const char *severity, size_t room)
{
	for (size_t i = 0; i < findings->count && i < room; i++) {
		struct value *map = policy_file_finding_map(cli, &findings->items[i]);

		value_set_string(cli->arena, map, "severity", severity);
		value_append(cli->arena, list, map);
	}
}

static void
print_data(struct cli *cli, const struct policy_lint *lint)
{
	static const char *const columns[] = {"severity", "code", "path", "line", "column", "text", NULL};
	struct value *list = value_list(cli->arena);

	add_maps(cli, list, &lint->errors, "error", FINDINGS_MAX);
	add_maps(cli, list, &lint->warnings, "warning", FINDINGS_MAX - lint->errors.count);
	cli_print_list(cli, list, columns);
}

/* "W05 3, W09 2" */
static const char *
counts_text(struct cli *cli, const struct policy_lint *lint)
{
	struct buffer text = {.arena = cli->arena};

	for (size_t i = 0; policy_lint_checks[i].code; i++)
		if (lint->counts[i])
			buffer_add_format(&text, "%s%s %zu", text.length ? ", " : "",
					  policy_lint_checks[i].code, lint->counts[i]);
	return text.bytes;
}

static void
say_counts(struct cli *cli, const char *name, const struct policy_lint *lint, size_t shown)
{
	size_t all = lint->error_count + lint->warning_count;

	if (all == 0)
		return;
	cli_say("%s: %zu %s, %zu %s (%s)%s", name, lint->error_count,
		lint->error_count == 1 ? "error" : "errors", lint->warning_count,
		lint->warning_count == 1 ? "warning" : "warnings", counts_text(cli, lint),
		all > shown ? arena_format(cli->arena, "; %zu of them are not shown", all - shown) : "");
}

static void
tell(struct cli *cli, const struct policy_review *review, const struct policy_file *file,
     struct policy_lint *lint)
{
	document_place(&file->document, &lint->errors);
	document_place(&file->document, &lint->warnings);
	if (lint->warnings.count > FINDINGS_MAX - lint->errors.count)
		lint->warnings.count = FINDINGS_MAX - lint->errors.count;
	if (review->prints && cli->json) {
		print_data(cli, lint);
	} else {
		policy_file_show_findings(cli, &file->document, &lint->errors);
		policy_file_show_findings(cli, &file->document, &lint->warnings);
	}
	for (size_t i = 0; i < lint->note_count; i++)
		cli_say("%s: %s", file->document.name, lint->notes[i]);
	say_counts(cli, file->document.name, lint, lint->errors.count + lint->warnings.count);
}

/* What was stored has no text with places. */
static bool
open_ask(struct cli *cli, const struct policy_review *review, const struct policy_file *file,
	 struct policy_lint_ask *ask, struct error *error)
{
	*ask = (struct policy_lint_ask){.policy = file->written ? file->written : file->policy.policy,
					.document = file->document.value,
					.spot = file->document.spot,
					.now = cli_now(),
					.raised = review->raised,
					.lowered = review->lowered};
	if (!ask->document)
		ask->document = json_parse(cli->arena, file->policy.canonical, file->policy.canonical_length,
					   &json_limits_policy, error);
	return ask->document != NULL;
}

static bool
read_directory(struct cli *cli, const struct policy *policy, struct policy_directory *directory,
	       struct error *error)
{
	bool good = cli_store(cli, error) && store_begin(cli->store, error)
		    && policy_known_directory(cli, policy, directory, error);

	if (cli->store)
		store_rollback(cli->store);
	return good;
}

/* Those that may decide together with it. */
static bool
read_others(struct cli *cli, struct policy_lint_ask *ask, struct error *error)
{
	struct policy_actives actives;
	const struct policy **others;

	if (!policy_actives_load(cli, &actives, error))
		return false;
	others = arena_take_array(cli->arena, actives.count, sizeof *others);
	for (size_t i = 0; i < actives.count; i++)
		if (policy_is_organisation(actives.items[i]) != policy_is_organisation(ask->policy)
		    && strcmp(policy_name(actives.items[i]), policy_name(ask->policy)) != 0)
			others[ask->other_count++] = actives.items[i];
	ask->others = others;
	return true;
}

static void
say_unread(const struct policy_file *file, const char *what, const struct error *error)
{
	cli_say("%s: %s could not be read: %s", file->document.name, what, error->text);
}

static bool
is_raised(const struct policy_review *review, const char *code)
{
	for (size_t i = 0; review->raised[i]; i++)
		if (strcmp(review->raised[i], code) == 0)
			return true;
	return false;
}

int
policy_review(struct cli *cli, const struct policy_review *review, const struct policy_file *file,
	      enum policy_lint_part part)
{
	struct error error = {0};
	struct policy_lint_ask ask;
	struct policy_directory directory;
	struct policy_catalogue catalogue;
	struct policy_lint lint;

	if (!open_ask(cli, review, file, &ask, &error))
		return cli_fail(&error);
	ask.part = part;
	if (*cli->config.database_uri) {
		/* many requests take a while to read: an activation waits for them only where it is asked to */
		if ((part == POLICY_LINT_ALL || is_raised(review, "W03"))
		    && policy_known_catalogue(cli, ask.policy, &catalogue, &error))
			ask.catalogue = &catalogue;
		if (part == POLICY_LINT_ALL && ask.catalogue
		    && read_directory(cli, ask.policy, &directory, &error))
			ask.directory = &directory;
		if (part == POLICY_LINT_ALL && error.kind == ERROR_NONE)
			(void)read_others(cli, &ask, &error);
		if (error.kind != ERROR_NONE)
			say_unread(file, "the database", &error);
	}
	lint = policy_lint(&ask, cli->arena);
	tell(cli, review, file, &lint);
	return lint.error_count ? CLI_FAILED : CLI_OK;
}

bool
policy_review_people(struct cli *cli, const struct policy_review *review, const struct policy_file *file,
		     struct error *error)
{
	struct policy_lint_ask ask;
	struct policy_directory directory;
	struct policy_lint lint;

	if (!open_ask(cli, review, file, &ask, error)
	    || !policy_known_directory(cli, ask.policy, &directory, error))
		return false;
	ask.part = POLICY_LINT_DIRECTORY;
	ask.directory = &directory;
	lint = policy_lint(&ask, cli->arena);
	tell(cli, review, file, &lint);
	return lint.error_count == 0
	       || error_set(
		   error, ERROR_INVALID, "people",
		   "it asks people who are not there: add them first, or activate it with --warn E03");
}
