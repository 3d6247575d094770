/* SPDX-License-Identifier: Apache-2.0 */
/* test_document.c - one policy in two forms, what is wrong with it shown in its text, and places inside of strings. */
#include "tests/unit/document/document_test.h"

#include "common/policy/policy_private.h"

static const char yaml[] = "countersign: policy/v1\n"
			   "policy: acme\n"
			   "version: 3\n"
			   "inputs:\n"
			   "  risk: {type: string, enum: [low, high]}\n"
			   "  share: {type: double, max: 1.50}\n"
			   "classes:\n"
			   "  - {id: other, actions: ['**'], default: BLOCK}\n"
			   "rules:\n"
			   "  - id: one\n"
			   "    match: {actions: [a.b]}\n"
			   "    when: |\n"
			   "      context.risk == 'low'\n"
			   "    decision: ALLOW\n";
static const char json[] =
    "{\"rules\": [{\"when\": \"context.risk == 'low'\\n\", \"id\": \"one\", \"match\": {\"actions\": "
    "[\"a.b\"]}, \"decision\": \"ALLOW\"}],\n"
    " \"version\": 3, \"countersign\": \"policy\\/v1\", \"policy\": \"\\u0061cme\", \"inputs\": {\"share\": "
    "{\"max\": 1.5, \"type\": \"double\"},"
    " \"risk\": {\"enum\": [\"low\", \"high\"], \"type\": \"string\"}},\n"
    " \"classes\": [{\"id\": \"other\", \"actions\": [\"**\"], \"default\": \"BLOCK\"}]}";

static struct policy_document
policy_of(struct arena *arena, const char *name, const char *text)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;
	struct policy_document policy;

	if (!document_policy(arena, name, text, strlen(text), &document, &policy, &findings))
		fail_msg("%s at %s: %s", findings.items[0].word, findings.items[0].path,
			 findings.items[0].text);
	return policy;
}

static void
both_forms_of_a_policy_have_one_digest(void **state)
{
	struct policy_document one = policy_of(*state, "p.yaml", yaml),
			       other = policy_of(*state, "p.json", json), guessed[2];

	assert_string_equal(one.canonical, other.canonical);
	assert_string_equal(one.digest_text, other.digest_text);
	assert_int_equal(policy_version(one.policy), 3);
	guessed[0] = policy_of(*state, "stdin", yaml);
	guessed[1] = policy_of(*state, "stdin", json);
	assert_string_equal(guessed[0].digest_text, guessed[1].digest_text);
}

static void
the_form_is_told_by_the_name_or_else_by_the_text(void **state)
{
	(void)state;
	assert_int_equal(document_form("a.yaml", "{}", 2), DOCUMENT_YAML);
	assert_int_equal(document_form("a.yml", "{}", 2), DOCUMENT_YAML);
	assert_int_equal(document_form("a.json", "a: 1", 4), DOCUMENT_JSON);
	assert_int_equal(document_form("stdin", " \n{}", 4), DOCUMENT_JSON);
	assert_int_equal(document_form("stdin", "a: {}", 5), DOCUMENT_YAML);
	assert_int_equal(document_form("stdin", "", 0), DOCUMENT_YAML);
}

static const char *
explained(struct arena *arena, const char *name, const char *text)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;
	struct policy_document policy;
	struct buffer out = {.arena = arena};

	if (document_policy(arena, name, text, strlen(text), &document, &policy, &findings))
		fail_msg("nothing is wrong with %s", text);
	for (size_t i = 0; i < findings.count; i++)
		document_explain(&out, &document, &findings.items[i]);
	return out.bytes;
}

static void
every_fault_is_shown_in_its_line_with_what_was_meant(void **state)
{
	static const char faulty[] = "countersign: policy/v1\n"
				     "policy: acme\n"
				     "verson: 3\n"
				     "classes:\n"
				     "  - {id: other, actions: ['**'], default: BLOK}\n"
				     "approvals:\n"
				     "  release: {any_of: [{group: g, quorum: 1}], ttl: 1h}\n"
				     "rules:\n"
				     "  - id: one\n"
				     "    decision: REQUIRE_APPROVAL\n"
				     "    aproval: release\n"
				     "  - {id: two, decision: REQUIRE_APPROVAL, approval: relase}\n";
	static const char wanted[] =
	    "p.yaml:1:1: E01 version: must be there: an int\n"
	    "    1 | countersign: policy/v1\n"
	    "      | ^\n"
	    "p.yaml:3:1: E01 verson: there is no such key: did you mean \"version\"?\n"
	    "    3 | verson: 3\n"
	    "      | ^~~~~~\n"
	    "p.yaml:5:43: E01 classes[0].default: is none of the words that may stand here: did you mean "
	    "\"BLOCK\"?\n"
	    "    5 |   - {id: other, actions: ['**'], default: BLOK}\n"
	    "      |                                           ^~~~\n"
	    "p.yaml:9:5: E05 rules[0].approval: must be there: the name of the approval that asks people\n"
	    "    9 |   - id: one\n"
	    "      |     ^\n"
	    "p.yaml:11:5: E01 rules[0].aproval: there is no such key: did you mean \"approval\"?\n"
	    "   11 |     aproval: release\n"
	    "      |     ^~~~~~~\n"
	    "p.yaml:12:53: E03 rules[1].approval: is not among the approvals: did you mean \"release\"?\n"
	    "   12 |   - {id: two, decision: REQUIRE_APPROVAL, approval: relase}\n"
	    "      |                                                     ^~~~~~\n";

	assert_string_equal(explained(*state, "p.yaml", faulty), wanted);
}

