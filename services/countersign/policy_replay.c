/* SPDX-License-Identifier: Apache-2.0 */
/* policy_replay.c - counting decisions that become others. */
#include "services/countersign/policy_replay.h"
#include "common/canonical/canonical.h"

#include <inttypes.h>
#include <string.h>

enum { EXAMPLES_MAX = 3 };

enum direction { MILDER, STRICTER, OTHERWISE };

/* Decisions that became others in the same way. */
struct group {
	enum direction direction;
	struct policy_seen before, after;
	uint64_t count;
	const char *examples[EXAMPLES_MAX];
};

struct policy_replay {
	struct arena *arena;
	uint64_t decisions, changed;
	struct group *groups;
	size_t count, room;
};

struct policy_replay *
policy_replay_open(struct arena *arena)
{
	struct policy_replay *replay = arena_take(arena, sizeof *replay);

	replay->arena = arena;
	return replay;
}

static int
strictness(const char *verdict)
{
	for (int one = POLICY_ALLOW; one < POLICY_BLOCK; one++)
		if (strcmp(policy_verdict_name((enum policy_verdict)one), verdict) == 0)
			return one;
	return POLICY_BLOCK;
}

static bool
is_same_way(const struct group *group, const struct policy_seen *before, const struct policy_seen *after)
{
	return strcmp(group->before.verdict, before->verdict) == 0 && strcmp(group->before.by, before->by) == 0
	       && strcmp(group->after.verdict, after->verdict) == 0 && strcmp(group->after.by, after->by) == 0;
}

static struct policy_seen
kept(struct arena *arena, const struct policy_seen *seen)
{
	return (struct policy_seen){arena_string(arena, seen->verdict), arena_string(arena, seen->by), NULL};
}

static struct group *
group_of(struct policy_replay *replay, const struct policy_seen *before, const struct policy_seen *after)
{
	int step = strictness(after->verdict) - strictness(before->verdict);

	for (size_t i = 0; i < replay->count; i++)
		if (is_same_way(&replay->groups[i], before, after))
			return &replay->groups[i];
	if (replay->count == replay->room) {
		size_t room = replay->room ? 2 * replay->room : 16;
		struct group *groups = arena_take_array(replay->arena, room, sizeof *groups);

		if (replay->count)
			memcpy(groups, replay->groups, replay->count * sizeof *groups);
		replay->groups = groups;
		replay->room = room;
	}
	replay->groups[replay->count] = (struct group){
	    .direction = step < 0   ? MILDER
			 : step > 0 ? STRICTER
				    : OTHERWISE,
	    .before = kept(replay->arena, before),
	    .after = kept(replay->arena, after),
	};
	return &replay->groups[replay->count++];
}

void
policy_replay_add(struct policy_replay *replay, const char *name, const struct policy_seen *before,
		  const struct policy_seen *after)
{
	struct group *group;

	replay->decisions++;
	if (strcmp(before->verdict, after->verdict) == 0 && strcmp(before->asks, after->asks) == 0)
		return;
	replay->changed++;
	group = group_of(replay, before, after);
	if (group->count < EXAMPLES_MAX)
		group->examples[group->count] = arena_string(replay->arena, name);
	group->count++;
}

/* ------------------------------------------------------------------ printing */

static const char *const directions[] = {"milder", "stricter", "asks otherwise"};

/* The n-th group in the order of printing; few, so that looking for the next each time is enough. */
static const struct group *
next_group(const struct policy_replay *replay, const struct group *last)
{
	const struct group *best = NULL;

	for (size_t i = 0; i < replay->count; i++) {
		const struct group *one = &replay->groups[i];
		bool is_behind =
		    !last || one->direction > last->direction
		    || (one->direction == last->direction
			&& (one->count < last->count || (one->count == last->count && one > last)));
		bool is_before = !best || one->direction < best->direction
				 || (one->direction == best->direction && one->count > best->count);

		if (is_behind && is_before)
			best = one;
	}
	return best;
}

static struct value *
group_map(struct arena *arena, const struct group *group)
{
	struct value *map = value_map(arena), *examples = value_list(arena);

	value_set_string(arena, map, "direction", directions[group->direction]);
	value_set(arena, map, "count", value_int(arena, (int64_t)group->count));
	value_set_string(arena, map, "before", group->before.verdict);
	value_set_string(arena, map, "before_by", group->before.by);
	value_set_string(arena, map, "after", group->after.verdict);
	value_set_string(arena, map, "after_by", group->after.by);
	for (size_t i = 0; i < EXAMPLES_MAX && group->examples[i]; i++)
		value_append(arena, examples, value_string(arena, group->examples[i]));
	value_set(arena, map, "examples", examples);
	return map;
}

static void
print_group(struct arena *arena, const struct group *group)
{
	struct buffer line = {.arena = arena};

	buffer_add_format(&line, "%s: %" PRIu64 " of %s by %s, then %s by %s: ", directions[group->direction],
			  group->count, group->before.verdict, group->before.by, group->after.verdict,
			  group->after.by);
	for (size_t i = 0; i < EXAMPLES_MAX && group->examples[i]; i++)
		buffer_add_format(&line, "%s%s", i ? ", " : "", group->examples[i]);
	buffer_add_text(&line, group->count > EXAMPLES_MAX ? ", …" : "");
	cli_print_text(line.bytes, stdout);
	putchar('\n');
}

