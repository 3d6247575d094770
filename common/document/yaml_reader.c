/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_reader.c - YAML as libyaml reads it, with the data of JSON and no more. The document is what stands there: no anchor, tag or merge. */
#include "common/document/building.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { LEVELS_MAX = 64 };

/* A list or map that is open; of a map also the name whose value is awaited. */
struct level {
	struct container container;
	bool is_named;
	struct text name;
	struct stretch name_at;
};

struct yaml {
	const struct building *building;
	struct level levels[LEVELS_MAX];
	size_t depth;
	struct node *root;
};

static struct stretch
stretch_of(const struct yaml *yaml, const yaml_event_t *event)
{
	return building_stretch(yaml->building, event->start_mark.index, event->end_mark.index);
}

/* Plain scalars. */

static bool
is_one_of(struct text text, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == text.length && memcmp(*words, text.bytes, text.length) == 0)
			return true;
	return false;
}

static size_t
count_digits(struct text text, size_t from)
{
	size_t count = 0;

	while (from + count < text.length && text.bytes[from + count] >= '0' && text.bytes[from + count] <= '9')
		count++;
	return count;
}

/* The core schema's [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool
is_number(struct text text)
{
	size_t at = text.length && strchr("-+", text.bytes[0]) ? 1 : 0;
	size_t whole = count_digits(text, at), fraction = 0;

	at += whole;
	if (at < text.length && text.bytes[at] == '.') {
		fraction = count_digits(text, at + 1);
		at += 1 + fraction;
	}
	if (whole == 0 && fraction == 0)
		return false;
	if (at < text.length && (text.bytes[at] == 'e' || text.bytes[at] == 'E')) {
		at++;
		if (at < text.length && strchr("-+", text.bytes[at]))
			at++;

		size_t exponent = count_digits(text, at);

		if (exponent == 0)
			return false;
		at += exponent;
	}
	return at == text.length;
}

static struct value *
plain_value(const struct building *building, struct stretch at, struct text text)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
	static const char *const trues[] = {"true", "True", "TRUE", NULL}, *const falses[] = {"false", "False",
											      "FALSE", NULL};

	if (is_one_of(text, nulls))
		return value_null(building->arena);
	if (is_one_of(text, trues))
		return value_bool(building->arena, true);
	if (is_one_of(text, falses))
		return value_bool(building->arena, false);
	if (is_number(text))
		return building_number(building, at, text);
	return building_string(building, at, text);
}

/* Where a value stands in its container. */

static bool
place(struct yaml *yaml, struct node node)
{
	struct level *level = yaml->depth ? &yaml->levels[yaml->depth - 1] : NULL;

	if (!level) {
		*yaml->root = node;
		return true;
	}
	if (level->container.is_map && !level->is_named)
		return building_refuse(yaml->building, node.spot.value, "yaml_form",
				       "a name is a text, no list and no map");
	level->is_named = false;
	return building_add(yaml->building, &level->container, level->name, level->name_at, node);
}

static bool
take_name(struct yaml *yaml, struct level *level, const yaml_event_t *event, struct text text)
{
	const struct building *building = yaml->building;

	level->name_at = stretch_of(yaml, event);
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		struct value *value;

		if (text.length == 2 && memcmp(text.bytes, "<<", 2) == 0)
			return building_refuse(building, level->name_at, "yaml_form",
					       "merge keys are not read: write the members out");
		value = plain_value(building, level->name_at, text);
		if (!value)
			return false;
		if (value->kind != VALUE_STRING)
			return building_refuse(building, level->name_at, "yaml_form",
					       "a name is a text: put this %s in quotes",
					       value_kind_name(value->kind));
	}
	level->name = (struct text){arena_copy(building->arena, text.bytes, text.length), text.length};
	level->is_named = true;
	return true;
}

/* No anchors, no tags. A plain text that begins with ! is what people mean by "not". */
static bool
is_bare(const struct yaml *yaml, const yaml_event_t *event, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	struct stretch at = stretch_of(yaml, event);

	if (anchor)
		return building_refuse(yaml->building, at, "yaml_form",
				       "anchors are not read: put a text that begins with & in quotes");
	if (tag)
		return building_refuse(
		    yaml->building, at, "yaml_form",
		    "YAML takes a text that begins with ! for a tag: put an expression in quotes");
	return true;
}

static bool
take_scalar(struct yaml *yaml, const yaml_event_t *event)
{
	struct text text = {(const char *)event->data.scalar.value, event->data.scalar.length};
	struct level *level = yaml->depth ? &yaml->levels[yaml->depth - 1] : NULL;
	struct node node = {.spot.value = stretch_of(yaml, event)};

	if (!is_bare(yaml, event, event->data.scalar.anchor, event->data.scalar.tag))
		return false;
	if (memchr(text.bytes, '\0', text.length))
		return building_refuse(yaml->building, node.spot.value, "encoding", "a zero character");
	if (level && level->container.is_map && !level->is_named)
		return take_name(yaml, level, event, text);
	node.value = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
			 ? plain_value(yaml->building, node.spot.value, text)
			 : building_string(yaml->building, node.spot.value, text);
	return node.value && place(yaml, node);
}

