/* SPDX-License-Identifier: Apache-2.0 */
/* policy_change.c - two documents, part by part. */
#include "services/countersign/policy_change.h"

#include <string.h>

struct comparing {
	struct arena *arena;
	struct value *changes;
};

/* The parts of a document that hold named entries: maps by name, or lists by id. */
static const struct part {
	const char *section, *name;
} parts[] = {
    {"inputs", "input"},       {"params", "param"}, {"let", "let"},	 {"classes", "class"},
    {"approvals", "approval"}, {"rules", "rule"},   {"limits", "limit"}, {"invariants", "invariant"},
};

static void
set_borrowed(struct arena *arena, struct value *map, const char *name, const struct value *value)
{
	if (value)
		value_set(arena, map, name, (struct value *)(uintptr_t)value);
}

static void
add(const struct comparing *comparing, const char *part, const char *name, const char *key,
    const struct value *before, const struct value *after)
{
	struct value *map = value_map(comparing->arena);
	const char *change = key || (before && after) ? "changed" : before ? "removed" : "added";

	value_set_string(comparing->arena, map, "part", part);
	value_set_string(comparing->arena, map, "name", name);
	value_set_string(comparing->arena, map, "change", change);
	value_set_string(comparing->arena, map, "key", key);
	set_borrowed(comparing->arena, map, "before", before);
	set_borrowed(comparing->arena, map, "after", after);
	value_append(comparing->arena, comparing->changes, map);
}

/* Both are there and differ: key by key, where they have keys. */
static void
compare_entries(const struct comparing *comparing, const char *part, const char *name,
		const struct value *before, const struct value *after)
{
	if (value_equal(before, after))
		return;
	if (before->kind != VALUE_MAP || after->kind != VALUE_MAP) {
		add(comparing, part, name, NULL, before, after);
		return;
	}
	for (size_t i = 0; i < before->as.map.count; i++) {
		const struct value_member *old = &before->as.map.members[i];
		const struct value *new = value_get(after, old->name.bytes);

		if (!new || !value_equal(old->value, new))
			add(comparing, part, name, old->name.bytes, old->value, new);
	}
	for (size_t i = 0; i < after->as.map.count; i++)
		if (!value_get(before, after->as.map.members[i].name.bytes))
			add(comparing, part, name, after->as.map.members[i].name.bytes, NULL,
			    after->as.map.members[i].value);
}

/* A list of maps as a map from their ids; a map as it is; what is not there is empty. */
static const struct value *
by_name(struct arena *arena, const struct value *section)
{
	struct value *map;

	if (section && section->kind == VALUE_MAP)
		return section;
	map = value_map(arena);
	for (size_t i = 0; section && i < section->as.list.count; i++)
		set_borrowed(arena, map, value_get_string(section->as.list.items[i], "id"),
			     section->as.list.items[i]);
	return map;
}

static void
compare_parts(const struct comparing *comparing, const struct part *part, const struct value *before,
	      const struct value *after)
{
	const struct value *olds = by_name(comparing->arena, value_get(before, part->section));
	const struct value *news = by_name(comparing->arena, value_get(after, part->section));

	for (size_t i = 0; i < olds->as.map.count; i++) {
		const struct value_member *old = &olds->as.map.members[i];
		const struct value *new = value_get(news, old->name.bytes);

		if (new)
			compare_entries(comparing, part->name, old->name.bytes, old->value, new);
		else
			add(comparing, part->name, old->name.bytes, NULL, old->value, NULL);
	}
	for (size_t i = 0; i < news->as.map.count; i++)
		if (!value_get(olds, news->as.map.members[i].name.bytes))
			add(comparing, part->name, news->as.map.members[i].name.bytes, NULL, NULL,
			    news->as.map.members[i].value);
}

struct value *
policy_changes(struct arena *arena, const struct value *before, const struct value *after)
{
	static const char *const own[] = {"countersign", "policy", "version", "tenants", "description"};
	struct comparing comparing = {arena, value_list(arena)};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		const struct value *old = value_get(before, own[i]), *new = value_get(after, own[i]);

		if (old && new ? !value_equal(old, new) : old != new)
			add(&comparing, "policy", NULL, own[i], old, new);
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		compare_parts(&comparing, &parts[i], before, after);
	return comparing.changes;
}
