/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_policy_lint.c - each check on documents that it must find fault with and on those that it must not: tests/policy/lint/CODE-name.yaml.
 * Their comments say what is expected of that check, and what the directory and the last requests are:
 *
 *   # expect: W05 15:12 let.big        (or: # expect: nothing)
 *   # note: W03                        something is not checked to the end
 *   # member: TENANT GROUP PERSON      # owner: TENANT OWNER AGENT
 *   # asked: ACTION AGENT TARGET
 *   # beside: {INPUTS}               of another active policy
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/document/document.h"
#include "common/policy/policy_lint.h"
#include "common/policy/policy_linting.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/policy/lint/"
#define NOW INT64_C(1767225600000000) /* 2026-01-01 */

enum { ENTRIES_MAX = 64 };

struct fixture {
	struct arena *arena;
	const char *name;
	char code[4];
	char *text;
	size_t length;
	struct policy_directory_member members[ENTRIES_MAX];
	struct policy_directory_owner owners[ENTRIES_MAX];
	const char *actions[ENTRIES_MAX], *names[ENTRIES_MAX], *targets[ENTRIES_MAX];
	struct policy_directory directory;
	struct policy_catalogue catalogue;
	const struct policy *other;
	struct buffer expected, found;
	size_t findings;
};

static char *
read_file(struct arena *arena, const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	char *bytes = arena_take(arena, 1 << 20);

	if (!file)
		fail_msg("%s can't be read", path);
	*length = fread(bytes, 1, (1 << 20) - 1, file);
	fclose(file);
	return bytes;
}

static void
add_member(struct fixture *fixture, char words[3][128])
{
	fixture->members[fixture->directory.member_count++] = (struct policy_directory_member){
	    arena_string(fixture->arena, words[0]), arena_string(fixture->arena, words[1]),
	    arena_string(fixture->arena, words[2])};
}

static void
add_owner(struct fixture *fixture, char words[3][128])
{
	fixture->owners[fixture->directory.owner_count++] = (struct policy_directory_owner){
	    arena_string(fixture->arena, words[0]), arena_string(fixture->arena, words[1]), 1,
	    arena_string(fixture->arena, words[2])};
}

static void
add_asked(struct fixture *fixture, char words[3][128])
{
	size_t n = fixture->catalogue.action_count++;

	fixture->actions[n] = arena_string(fixture->arena, words[0]);
	fixture->names[n] = arena_string(fixture->arena, words[1]);
	fixture->targets[n] = arena_string(fixture->arena, words[2]);
	fixture->catalogue.agent_count = fixture->catalogue.target_count = n + 1;
}

static const struct policy *
load_policy(struct fixture *fixture, const char *text, size_t length, struct document *document)
{
	struct findings findings = findings_open(fixture->arena, FINDINGS_MAX);
	struct policy_document loaded;

	if (!document_policy(fixture->arena, fixture->name, text, length, document, &loaded, &findings))
		fail_msg("%s: %s: %s", fixture->name, findings.items[0].path, findings.items[0].text);
	return loaded.policy;
}

static void
set_other(struct fixture *fixture, const char *inputs)
{
	const char *text = arena_format(fixture->arena,
					"{countersign: policy/v1, policy: other, version: 1, tenants: ['*'], "
					"inputs: %s, classes: [{id: all, actions: ['**'], default: BLOCK}]}",
					inputs);
	struct document unused;

	fixture->other = load_policy(fixture, text, strlen(text), &unused);
}

static void
read_comment(struct fixture *fixture, const char *line)
{
	char words[3][128];

	if (strncmp(line, "# expect: ", 10) == 0)
		buffer_add_format(
		    &fixture->expected, "%s",
		    strcmp(line + 10, "nothing") == 0 ? "" : arena_format(fixture->arena, "%s\n", line + 10));
	else if (strncmp(line, "# note: ", 8) == 0)
		buffer_add_format(&fixture->expected, "note %s\n", line + 8);
	else if (sscanf(line, "# member: %127s %127s %127s", words[0], words[1], words[2]) == 3)
		add_member(fixture, words);
	else if (sscanf(line, "# owner: %127s %127s %127s", words[0], words[1], words[2]) == 3)
		add_owner(fixture, words);
	else if (sscanf(line, "# asked: %127s %127s %127s", words[0], words[1], words[2]) == 3)
		add_asked(fixture, words);
	else if (strncmp(line, "# beside: ", 10) == 0)
		set_other(fixture, line + 10);
}

