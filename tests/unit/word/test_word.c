/* SPDX-License-Identifier: Apache-2.0 */
/* test_word.c - how long a decision may take, and what a batch keeps of it. The clock that counts its computing is moved by hand (rules.mk). */
#include "tests/unit/policy/documents.h"

#include "common/clock/clock.h"
#include "common/word/word.h"

__typeof__(clock_computing) __wrap_clock_computing;
__typeof__(snapshot_find) __wrap_snapshot_find;
__typeof__(snapshot_find_shadows) __wrap_snapshot_find_shadows;
__typeof__(snapshot_generation) __wrap_snapshot_generation;

static struct snapshot_policy active = {.policy_id = "p", .digest = "sha256:0", .version = 1};
static struct snapshot_policy shadow = {.policy_id = "p", .digest = "sha256:1", .version = 2};
static size_t shadows;
static int64_t started, later; /* what the clock says first, and from then on */
static size_t looks, takes_long_from = 1;

int64_t
__wrap_clock_computing(void)
{
	return looks++ >= takes_long_from ? later : started;
}

struct snapshot_layers
__wrap_snapshot_find(const struct snapshot *snapshot, const char *tenant)
{
	(void)snapshot;
	(void)tenant;
	return (struct snapshot_layers){.items = {&active}, .policies = {active.policy}, .count = 1};
}

size_t
__wrap_snapshot_find_shadows(const struct snapshot *snapshot, const char *tenant,
			     struct snapshot_shadow found[SNAPSHOT_SHADOWS_MAX])
{
	(void)snapshot;
	(void)tenant;
	for (size_t i = 0; i < shadows; i++)
		found[i] = (struct snapshot_shadow){
		    &shadow, {.items = {&shadow}, .policies = {shadow.policy}, .count = 1}};
	return shadows;
}

int64_t
__wrap_snapshot_generation(const struct snapshot *snapshot)
{
	(void)snapshot;
	return 1;
}

/* Each rule alone takes more units than may pass between two looks at the clock. */
static const char policy[] =
    "{'countersign': 'policy/v1', 'policy': 'p', 'version': 1, 'tenants': ['*'],"
    " 'inputs': {'l': {'type': 'list<int>', 'max': 22}, 'b': 'bool'},"
    " 'classes': [{'id': 'all', 'actions': ['**'], 'default': 'ALLOW'}], 'rules': ["
    "  {'id': 'first', 'when': 'context.l.all(v, context.l.all(w, v + w < 1000 || w == 1))', 'decision': "
    "'ALLOW'},"
    "  {'id': 'second', 'when': 'context.l.all(v, context.l.all(w, v + w < 1000 || w == 2))', 'decision': "
    "'ALLOW'},"
    "  {'id': 'third', 'when': 'context.b', 'decision': 'BLOCK'}]}";

static struct word_decision
decide(struct arena *arena, int64_t taken, struct policy_decision *decision)
{
	struct word_request request = {
	    .tenant = "t", .agent_id = "bot", .action = "a", .target = "x", .digest_text = "sha256:1"};
	struct service_context context = {.scratch = arena_open()};
	struct work work = {.context = &context, .arena = arena, .now = 1};
	struct word_decision stored;

	request.context = parse(
	    arena, "{'b': false, 'l': [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4]}");
	active.policy = load(arena, policy);
	looks = 0;
	started = 70000;
	later = started + taken;
	word_decide(NULL, &request, 0, &work, NULL, decision, &stored);
	arena_close(context.scratch); /* nothing of it is in what is stored */
	return stored;
}

static void
a_decision_may_compute_for_five_milliseconds_and_no_longer(void **state)
{
	struct policy_decision decision;
	struct word_decision stored = decide(*state, 5000, &decision);

	assert_true(looks > 4);
	assert_string_equal(stored.verdict, "ALLOW");
	assert_int_equal(decision.error_count, 0);

	stored = decide(*state, 5001, &decision);
	assert_int_equal(looks, 3); /* at the start, when the first rule was told, and once more behind it */
	assert_string_equal(stored.verdict, "BLOCK");
	assert_string_equal(stored.reason_code, "rule_error");
	assert_int_equal(decision.error_count, 3);
	assert_non_null(strstr(stored.explanation, "\"error\":\"cost\""));
}