static void
a_fault_of_form_is_shown_too(void **state)
{
	assert_string_equal(explained(*state, "p.json", "{\"policy\": \"a\",\n\t\"version\" 3}"),
			    "p.json:2:12: E01 expected a colon between name and value\n"
			    "    2 |  \"version\" 3}\n"
			    "      |            ^\n");
	assert_string_equal(
	    explained(*state, "p.yaml", "policy: a\nrules:\n  - when: !context.ok\n"),
	    "p.yaml:3:11: E01 YAML takes a text that begins with ! for a tag: put an expression in quotes\n"
	    "    3 |   - when: !context.ok\n"
	    "      |           ^~~~~~~~~~~\n");
	assert_string_equal(explained(*state, "p.json", "{\"a\": 1"),
			    "p.json:1:8: E01 the text ends where there must be a comma or }\n"
			    "    1 | {\"a\": 1\n"
			    "      |        ^\n");
}

/* The text after the last line feed before a caret tells its column. */
static void
long_lines_and_odd_characters_keep_the_caret_in_place(void **state)
{
	struct buffer text = {.arena = *state};
	const char *shown, *line, *caret;

	buffer_add_text(&text, "{\"description\": \"");
	for (int i = 0; i < 300; i++)
		buffer_add_text(&text, "\xc3\xb6");
	buffer_add_text(&text, "\xe2\x80\xae\", \"nonsense\": 1, \"description\": 2, \"and\": \"more and "
			       "more and more and more and more\"}\n");
	shown = explained(*state, "p.json", text.bytes);
	assert_non_null(strstr(shown, "p.json:1:337: E01 this name stands here twice"));
	assert_null(strstr(shown, "\xe2\x80\xae"));
	line = strstr(shown, "    1 | ");
	caret = strchr(line, '^');
	assert_non_null(caret);

	/* as many characters before the name as blanks before the caret */
	const char *name = strstr(line, "\"description\"");
	size_t before = 0, blanks = 0;

	for (const char *at = line; at < name; at++)
		before += ((unsigned char)*at & 0xc0) != 0x80;
	for (const char *at = strchr(line, '\n') + 1; at < caret; at++)
		blanks++;
	assert_int_equal(before, blanks);
}

static void
no_more_than_twenty_findings_are_told(void **state)
{
	struct buffer text = {.arena = *state};
	struct findings findings = findings_open(*state, FINDINGS_MAX);
	struct document document;
	struct policy_document policy;

	buffer_add_text(&text, "{\"countersign\": \"policy/v1\"");
	for (int i = 0; i < 30; i++)
		buffer_add_format(&text, ", \"nonsense%d\": 1", i);
	buffer_add_text(&text, "}");
	assert_false(document_policy(*state, "p.json", text.bytes, text.length, &document, &policy, &findings));
	assert_int_equal(findings.count, 20);
	assert_string_equal(findings.items[19].path, "nonsense19");
}