static void
read_comments(struct fixture *fixture)
{
	const char *at = fixture->text;

	buffer_add_text(&fixture->expected, "");
	while (*at == '#') {
		size_t length = strcspn(at, "\n");

		read_comment(fixture, arena_copy(fixture->arena, at, length));
		at += length + (at[length] == '\n');
	}
	fixture->directory.members = fixture->members;
	fixture->directory.owners = fixture->owners;
	fixture->catalogue.actions = fixture->actions;
	fixture->catalogue.agents = fixture->names;
	fixture->catalogue.targets = fixture->targets;
}

static void
add_found(struct fixture *fixture, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (strcmp(finding->code, fixture->code) != 0)
			continue;
		buffer_add_format(&fixture->found, "%s %u:%u %s\n", finding->code, (unsigned)finding->at.line,
				  (unsigned)finding->at.column, finding->path);
		assert_true(strlen(finding->text) > 20);
		fixture->findings++;
	}
}

static void
lint_fixture(struct fixture *fixture)
{
	struct document document;
	const struct policy *policy = load_policy(fixture, fixture->text, fixture->length, &document);
	struct policy_lint_ask ask = {.policy = policy,
				      .others = &fixture->other,
				      .other_count = fixture->other ? 1 : 0,
				      .document = document.value,
				      .spot = document.spot,
				      .now = NOW,
				      .directory = fixture->directory.member_count ? &fixture->directory : NULL,
				      .catalogue = &fixture->catalogue};
	struct policy_lint lint = policy_lint(&ask, fixture->arena);

	document_place(&document, &lint.errors);
	document_place(&document, &lint.warnings);
	findings_sort(&lint.errors);
	findings_sort(&lint.warnings);
	buffer_add_text(&fixture->found, "");
	add_found(fixture, &lint.errors);
	add_found(fixture, &lint.warnings);
	for (size_t i = 0; i < lint.note_count; i++)
		if (strstr(fixture->expected.bytes, "note ") && strstr(lint.notes[i], fixture->code))
			buffer_add_format(&fixture->found, "note %s\n", fixture->code);
}

static size_t
check_of(const char *code)
{
	const struct policy_lint_check *check = policy_lint_find_check(code);

	if (!check)
		fail_msg("there is no check %s", code);
	return (size_t)(check - policy_lint_checks);
}

static void
what_each_check_finds_and_what_it_leaves_alone(void **state)
{
	size_t found[POLICY_LINT_CHECKS_MAX] = {0}, left[POLICY_LINT_CHECKS_MAX] = {0}, failed = 0;
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		struct arena *arena = arena_open();
		struct fixture *fixture = arena_take(arena, sizeof *fixture);

		if (entry->d_name[0] == '.') {
			arena_close(arena);
			continue;
		}
		*fixture = (struct fixture){.arena = arena, .name = entry->d_name};
		fixture->expected.arena = fixture->found.arena = arena;
		memcpy(fixture->code, entry->d_name, 3);
		fixture->text =
		    read_file(arena, arena_format(arena, FOLDER "%s", entry->d_name), &fixture->length);
		read_comments(fixture);
		lint_fixture(fixture);
		if (strcmp(fixture->expected.bytes, fixture->found.bytes) != 0) {
			print_error("%s\nexpected:\n%sfound:\n%s", entry->d_name, fixture->expected.bytes,
				    fixture->found.bytes);
			failed++;
		}
		(fixture->findings ? found : left)[check_of(fixture->code)]++;
		arena_close(arena);
	}
	closedir(folder);
	assert_int_equal(failed, 0);
	for (size_t i = 0; policy_lint_checks[i].code; i++)
		if (!found[i] || !left[i])
			fail_msg("%s needs a document that it finds fault with, and one that it leaves alone",
				 policy_lint_checks[i].code);
}