/* The same text but for what is told of the shadows. */
static void
assert_same_but_for_shadows(const char *with, const char *without)
{
	const char *at = strstr(with, ",\"shadows\":[");
	size_t length;

	assert_non_null(at);
	length = (size_t)(at - with);
	assert_memory_equal(with, without, length);
	at = strchr(at, ']'); /* of its rules, or the end of the list */
	at = at[1] == ']' || at[1] == '}' ? at : strchr(at + 1, ']');
	assert_string_equal(strchr(at, '}'), without + length);
}

static void
a_shadow_is_told_and_changes_nothing_though_it_takes_too_long(void **state)
{
	struct policy_decision decision;
	struct word_decision without, with;

	without = decide(*state, 0, &decision);
	assert_null(strstr(without.explanation, "shadows"));
	shadows = 1;
	shadow.policy = load(*state, edit(*state, policy, "'when': 'context.b'", "'when': '!context.b'"));
	with = decide(*state, 0, &decision);
	assert_string_equal(with.verdict, "ALLOW");
	assert_int_equal(decision.error_count, 0);
	assert_non_null(strstr(with.explanation, "\"decision\":\"BLOCK\",\"differs\":true"));
	assert_same_but_for_shadows(with.explanation, without.explanation);

	/* the clock of the decision has not run out, that of the shadow has */
	takes_long_from = looks - 3;
	with = decide(*state, 2001, &decision);
	assert_string_equal(with.verdict, "ALLOW");
	assert_int_equal(decision.error_count, 0);
	assert_non_null(strstr(with.explanation, "\"error\":\"cost\""));
	takes_long_from = 1;

	shadow.policy = NULL;
	with = decide(*state, 0, &decision);
	assert_string_equal(with.verdict, "ALLOW");
	assert_non_null(strstr(with.explanation, "\"error\":\"unusable\""));
	shadows = 0;
}

static size_t
room_for(const struct event *event)
{
	return sizeof *event * 3 /* the list grows by doubling */ + strlen(event->key)
	       + strlen(event->headers) + event->payload_length + strlen(event->request_id) + 64;
}

static void
of_a_word_a_batch_keeps_what_it_says_and_not_what_it_was_made_of(void **state)
{
	struct service_context context = {.source = "/countersign/test", .chains = 3, .scratch = arena_open()};
	struct arena *rows = arena_open();
	struct work work = {.context = &context, .arena = *state, .now = 1};
	struct words words = words_open(&work, rows);
	struct word_request request = {.tenant = "t", .request_id = "r-1", .key = "t/r-1", .agent_id = "bot"};
	struct word_decision decision = {.verdict = "REQUIRE_APPROVAL",
					 .reason_code = "rule",
					 .reason_text = "why",
					 .policy_id = "p",
					 .policy_digest = "d"};
	struct error error = {0};
	size_t before = arena_used(*state), most = 0;

	for (int i = 0; i < 100; i++) {
		struct authorization word = word_make(&work, &request, &decision);

		word.status = AUTHORIZATION_PENDING;
		word.approval_id = "0f8fad5b-d9cb-469f-a165-70867728950e";
		word_decided(&words, &request, i, &decision);
		assert_true(word_speak(&words, &word, &error));
		most += room_for(&work.events[i]);
	}
	assert_in_range(arena_used(*state) - before, 1, most);
	for (size_t i = 0; i < work.event_count; i++) {
		assert_string_equal(work.events[i].key, "t/r-1");
		assert_string_equal(work.events[i].payload, work.events[0].payload);
		assert_string_equal(work.events[i].headers, work.events[0].headers);
	}
	assert_non_null(strstr(work.events[0].payload, "\"status\":\"PENDING\""));
	arena_close(rows);
	arena_close(context.scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    STORY(a_decision_may_compute_for_five_milliseconds_and_no_longer),
	    STORY(a_shadow_is_told_and_changes_nothing_though_it_takes_too_long),
	    STORY(of_a_word_a_batch_keeps_what_it_says_and_not_what_it_was_made_of)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
