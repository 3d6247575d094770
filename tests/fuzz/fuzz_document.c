/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_document.c - a text read as JSON and as YAML, and as a policy in either form. As JSON it is taken exactly where json_parse
 * takes it, as the same value; what is taken as YAML is the same from its canonical form, and the same as in JSON where both take it;
 * a policy is loaded by those who decide exactly when it has no gaps, by the same digest. Every finding has a place in the text
 * and can be shown in lines that hold nothing for a terminal; so has every one of the checks of a policy that loads.
 */
#include "common/document/document.h"
#include "common/message/json.h"
#include "common/policy/policy_lint.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum { SMALL = 1024 };

static bool
is_ascii(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] >= 0x80)
			return false;
	return true;
}

/* One line at a time, as a terminal gets them. */
static void
check_shown(struct arena *arena, const struct document *document, const struct finding *finding)
{
	struct buffer shown = {.arena = arena};
	struct text rest;

	document_explain(&shown, document, finding);
	rest = (struct text){shown.bytes, shown.length};
	assert(shown.length && shown.bytes[shown.length - 1] == '\n');
	while (rest.length) {
		struct text line = fuzz_split(&rest, '\n');

		assert(line.length < 2048);
		assert(fuzz_one_line(arena_copy(arena, line.bytes, line.length)));
	}
}

static void
check_findings(struct arena *arena, const struct document *document, const struct findings *findings)
{
	assert(findings->count <= FINDINGS_MAX);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		assert((finding->code[0] == 'E' || finding->code[0] == 'W') && finding->word[0]
		       && finding->text[0]);
		assert(fuzz_one_line(finding->text) && fuzz_one_line(finding->path));
		assert(finding->at.start <= finding->at.end || finding->at.line == 1);
		assert(finding->at.start <= document->source.length);
		check_shown(arena, document, finding);
	}
}

/* Spots have the shape of their values; places inside of strings lie inside of them. */
static void
check_spots(const struct document *document, const struct value *value, const struct spot *spot)
{
	assert(spot->value.line >= 1 && spot->value.column >= 1);
	assert(spot->value.start <= spot->value.end && spot->value.end <= document->source.length);
	if (value->kind == VALUE_STRING && document->source.length < 512)
		for (size_t i = 0; i < 40; i += 3) {
			struct stretch at = document_within(document, spot->value, i);

			assert(at.start >= spot->value.start && at.end <= spot->value.end && at.line >= 1);
		}
	for (size_t i = 0; value->kind == VALUE_LIST && i < value->as.list.count; i++)
		check_spots(document, value->as.list.items[i], spot_below(spot, i));
	for (size_t i = 0; value->kind == VALUE_MAP && i < value->as.map.count; i++) {
		assert(spot_below(spot, i)->name.line >= 1);
		check_spots(document, value->as.map.members[i].value, spot_below(spot, i));
	}
}

static const struct value *
read_as(struct arena *arena, enum document_form form, const char *name, const uint8_t *bytes, size_t length)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;
	bool good = document_read(arena, name, bytes, length, form, &document, &findings);

	assert(good == (findings.count == 0) && good == (document.value != NULL));
	check_findings(arena, &document, &findings);
	if (good)
		check_spots(&document, document.value, document.spot);
	return document.value;
}

static void
check_json(struct arena *arena, const uint8_t *bytes, size_t length, const struct value *read)
{
	struct error error = {0};
	const struct value *value = json_parse(arena, bytes, length, &json_limits_policy, &error);

	assert(!value == !read);
	assert(!value || value_equal(value, read));
}

static void
check_canonical(struct arena *arena, const struct value *read)
{
	struct text canonical = fuzz_canonical(arena, read);
	struct error error = {0};
	const struct value *again =
	    json_parse(arena, canonical.bytes, canonical.length, &json_limits_policy, &error);

	assert(again && fuzz_same(canonical, fuzz_canonical(arena, again)));
}

/* Whatever it says has its place in this document; without places it says as much again. */
static void
check_lint(struct arena *arena, const struct document *document, const struct policy *policy)
{
	struct policy_lint_ask ask = {.policy = policy,
				      .document = document->value,
				      .spot = document->spot,
				      .now = INT64_C(1767225600000000)};
	struct policy_lint lint = policy_lint(&ask, arena), again;

	document_place(document, &lint.errors);
	document_place(document, &lint.warnings);
	check_findings(arena, document, &lint.errors);
	check_findings(arena, document, &lint.warnings);
	assert(lint.errors.count <= lint.error_count && lint.warnings.count <= lint.warning_count);
	for (size_t i = 0; i < lint.note_count; i++)
		assert(fuzz_one_line(lint.notes[i]));
	if (document->source.length > SMALL)
		return;
	ask.spot = NULL;
	again = policy_lint(&ask, arena);
	assert(lint.error_count == again.error_count && lint.warning_count == again.warning_count);
}

static void
check_policy(struct arena *arena, const char *name, const uint8_t *bytes, size_t length)
{
	struct findings findings = findings_open(arena, FINDINGS_MAX);
	struct document document;
	struct policy_document policy, again;
	struct error error = {0};
	const struct policy_request request = {
	    .tenant = "default", .agent_id = "bot", .action = "a.b", .target = "t"};
	struct policy_decision decision;
	bool good = document_policy(arena, name, bytes, length, &document, &policy, &findings);

	assert(good == (findings.count == 0));
	check_findings(arena, &document, &findings);
	if (!good)
		return;
	check_findings(arena, &document, policy_gaps(policy.policy));
	policy_decide(policy.policy, &request, 1, arena, &decision);
	check_lint(arena, &document, policy.policy);
	if (policy_document_parse(arena, policy.canonical, policy.canonical_length, &again, &error)) {
		assert(policy_gaps(policy.policy)->count == 0);
		assert(strcmp(policy.digest_text, again.digest_text) == 0);
	} else {
		assert(policy_gaps(policy.policy)->count > 0 && strcmp(error.code, "unsupported_key") == 0);
	}
}

int
FUZZ_TARGET(document)(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_open();
	const struct value *json = read_as(arena, DOCUMENT_JSON, "d.json", bytes, length);
	const struct value *yaml = read_as(arena, DOCUMENT_YAML, "d.yaml", bytes, length);

	check_json(arena, bytes, length, json);
	if (yaml)
		check_canonical(arena, yaml);
	if (json && yaml && is_ascii(bytes, length))
		assert(value_equal(json, yaml));
	check_policy(arena, "p.json", bytes, length);
	check_policy(arena, "p.yaml", bytes, length);
	arena_close(arena);
	return 0;
}