/* ------------------------------------------------------------------ a great many of them */

static struct policy_lint
lint_text(struct arena *arena, const char *text)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;
	struct policy_document loaded;

	if (!document_policy(arena, "p.json", text, strlen(text), &document, &loaded, &findings))
		fail_msg("%s: %s", findings.items[0].path, findings.items[0].text);

	struct policy_lint_ask ask = {
	    .policy = loaded.policy, .document = document.value, .spot = document.spot, .now = NOW};

	return policy_lint(&ask, arena);
}

static void
open_document(struct buffer *text, const char *inputs)
{
	buffer_add_format(
	    text,
	    "{\"countersign\": \"policy/v1\", \"policy\": \"p\", \"version\": 1, \"inputs\": {%s}, "
	    "\"classes\": [{\"id\": \"c\", \"actions\": [\"**\"], \"default\": \"ALLOW\"}], "
	    "\"rules\": [",
	    inputs);
}

static bool
is_noted(const struct policy_lint *lint, const char *start)
{
	for (size_t i = 0; i < lint->note_count; i++)
		if (strncmp(lint->notes[i], start, strlen(start)) == 0)
			return true;
	return false;
}

static void
what_is_too_much_to_compare_is_said(void **state)
{
	struct arena *arena = arena_open();
	struct buffer text = {.arena = arena};

	(void)state;
	open_document(&text, "\"n\": \"int\"");
	for (int i = 0; i < 3000; i++)
		buffer_add_format(
		    &text,
		    "%s{\"id\": \"r%d\", \"decision\": \"BLOCK\", \"match\": {\"actions\": [\"a%d.b\"], "
		    "\"agents\": [\"a%d*b*c*d*e\"], \"targets\": [\"*%d*x*y*z\"]}, \"when\": \"context.n > "
		    "5\"}",
		    i ? ", " : "", i, i % 3, i, i);
	buffer_add_text(&text, "]}");

	struct policy_lint lint = lint_text(arena, text.bytes);

	assert_true(is_noted(
	    &lint, "W01: too many rules are about the same actions to compare them all: only the first "));
	assert_true(is_noted(&lint, "E09, W02: of 3 actions not all requests were tried"));
	assert_int_equal(lint.counts[check_of("W05")], 3000);
	assert_int_equal(lint.warnings.count, FINDINGS_MAX);
	arena_close(arena);
}

static void
where_there_is_no_room_for_all_what_most_policies_have_gives_way(void **state)
{
	struct arena *arena = arena_open();
	struct buffer text = {.arena = arena};
	size_t rare = 0;

	(void)state;
	open_document(&text, "\"n\": \"int\"");
	for (int i = 0; i < 40; i++)
		buffer_add_format(
		    &text,
		    "{\"id\": \"r%d\", \"decision\": \"BLOCK\", \"match\": {\"actions\": [\"a.b\"]}, "
		    "\"when\": \"context.n == %d\"}, ",
		    i, i);
	buffer_add_text(&text,
			"{\"id\": \"last\", \"decision\": \"BLOCK\", \"match\": {\"actions\": [\"a.b\"]}, "
			"\"when\": \"context.n == 7\"}]}");

	struct policy_lint lint = lint_text(arena, text.bytes);

	assert_int_equal(lint.error_count, 0);
	for (size_t i = 0; i < lint.warnings.count; i++)
		rare += strcmp(lint.warnings.items[i].code, "W01") == 0
			&& strcmp(lint.warnings.items[i].path, "rules[40]") == 0;
	assert_int_equal(rare, 1);
	assert_int_equal(lint.warnings.count, FINDINGS_MAX);
	assert_int_equal(lint.warning_count, lint.counts[check_of("W05")] + lint.counts[check_of("W01")]
						 + lint.counts[check_of("W02")]);
	arena_close(arena);
}

/* ------------------------------------------------------------------ patterns */