/* The place of each character of a value: the text holds ^ under it, which is taken away again. */
static void
a_place_inside_of_a_string_is_found(void **state)
{
	static const struct {
		enum document_form form;
		const char *text;
		size_t character;
		uint32_t line, column;
	} places[] = {
	    {DOCUMENT_JSON, "{\"a\": \"xyz\"}", 0, 1, 8},
	    {DOCUMENT_JSON, "{\"a\": \"xyz\"}", 2, 1, 10},
	    {DOCUMENT_JSON, "{\"a\": \"\xc3\xb6\xc3\xb6z\"}", 2, 1, 10},
	    {DOCUMENT_JSON, "{\"a\": \"\\n\\u00f6z\"}", 1, 1, 10},
	    {DOCUMENT_JSON, "{\"a\": \"\\n\\u00f6z\"}", 2, 1, 16},
	    {DOCUMENT_JSON, "{\"a\": \"\\ud83d\\ude00z\"}", 1, 1, 20},
	    {DOCUMENT_JSON, "{\"a\": \"xyz\"}", 99, 1, 7},
	    {DOCUMENT_YAML, "a: xyz\n", 0, 1, 4},
	    {DOCUMENT_YAML, "a: xyz\n", 2, 1, 6},
	    {DOCUMENT_YAML, "a: 'x''yz'\n", 2, 1, 8},
	    {DOCUMENT_YAML, "a: \"x\\x41\\tyz\"\n", 3, 1, 12},
	    {DOCUMENT_YAML, "a: x\n  y z\n", 2, 2, 3},
	    {DOCUMENT_YAML, "a: x\n  y z\n", 4, 2, 5},
	    {DOCUMENT_YAML, "a: 'x\n\n   y'\n", 2, 3, 4},
	    {DOCUMENT_YAML, "a: |\n  one\n  two\n", 0, 2, 3},
	    {DOCUMENT_YAML, "a: |\n  one\n  two\n", 4, 3, 3},
	    {DOCUMENT_YAML, "a: |\n  one\n    two\n", 6, 3, 5},
	    {DOCUMENT_YAML, "a: |\n  one\n\n  two\n", 5, 4, 3},
	    {DOCUMENT_YAML, "a: >-\n  one\n  two\n", 4, 3, 3},
	    {DOCUMENT_YAML, "b:\n - a: |-\n     x\n     yz\n", 3, 4, 7},
	};

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct document document = read_text(*state, places[i].form, places[i].text);
		const struct spot *spot = &document.spot->below[0];

		while (spot->below)
			spot = &spot->below[0];

		struct stretch at = document_within(&document, spot->value, places[i].character);

		if (at.line != places[i].line || at.column != places[i].column)
			fail_msg("character %zu at %u:%u expected, got %u:%u in\n%s", places[i].character,
				 places[i].line, places[i].column, at.line, at.column, places[i].text);
	}
}

static void
a_finding_inside_of_an_expression_is_placed_in_the_text(void **state)
{
	struct document document =
	    read_text(*state, DOCUMENT_YAML, "rules:\n  - when: |\n      context.a &&\n        context.bb\n");
	struct findings findings = findings_open(*state, FINDINGS_MAX);
	const struct spot *when = &document.spot->below[0].below[0].below[0];
	struct buffer out = {.arena = *state};

	findings_add(&findings, (struct finding){.code = "E02",
						 .word = "undeclared",
						 .path = "rules[0].when",
						 .text = "no such field",
						 .at = when->value,
						 .inside = 1 + 23});
	document_place(&document, &findings);
	document.name = "p.yaml";
	document_explain(&out, &document, &findings.items[0]);
	assert_string_equal(out.bytes, "p.yaml:4:17: E02 rules[0].when: no such field\n"
				       "    4 |         context.bb\n"
				       "      |                 ^\n");
}

/* As it stands there, conditions, people, limits and all. */
static void
the_example_of_the_language_is_read_whole(void **state)
{
	static char text[16384];
	FILE *file = fopen("tests/fuzz/corpus/document/the_example.yaml", "rb");

	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);

	const struct policy *policy = policy_of(*state, "example.yaml", text).policy;

	assert_int_equal(policy_version(policy), 14);
	assert_int_equal(policy_inputs(policy)->field_count, 16);
	assert_int_equal(policy->class_count, 6);
	assert_int_equal(policy->profile_count, 4);
	assert_int_equal(policy->rule_count, 12);
	assert_int_equal(policy->limit_count, 2);
	assert_int_equal(policy->invariant_count, 2);
	assert_string_equal(
	    policy->rules[0].when->source,
	    "context.destination_host.endsWith('.acme.internal') && context.row_count <= 10000");
	assert_int_equal(policy->rules[0].when->at.line, 92);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(both_forms_of_a_policy_have_one_digest),
	    STORY(the_form_is_told_by_the_name_or_else_by_the_text),
	    STORY(every_fault_is_shown_in_its_line_with_what_was_meant),
	    STORY(a_fault_of_form_is_shown_too),
	    STORY(long_lines_and_odd_characters_keep_the_caret_in_place),
	    STORY(no_more_than_twenty_findings_are_told),
	    STORY(a_place_inside_of_a_string_is_found),
	    STORY(the_example_of_the_language_is_read_whole),
	    STORY(a_finding_inside_of_an_expression_is_placed_in_the_text),
	};

	return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
