/* SPDX-License-Identifier: Apache-2.0 */
/* policy_read.c - typed reading of the document's members. Knows what may be written, not what it means. */
#include "common/policy/policy_read.h"

#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 64, STRINGS_MAX = 1024, SOURCE_MAX_BYTES = 8192, SOURCE_MAX = 2048 };

static const char *
article(enum value_kind kind)
{
	return kind == VALUE_INT ? "an" : "a";
}

static bool
is_kind(const struct place *place, enum value_kind kind)
{
	if (!place->value)
		return policy_refuse(place, "missing_key", "must be there: %s %s", article(kind),
				     value_kind_name(kind));
	if (place->value->kind != kind)
		return policy_refuse(place, "wrong_type", "must be %s %s, is %s", article(kind),
				     value_kind_name(kind), value_kind_name(place->value->kind));
	return true;
}

static bool
is_among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

bool
policy_read_map(const struct place *place, const char *const *known)
{
	if (!is_kind(place, VALUE_MAP))
		return false;
	for (size_t i = 0; i < place->value->as.map.count && !policy_reader_is_full(place); i++) {
		struct place member = policy_place_nth(place, i);

		if (!is_among(member.name, known))
			policy_refuse_unknown(&member, "unknown_key", member.name, known,
					      "there is no such key");
	}
	return true;
}

bool
policy_is_empty(const struct place *place, enum value_kind kind)
{
	const struct value *value = place->value;

	if (value->kind != kind)
		return false;
	return kind == VALUE_LIST ? value->as.list.count == 0 : value->as.map.count == 0;
}

bool
policy_read_open_map(const struct place *place, size_t max)
{
	if (!is_kind(place, VALUE_MAP))
		return false;
	if (place->value->as.map.count == 0)
		return policy_refuse(place, "bad_value", "must not be empty");
	if (place->value->as.map.count > max)
		return policy_refuse(place, "too_many", "has more than %zu members", max);
	return true;
}

bool
policy_read_list(const struct place *place, size_t max)
{
	if (!is_kind(place, VALUE_LIST))
		return false;
	if (place->value->as.list.count == 0)
		return policy_refuse(place, "bad_value", "must not be empty");
	if (place->value->as.list.count > max)
		return policy_refuse(place, "too_many", "has more than %zu items", max);
	return true;
}

/* C0, DEL, and C1 in its UTF-8 form. */
static bool
is_control(const char *byte, size_t left)
{
	unsigned char c = (unsigned char)byte[0];

	return c < 0x20 || c == 0x7f || (c == 0xc2 && left > 1 && (unsigned char)byte[1] < 0xa0);
}