static void
a_pattern_covers_another_only_where_every_text_of_it_matches(void **state)
{
	static const struct {
		const char *outer, *inner;
		bool covers;
	} cases[] = {{"**", "a.b", true},	   {"a.**", "a", true},		{"a.**", "a.*", true},
		     {"a.*", "a.**", false},	   {"a.**", "a.**.b", true},	{"**.b", "a.**.b", true},
		     {"*.b", "**.b", false},	   {"a*", "ab*", true},		{"ab*", "a*", false},
		     {"a*c", "ab*c", true},	   {"*a*", "*ba*", true},	{"a.*.c", "a.b*.c", true},
		     {"a/**", "a.**", false},	   {"a.*", "a.b", true},	{"a.b", "a.*", false},
		     {"*", "a.b", false},	   {"**.x.**", "a.x.**", true}, {"a*b*", "a*", false},
		     {"bot-*", "bot-7-*", true},   {"x/**", "x/y/*", true},	{"**", "a/b:c", true},
		     {"a.**.b.**", "a.b.**", true}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (policy_pattern_covers(cases[i].outer, cases[i].inner) != cases[i].covers)
			fail_msg("%s, %s", cases[i].outer, cases[i].inner);
}

static void
two_patterns_meet_only_where_some_text_matches_both(void **state)
{
	static const struct {
		const char *left, *right;
		bool meet;
	} cases[] = {{"a.*", "*.b", true}, {"a.**", "**.b", true},    {"a*", "b*", false},
		     {"a*c", "ab*", true}, {"a.*", "a.*.c", false},   {"*", "a.b", false},
		     {"**", "x", true},	   {"a*b", "*c", false},      {"a.b", "a.*", true},
		     {"**.x", "x", true},  {"a.**.c", "a.b*.c", true}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (policy_pattern_meets(cases[i].left, cases[i].right) != cases[i].meet
		    || policy_pattern_meets(cases[i].right, cases[i].left) != cases[i].meet)
			fail_msg("%s, %s", cases[i].left, cases[i].right);
}

/* All patterns of up to four letters of a small alphabet against all texts of up to five. */
static void
what_is_said_of_small_patterns_is_so_for_all_small_texts(void **state)
{
	static const char letters[] = "ab.*";
	static char patterns[512][8], texts[512][8];
	size_t pattern_count = 0, text_count = 0;
	struct error error = {0};

	(void)state;
	for (size_t n = 1; n < 1024; n++) {
		char word[8];
		size_t length = 0;

		for (size_t rest = n; rest && length < 5; rest /= 5)
			if (rest % 5)
				word[length++] = letters[rest % 5 - 1];
			else
				length = 7;
		word[length < 7 ? length : 0] = '\0';
		if (!*word || word[0] == '.' || word[length - 1] == '.' || strstr(word, ".."))
			continue;
		if (length <= 4 && pattern_count < 512 && policy_pattern_check(word, "p", &error))
			strcpy(patterns[pattern_count++], word);
		if (!strchr(word, '*') && text_count < 512)
			strcpy(texts[text_count++], word);
	}
	assert_true(pattern_count > 100 && text_count > 30);
	for (size_t i = 0; i < pattern_count; i++)
		for (size_t j = 0; j < pattern_count; j++) {
			bool covers = policy_pattern_covers(patterns[i], patterns[j]);
			bool meets = policy_pattern_meets(patterns[i], patterns[j]), met = false;

			for (size_t k = 0; k < text_count; k++) {
				bool left = policy_pattern_match(patterns[i], texts[k]);
				bool right = policy_pattern_match(patterns[j], texts[k]);

				if (covers && right && !left)
					fail_msg("%s covers %s, but not %s", patterns[i], patterns[j],
						 texts[k]);
				met = met || (left && right);
			}
			if (met && !meets)
				fail_msg("%s and %s meet", patterns[i], patterns[j]);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_each_check_finds_and_what_it_leaves_alone),
	    cmocka_unit_test(what_is_too_much_to_compare_is_said),
	    cmocka_unit_test(where_there_is_no_room_for_all_what_most_policies_have_gives_way),
	    cmocka_unit_test(a_pattern_covers_another_only_where_every_text_of_it_matches),
	    cmocka_unit_test(two_patterns_meet_only_where_some_text_matches_both),
	    cmocka_unit_test(what_is_said_of_small_patterns_is_so_for_all_small_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
