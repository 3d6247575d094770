/* SPDX-License-Identifier: Apache-2.0 */
/* policy_place.c - where in a document the reader is, and saying what is wrong there. */
#include "common/policy/policy_read.h"

#include <stdio.h>
#include <string.h>

struct place
policy_place_root(const struct policy_reader *reader, const struct value *document, const struct spot *spot)
{
	return (struct place){.reader = reader, .name = "", .value = document, .spot = document ? spot : NULL};
}

struct place
policy_place_nth(const struct place *map, size_t n)
{
	return (struct place){.reader = map->reader,
			      .above = map,
			      .name = map->value->as.map.members[n].name.bytes,
			      .value = map->value->as.map.members[n].value,
			      .spot = spot_below(map->spot, n)};
}

struct place
policy_place_member(const struct place *map, const char *name)
{
	if (map->value && map->value->kind == VALUE_MAP)
		for (size_t i = 0; i < map->value->as.map.count; i++)
			if (strcmp(map->value->as.map.members[i].name.bytes, name) == 0)
				return policy_place_nth(map, i);
	return (struct place){.reader = map->reader, .above = map, .name = name};
}

struct place
policy_place_item(const struct place *list, size_t index)
{
	return (struct place){.reader = list->reader,
			      .above = list,
			      .index = index,
			      .value = list->value->as.list.items[index],
			      .spot = spot_below(list->spot, index)};
}

/* The names come from the document: what can't be printed becomes a question mark. */
static void
spell(const struct place *place, struct buffer *path)
{
	if (!place->above)
		return;
	spell(place->above, path);
	if (!place->name) {
		buffer_add_format(path, "[%zu]", place->index);
		return;
	}
	if (path->length)
		buffer_add_byte(path, '.');
	for (const char *c = place->name; *c; c++)
		buffer_add_byte(path, *c > ' ' && *c <= '~' ? *c : '?');
}

const char *
policy_place_path(const struct place *place)
{
	struct buffer path = {.arena = place->reader->arena};

	spell(place, &path);
	return path.length ? path.bytes : "";
}

/* What is absent is missing in the nearest thing around it that is there. */
static struct stretch
stretch_of(const struct place *place, bool is_name)
{
	if (is_name && place->spot && place->spot->name.line)
		return place->spot->name;
	while (place && !place->spot)
		place = place->above;
	return place ? place->spot->value : (struct stretch){0};
}

/* The code under which the manual lists what a word says. */
static const char *
code_of(const char *word)
{
	static const char *const codes[][2] = {{"wrong_value_type", "E02"}, {"unknown_input", "E02"},
					       {"unknown_approval", "E03"}, {"too_many", "E04"},
					       {"too_large", "E04"},	    {"no_fallback_class", "E05"}};

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (strcmp(codes[i][0], word) == 0)
			return codes[i][1];
	return "E01";
}

static bool
add(const struct place *place, bool is_name, const char *code, const char *word, const char *format,
    va_list arguments)
{
	struct findings *findings = place->reader->findings;
	char text[ERROR_TEXT_SIZE];

	if (findings_full(findings))
		return false;
	vsnprintf(text, sizeof text, format, arguments);
	return findings_add(findings, (struct finding){.code = code ? code : code_of(word),
						       .word = word,
						       .path = policy_place_path(place),
						       .text = text,
						       .at = stretch_of(place, is_name)});
}

bool
policy_refuse(const struct place *place, const char *word, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(place, false, NULL, word, format, arguments);
	va_end(arguments);
	return false;
}

bool
policy_refuse_as(const struct place *place, const char *code, const char *word, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(place, false, code, word, format, arguments);
	va_end(arguments);
	return false;
}

bool
policy_refuse_name(const struct place *place, const char *word, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(place, true, NULL, word, format, arguments);
	va_end(arguments);
	return false;
}

static const char *
joined(struct arena *arena, const char *const *names)
{
	struct buffer list = {.arena = arena};

	buffer_add_text(&list, "");
	for (size_t i = 0; names[i]; i++)
		buffer_add_format(&list, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
	return list.bytes;
}

bool
policy_refuse_unknown(const struct place *place, const char *word, const char *unknown,
		      const char *const *names, const char *what)
{
	const char *nearest = finding_nearest(unknown, names);
	bool is_name = strcmp(word, "unknown_key") == 0;
	size_t count = 0;

	while (names[count])
		count++;
	if (nearest && is_name)
		return policy_refuse_name(place, word, "%s: did you mean \"%s\"?", what, nearest);
	if (nearest)
		return policy_refuse(place, word, "%s: did you mean \"%s\"?", what, nearest);
	if (count == 0 || count > 24)
		return is_name ? policy_refuse_name(place, word, "%s", what)
			       : policy_refuse(place, word, "%s", what);

	const char *list = joined(place->reader->arena, names);

	return is_name ? policy_refuse_name(place, word, "%s: it may be %s", what, list)
		       : policy_refuse(place, word, "%s: it may be %s", what, list);
}

bool
policy_reader_is_full(const struct place *place)
{
	return findings_full(place->reader->findings);
}

void
policy_note_gap(const struct place *place)
{
	struct policy *policy = place->reader->policy;

	if (!findings_full(&policy->gaps))
		findings_add(
		    &policy->gaps,
		    (struct finding){.code = "E10",
				     .word = "unsupported_key",
				     .path = policy_place_path(place),
				     .text = "belongs to the language, but this version can't honour it yet",
				     .at = stretch_of(place, true)});
}

void
policy_note_gaps(const struct place *map, const char *const *names)
{
	for (; *names; names++) {
		struct place member = policy_place_member(map, *names);

		if (member.value)
			policy_note_gap(&member);
	}
}