static bool
open_level(struct yaml *yaml, const yaml_event_t *event, bool is_map)
{
	struct stretch at =
	    building_stretch(yaml->building, event->start_mark.index, event->start_mark.index + 1);
	struct level *level = yaml->depth ? &yaml->levels[yaml->depth - 1] : NULL;

	if (!is_bare(yaml, event, is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
		     is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag))
		return false;
	if (level && level->container.is_map && !level->is_named)
		return building_refuse(yaml->building, at, "yaml_form", "a name is a text, no list and no map");
	if (yaml->depth == yaml->building->limits->depth || yaml->depth == LEVELS_MAX)
		return building_refuse(yaml->building, at, "too_deep", "nested deeper than %zu levels",
				       yaml->depth);
	yaml->levels[yaml->depth++] =
	    (struct level){.container = {.is_map = is_map, .at = at}, .name = {"", 0}};
	return true;
}

static bool
close_level(struct yaml *yaml)
{
	struct node node = {0};

	return building_close(yaml->building, &yaml->levels[--yaml->depth].container, &node)
	       && place(yaml, node);
}

static bool
take_event(struct yaml *yaml, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (event->data.document_start.version_directive
		    || event->data.document_start.tag_directives.start
			   != event->data.document_start.tag_directives.end)
			return building_refuse(yaml->building, stretch_of(yaml, event), "yaml_form",
					       "directives are not read");
		if (yaml->root->value)
			return building_refuse(yaml->building, stretch_of(yaml, event), "yaml_form",
					       "a second document begins here: there is one in a file");
		return true;
	case YAML_ALIAS_EVENT:
		return building_refuse(yaml->building, stretch_of(yaml, event), "yaml_form",
				       "aliases are not read: put a text that begins with * in quotes");
	case YAML_SCALAR_EVENT:
		return take_scalar(yaml, event);
	case YAML_SEQUENCE_START_EVENT:
		return open_level(yaml, event, false);
	case YAML_MAPPING_START_EVENT:
		return open_level(yaml, event, true);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_level(yaml);
	default:
		return true;
	}
}

/* libyaml's words for what people do most, in ours. */
static const char *
explanation(const char *problem)
{
	static const char *const texts[][2] = {
	    {"mapping values are not allowed in this context",
	     "a colon with a blank behind it begins a value: put a text that holds one in quotes"},
	    {"found character that cannot start any token",
	     "no text begins with this character outside quotes (a tab does not indent either)"},
	    {"did not find expected key", "expected a name, indented as those before it"},
	    {"could not find expected ':'", "expected a name with a colon behind it"},
	    {"did not find expected '-' indicator", "expected - and an item, indented as those before it"},
	    {"did not find expected ',' or ']'", "expected a comma or ]"},
	    {"did not find expected ',' or '}'", "expected a comma or }"},
	    {"found unexpected end of stream", "the text ends inside a quoted text"},
	    {"did not find expected <document start>", "the document ended before this"},
	    {"did not find expected alphabetic or numeric character",
	     "YAML takes a text that begins with & or * for a reference: put it in quotes"},
	    {"found unknown escape character",
	     "there is no such escape: a backslash itself is \\\\, or use single quotes"},
	    {"block sequence entries are not allowed in this context", "a list item can't stand here"},
	    {"found a tab character that violates indentation", "a tab does not indent: use blanks"},
	    {"found a tab character where an indentation space is expected",
	     "a tab does not indent: use blanks"},
	};

	for (size_t i = 0; problem && i < sizeof texts / sizeof *texts; i++)
		if (strcmp(texts[i][0], problem) == 0)
			return texts[i][1];
	return problem ? problem : "is not YAML";
}

static size_t
characters_before(struct text text, size_t offset)
{
	size_t count = 0;

	for (size_t i = 0; i < offset && i < text.length; i++)
		count += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
	return count;
}

static bool
refuse_syntax(const struct building *building, const yaml_parser_t *parser)
{
	size_t at = parser->problem_mark.index;

	if (parser->error == YAML_MEMORY_ERROR) /* no fault of the document: as elsewhere, the end */
		abort();
	if (parser->error == YAML_READER_ERROR) {
		at = characters_before(building->source, parser->problem_offset);
		return building_refuse(
		    building, building_stretch(building, at, at + 1), "encoding",
		    "a character that can't stand in YAML: in double quotes, write it as an escape");
	}
	return building_refuse(building, building_stretch(building, at, at + 1), "syntax", "%s",
			       explanation(parser->problem));
}

static bool
read_events(struct yaml *yaml, yaml_parser_t *parser)
{
	bool good = true, done = false;

	while (good && !done) {
		yaml_event_t event;

		if (!yaml_parser_parse(parser, &event))
			return refuse_syntax(yaml->building, parser);
		good = take_event(yaml, &event);
		done = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	return good;
}

bool
building_read_yaml(const struct building *building, struct node *root)
{
	struct yaml yaml = {.building = building, .root = root};
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)building->source.bytes,
				     building->source.length);

	bool good = read_events(&yaml, &parser);

	yaml_parser_delete(&parser);
	if (good && !root->value)
		return building_refuse(building, building_stretch(building, 0, 0), "empty",
				       "there is nothing in it");
	return good;
}
