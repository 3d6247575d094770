/* SPDX-License-Identifier: Apache-2.0 */
/* spotted.c - reading a document member by member, with a finding at its place for all that is not as it must be. */
#include "services/countersign/spotted.h"

#include <string.h>

bool
spotted_refuse(const struct spotted_reader *reader, const struct spotted *place, const char *word,
	       const char *text)
{
	struct stretch at = place->spot ? place->spot->value : (struct stretch){0};

	return findings_add(
	    reader->findings,
	    (struct finding){.code = "E01", .word = word, .path = place->path, .text = text, .at = at});
}

struct spotted
spotted_member(const struct spotted_reader *reader, const struct spotted *map, const char *name)
{
	struct spotted found = {.path = *map->path ? arena_format(reader->arena, "%s.%s", map->path, name)
						   : name};

	for (size_t i = 0; map->value && map->value->kind == VALUE_MAP && i < map->value->as.map.count; i++)
		if (strcmp(map->value->as.map.members[i].name.bytes, name) == 0) {
			found.value = map->value->as.map.members[i].value;
			found.spot = spot_below(map->spot, i);
		}
	return found;
}

/* A map with no other members than these. */
bool
spotted_check_map(const struct spotted_reader *reader, const struct spotted *place, const char *const *known)
{
	if (!place->value || place->value->kind != VALUE_MAP)
		return spotted_refuse(reader, place, place->value ? "wrong_type" : "missing_key",
				      "must be a map");
	for (size_t i = 0; i < place->value->as.map.count; i++) {
		const char *name = place->value->as.map.members[i].name.bytes;
		const char *const *one = known;
		const char *near = finding_nearest(name, known);
		struct spotted unknown = spotted_member(reader, place, name);

		while (*one && strcmp(*one, name) != 0)
			one++;
		if (!*one)
			spotted_refuse(
			    reader, &unknown, "unknown_key",
			    near ? arena_format(reader->arena, "is not known here: did you mean %s?", near)
				 : "is not known here");
	}
	return true;
}

const char *
spotted_text(const struct spotted_reader *reader, const struct spotted *place)
{
	if (place->value && place->value->kind == VALUE_STRING)
		return place->value->as.string.bytes;
	spotted_refuse(reader, place, place->value ? "wrong_type" : "missing_key", "must be a text");
	return NULL;
}

struct spotted
spotted_item(const struct spotted_reader *reader, const struct spotted *list, size_t i)
{
	return (struct spotted){list->value->as.list.items[i], spot_below(list->spot, i),
				arena_format(reader->arena, "%s[%zu]", list->path, i)};
}