bool
policy_read_text(const struct place *place, size_t max, const char **text)
{
	if (!is_kind(place, VALUE_STRING))
		return false;

	struct text string = place->value->as.string;

	if (string.length == 0 || string.length > max)
		return policy_refuse(place, "bad_value", "must have 1 to %zu bytes", max);
	for (size_t i = 0; i < string.length; i++)
		if (is_control(string.bytes + i, string.length - i))
			return policy_refuse(place, "bad_value", "holds a control character");
	*text = arena_copy(place->reader->arena, string.bytes, string.length);
	return true;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool
consists_of(const char *text, const char *letters)
{
	return text[strspn(text, letters)] == '\0';
}

bool
policy_read_id(const struct place *place, const char **id)
{
	if (!policy_read_text(place, ID_MAX, id))
		return false;
	if (!consists_of(*id, LOWER UPPER DIGITS "_.-"))
		return policy_refuse(place, "bad_value", "may only hold a-z A-Z 0-9 _ . -");
	return true;
}

/* The name of a member as if it were its value, to be read like one. */
static struct place
name_of(const struct place *place, struct value *text, struct spot *spot)
{
	struct place name = *place;

	*text = (struct value){.kind = VALUE_STRING, .as.string = {place->name, strlen(place->name)}};
	name.value = text;
	if (place->spot) {
		*spot = (struct spot){.value = place->spot->name, .name = place->spot->name};
		name.spot = spot;
	}
	return name;
}

bool
policy_read_id_name(const struct place *place, const char **id)
{
	struct value text;
	struct spot spot;
	struct place name = name_of(place, &text, &spot);

	return policy_read_id(&name, id);
}

/* Words that expressions can't use for a name, after the grammar of the Common Expression Language, and the variables there are. */
static const char *const reserved[] = {
    "as",     "break", "const", "continue", "else",	 "false",     "for",	"function", "if",
    "import", "in",    "let",	"loop",	    "package",	 "namespace", "null",	"return",   "true",
    "var",    "void",  "while", "agent_id", "action",	 "target",    "tenant", "context",  "facts",
    "params", "now",   "agent", "decision", "approvals", NULL};

bool
policy_read_selector(const struct place *place, const char **name)
{
	struct value text;
	struct spot spot;
	struct place it = name_of(place, &text, &spot);

	if (!policy_read_text(&it, ID_MAX, name))
		return false;
	if (!consists_of(*name, LOWER UPPER DIGITS "_") || strchr(DIGITS, **name))
		return policy_refuse(
		    &it, "bad_value",
		    "may only hold a-z A-Z 0-9 _ and not begin with a digit: expressions name it");
	return true;
}

bool
policy_read_variable_name(const struct place *place, const char **name)
{
	if (!policy_read_selector(place, name))
		return false;
	if (is_among(*name, reserved))
		return policy_refuse_name(place, "bad_value", "means something else in expressions");
	return true;
}

bool
policy_read_bool(const struct place *place, bool *boolean)
{
	if (!is_kind(place, VALUE_BOOL))
		return false;
	*boolean = place->value->as.boolean;
	return true;
}

bool
policy_read_integer(const struct place *place, int64_t min, int64_t max, int64_t *integer)
{
	if (!is_kind(place, VALUE_INT))
		return false;
	*integer = place->value->as.integer;
	if (*integer < min || *integer > max)
		return policy_refuse(place, "bad_value", "must be %lld to %lld", (long long)min,
				     (long long)max);
	return true;
}

bool
policy_read_word(const struct place *place, const char *const *words, size_t *word)
{
	if (!is_kind(place, VALUE_STRING))
		return false;
	for (*word = 0; words[*word]; ++*word)
		if (strcmp(place->value->as.string.bytes, words[*word]) == 0)
			return true;
	return policy_refuse_unknown(place, "bad_value", place->value->as.string.bytes, words,
				     "is none of the words that may stand here");
}

bool
policy_read_verdict(const struct place *place, enum policy_verdict *verdict)
{
	static const char *const words[] = {"ALLOW", "REQUIRE_APPROVAL", "BLOCK", NULL};
	size_t word;

	if (!policy_read_word(place, words, &word))
		return false;
	*verdict = (enum policy_verdict)word;
	return true;
}

/* Like text, but in lines, for which YAML has its blocks; blanks at the end mean nothing. */
bool
policy_read_expression(const struct place *place, struct policy_expression *expression)
{
	if (!is_kind(place, VALUE_STRING))
		return false;

	struct text source = place->value->as.string;
	size_t characters = 0;

	while (source.length && strchr(" \t\r\n", source.bytes[source.length - 1]))
		source.length--;
	for (size_t i = 0; i < source.length; i++) {
		if (is_control(source.bytes + i, source.length - i) && !strchr("\t\r\n", source.bytes[i]))
			return policy_refuse(place, "bad_value", "holds a control character");
		characters += ((unsigned char)source.bytes[i] & 0xc0) != 0x80;
	}
	if (source.length == 0)
		return policy_refuse(place, "bad_value", "must not be empty");
	if (source.length > SOURCE_MAX_BYTES || characters > SOURCE_MAX)
		return policy_refuse(place, "too_large", "has more than %d characters", SOURCE_MAX);
	expression->source = arena_copy(place->reader->arena, source.bytes, source.length);
	expression->length = source.length;
	expression->path = policy_place_path(place);
	expression->at = place->spot ? place->spot->value : (struct stretch){0};
	return true;
}

bool
policy_read_expression_if(const struct place *place, const struct policy_expression **expression)
{
	if (!place->value)
		return true;

	struct policy_expression *read = arena_take(place->reader->arena, sizeof *read);

	if (!policy_read_expression(place, read))
		return false;
	*expression = read;
	return true;
}

bool
policy_read_strings(const struct place *place, policy_read_string *read, struct policy_strings *strings)
{
	if (!policy_read_list(place, STRINGS_MAX))
		return false;

	size_t count = place->value->as.list.count;
	const char **items = arena_take_array(place->reader->arena, count, sizeof *items);
	bool good = true;

	for (size_t i = 0; i < count && !policy_reader_is_full(place); i++) {
		struct place item = policy_place_item(place, i);

		good = read(&item, &items[i]) && good;
	}
	if (!good || policy_reader_is_full(place))
		return false;
	if (policy_strings_distinct(items, count) != count)
		return policy_refuse(place, "duplicate_id", "says the same twice");
	*strings = (struct policy_strings){items, count};
	return true;
}