void
policy_replay_print(struct cli *cli, const struct policy_replay *replay)
{
	struct value *map = value_map(cli->arena), *groups = value_list(cli->arena);

	for (const struct group *one = NULL; (one = next_group(replay, one)) != NULL;) {
		value_append(cli->arena, groups, group_map(cli->arena, one));
		if (!cli->json)
			print_group(cli->arena, one);
	}
	value_set(cli->arena, map, "decisions", value_int(cli->arena, (int64_t)replay->decisions));
	value_set(cli->arena, map, "changed", value_int(cli->arena, (int64_t)replay->changed));
	value_set(cli->arena, map, "groups", groups);
	if (cli->json)
		cli_print_map(cli, map);
	else
		printf("%" PRIu64 " of %" PRIu64 " decisions would change\n", replay->changed,
		       replay->decisions);
}

/* ------------------------------------------------------------------ deciding */

static const char *
joined(struct arena *arena, const char *const *names, size_t count)
{
	struct buffer text = {.arena = arena};

	for (size_t i = 0; i < count; i++)
		buffer_add_format(&text, "%s%s", i ? ", " : "", names[i]);
	return text.bytes;
}

/* All that one profile demands, so that what differs reads differently. */
static void
add_asked(struct buffer *text, const struct policy_requirement *asked)
{
	const struct policy_profile *terms = asked->terms;

	buffer_add_format(text, "%s %d %d %" PRId64, asked->profile, terms->distinct, terms->require_reason,
			  terms->deny_quorum);
	if (terms->override)
		buffer_add_format(text, " override %s", terms->override);
	for (size_t i = 0; i < terms->stage_count; i++) {
		buffer_add_format(text, " %s", terms->stages[i].all ? "all" : "any");
		for (size_t j = 0; j < terms->stages[i].ask_count; j++)
			buffer_add_format(text, " %s %" PRId64, terms->stages[i].asks[j].group,
					  terms->stages[i].asks[j].quorum);
	}
	for (size_t i = 0; i < terms->step_count; i++)
		buffer_add_format(text, " after %" PRId64 " %d %s %" PRId64, terms->steps[i].after,
				  (int)terms->steps[i].how, terms->steps[i].to.group,
				  terms->steps[i].to.quorum);
	buffer_add_text(text, ", ");
}

static const char *
asks_of(struct arena *arena, const struct policy_decision *decision, bool whole)
{
	struct buffer text = {.arena = arena};
	struct error unused = {0};

	buffer_add_text(&text, "");
	for (size_t i = 0; i < decision->requirement_count; i++) {
		const struct policy_requirement *one = &decision->requirements[i];

		if (whole)
			add_asked(&text, one);
		else if (i == 0 || strcmp(one->profile, decision->requirements[i - 1].profile) != 0
			 || one->policy != decision->requirements[i - 1].policy)
			buffer_add_format(&text, "%s ", one->profile);
	}
	if (whole)
		buffer_add_format(&text, "%" PRId64 " %" PRId64 " %" PRId64 " %d", decision->ttl,
				  decision->valid_for, decision->hold_for,
				  decision->hold_if_nobody + 2 * decision->escalate_if_nobody);
	if (decision->obligations && !canonical_format(&text, decision->obligations, &unused))
		return ""; /* never: they were read so */
	return text.bytes;
}

struct policy_seen
policy_seen_of(struct arena *arena, const struct policy_decision *decision, bool whole)
{
	struct policy_seen seen = {.verdict = policy_verdict_name(decision->verdict),
				   .by = decision->reason_code,
				   .asks = asks_of(arena, decision, whole)};

	if (decision->rule_count)
		seen.by = joined(arena, decision->rules, decision->rule_count);
	else if (decision->limit_count)
		seen.by = joined(arena, decision->limits, decision->limit_count);
	else if (strcmp(decision->reason_code, "class_default") == 0)
		seen.by = arena_format(arena, "the default of %s", decision->class_id);
	return seen;
}

bool
policy_request_of(struct arena *arena, struct value *map, struct request *request, struct error *error)
{
	struct buffer body = {.arena = arena};
	struct record record = {0};

	if (map->kind == VALUE_MAP && !value_get(map, "request_id"))
		value_set_string(arena, map, "request_id", "dry-run");
	if (!canonical_format(&body, map, error))
		return false;
	record.value = body.bytes;
	record.value_length = body.length;
	return request_parse(arena, &record, request, error);
}

/* Of a limit that was not asked then, or had another key, nothing is known: nothing is used. */
static bool
used_then(void *usage, const struct policy_counter *counter, struct policy_usage *used)
{
	const struct value *list = usage;

	for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->as.list.count; i++) {
		const struct value *one = list->as.list.items[i], *then = value_get(one, "used");
		const char *name = value_get_string(one, "limit"), *its = value_get_string(one, "key");

		if (name && its && strcmp(name, counter->limit) == 0
		    && (strcmp(its, counter->shown) == 0 || strcmp(its, "(hidden)") == 0) && then
		    && then->kind == VALUE_INT && then->as.integer > 0)
			used->amount = then->as.integer;
	}
	return true;
}

void
policy_request_decide(const struct policy_layers *layers, const struct request *request, bool is_verified,
		      const struct value *usage, int64_t now, struct arena *arena,
		      struct policy_decision *decision)
{
	struct policy_request *asked = arena_take(arena, sizeof *asked);

	*asked = (struct policy_request){
	    .tenant = request->tenant,
	    .agent_id = request->agent_id,
	    .action = request->action,
	    .target = request->target,
	    .context = request->context,
	    .digest = request->digest_text,
	    .is_verified = is_verified,
	    .deadline = request->deadline,
	    .used = used_then,
	    .usage = (void *)(uintptr_t)usage,
	};
	policy_decide_layers(layers->items, layers->count, asked, now, arena, decision);
}
