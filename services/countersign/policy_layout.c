/* SPDX-License-Identifier: Apache-2.0 */
/* policy_layout.c - which key follows which, what stands in a line, and what needs quotes. */
#include "services/countersign/policy_layout.h"
#include "common/canonical/canonical.h"

#include <assert.h>
#include <string.h>

enum { WIDTH = 100, KEYS_MAX = 16, INNER_MAX = 8 };

/* ------------------------------------------------------------------ order */

/* How the value of a key is laid out. */
enum spread {
	CLOSED, /* in a line where it fits */
	OPEN,	/* a line for each of its entries */
	AIRY	/* each of its entries open too, with an empty line between them */
};

struct shape;

struct inner {
	const char *key;
	const struct shape *shape; /* of it, or of each of its entries where they are items or have names of their own */
	bool is_named;
	enum spread spread;
};

struct shape {
	const char *keys[KEYS_MAX];
	struct inner inner[INNER_MAX];
};

static const struct shape plain = {0};
static const struct shape scope = {.keys = {"actions", "agents", "targets", "tenants"}};
static const struct shape field = {
    .keys = {"type", "enum", "min", "max", "default", "required", "sensitive", "fields", "description"},
    .inner = {{"fields", &field, true, CLOSED}}};
static const struct shape param = {.keys = {"of", "type", "value", "enum", "min", "max", "description"}};
static const struct shape cells = {.keys = {"evaluation_timeout", "unavailable", "approval_queued",
					    "no_eligible_approver", "ignored", "downstream_failure"}};
static const struct shape ask = {.keys = {"group", "quorum", "filter"}};
static const struct shape class = {
    .keys = {"id", "actions", "except", "default", "approval", "requires", "valid_for", "failure", "on_error",
	     "floor", "identity", "irreversible", "no_deadline", "fallback"},
    .inner = {{"failure", &cells, false, CLOSED}, {"fallback", &ask, false, CLOSED}}};
static const struct shape step = {.keys = {"after", "to", "how"}, .inner = {{"to", &ask, false, CLOSED}}};
static const struct shape grant = {.keys = {"uses", "valid_for"}};
static const struct shape stage = {
    .keys = {"any_of", "all_of"}, .inner = {{"any_of", &ask, false, CLOSED}, {"all_of", &ask, false, CLOSED}}};
static const struct shape profile = {.keys = {"any_of", "all_of", "stages", "distinct", "deny_quorum",
					      "exclude", "require_reason", "ttl", "extend_to", "remind_before",
					      "remind_every", "override", "escalate", "hold_for", "grant"},
				     .inner = {{"any_of", &ask, false, CLOSED},
					       {"all_of", &ask, false, CLOSED},
					       {"stages", &stage, false, CLOSED},
					       {"escalate", &step, false, CLOSED},
					       {"grant", &grant, false, CLOSED}}};
static const struct shape rule = {
    .keys = {"id", "match", "except", "let", "when", "unless", "decision", "approval", "reason",
	     "obligations", "remediation", "mode", "severity", "owner", "expires"},
    .inner = {{"match", &scope, false, CLOSED}, {"except", &scope, false, CLOSED}, {"let", &plain, true, OPEN}}};
static const struct shape amount = {.keys = {"of", "max", "per"}};
static const struct shape limit = {.keys = {"id", "match", "except", "when", "key", "count", "sum", "window",
					    "warn_at", "count_on", "report_within", "release_on_failure",
					    "exceeded", "approval", "reason"},
				   .inner = {{"match", &scope, false, CLOSED},
					     {"except", &scope, false, CLOSED},
					     {"count", &amount, false, CLOSED},
					     {"sum", &amount, false, CLOSED}}};
static const struct shape invariant = {
    .keys = {"id", "match", "except", "assume", "assert", "reason"},
    .inner = {{"match", &scope, false, CLOSED}, {"except", &scope, false, CLOSED}}};
static const struct shape policy = {.keys = {"countersign", "policy", "version", "tenants", "description",
					     "inputs", "params", "let", "classes", "approvals", "rules",
					     "limits", "invariants"},
				    .inner = {{"inputs", &field, true, OPEN},
					      {"params", &param, true, OPEN},
					      {"let", &plain, true, OPEN},
					      {"classes", &class, false, OPEN},
					      {"approvals", &profile, true, OPEN},
					      {"rules", &rule, false, AIRY},
					      {"limits", &limit, false, OPEN},
					      {"invariants", &invariant, false, OPEN}}};

static const struct inner *
inner_of(const struct shape *shape, const char *key)
{
	static const struct inner other = {"", &plain, true, CLOSED};

	for (size_t i = 0; i < INNER_MAX && shape->inner[i].key; i++)
		if (strcmp(shape->inner[i].key, key) == 0)
			return &shape->inner[i];
	return &other;
}

static bool
is_key(const struct shape *shape, const char *name)
{
	for (size_t i = 0; i < KEYS_MAX && shape->keys[i]; i++)
		if (strcmp(shape->keys[i], name) == 0)
			return true;
	return false;
}

/* Known keys first; the members are borrowed. */
static struct value *
ordered(struct arena *arena, const struct value *map, const struct shape *shape)
{
	struct value *sorted = value_map(arena);

	for (size_t i = 0; i < KEYS_MAX && shape->keys[i]; i++)
		if (value_get(map, shape->keys[i]))
			value_set(arena, sorted, shape->keys[i], value_get(map, shape->keys[i]));
	for (size_t i = 0; i < map->as.map.count; i++)
		if (!is_key(shape, map->as.map.members[i].name.bytes))
			value_set(arena, sorted, map->as.map.members[i].name.bytes,
				  map->as.map.members[i].value);
	return sorted;
}

/* ------------------------------------------------------------------ texts in YAML */

static bool
is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

/* "2h", "1h30m": no reader takes it for a number. */
static bool
is_duration(const char *text)
{
	if (!*text)
		return false;
	while (*text) {
		size_t digits = strspn(text, "0123456789"), letters = strspn(text + digits, "hmsun");

		if (digits == 0 || letters == 0)
			return false;
		text += digits + letters;
	}
	return true;
}

/* What some reader of YAML, old or new, takes for no text. */
static bool
is_word_of_yaml(const char *text)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "~"};
	char lower[8] = "";

	for (size_t i = 0; i + 1 < sizeof lower && text[i]; i++)
		lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], lower) == 0 && strlen(text) == strlen(lower))
			return true;
	return false;
}

/* Control characters, and those that YAML or a terminal would not show. */
static bool
has_hidden(struct text text)
{
	for (size_t at = 0; at < text.length;) {
		uint32_t point = 0;
		size_t length = value_utf8_decode(text.bytes + at, text.length - at, &point);

		if (length == 0 || point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad
		    || point == 0x061c || point == 0x180e || (point >= 0x200b && point <= 0x200f)
		    || (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f)
		    || point == 0xfeff || (point >= 0xfff9 && point <= 0xffff) || point >= 0xe0000)
			return true;
		at += length;
	}
	return false;
}

static bool
is_plain(struct text text)
{
	const char *bytes = text.bytes;

	if (text.length == 0 || has_hidden(text) || is_word_of_yaml(bytes))
		return false;
	if (is_digit(*bytes) ? !is_duration(bytes) : strchr("-+.?:,[]{}#&*!|>'\"%@`=<~ ", *bytes) != NULL)
		return false;
	if (bytes[text.length - 1] == ' ' || bytes[text.length - 1] == ':')
		return false;
	return !strstr(bytes, ": ") && !strstr(bytes, " #");
}

/* JSON's escapes are YAML's, but what is beyond them is escaped too. */
static void
write_double_quoted(struct buffer *out, struct text text)
{
	buffer_add_byte(out, '"');
	for (size_t at = 0; at < text.length;) {
		uint32_t point = 0;
		size_t length = value_utf8_decode(text.bytes + at, text.length - at, &point);
		struct text one = {text.bytes + at, length};

		if (point == '"' || point == '\\')
			buffer_add_format(out, "\\%c", (char)point);
		else if (point == '\n')
			buffer_add_text(out, "\\n");
		else if (!has_hidden(one))
			buffer_add(out, one.bytes, one.length);
		else
			buffer_add_format(out, point > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)point);
		at += length;
	}
	buffer_add_byte(out, '"');
}

static void
write_yaml_text(struct buffer *out, struct text text, bool in_line)
{
	if (is_plain(text) && !(in_line && strpbrk(text.bytes, ",[]{}"))) {
		buffer_add(out, text.bytes, text.length);
	} else if (has_hidden(text) || (strchr(text.bytes, '\'') && !strpbrk(text.bytes, "\"\\"))) {
		write_double_quoted(out, text);
	} else {
		buffer_add_byte(out, '\'');
		for (size_t i = 0; i < text.length; i++) {
			if (text.bytes[i] == '\'')
				buffer_add_byte(out, '\'');
			buffer_add_byte(out, text.bytes[i]);
		}
		buffer_add_byte(out, '\'');
	}
}

/* ------------------------------------------------------------------ lines */

struct writer {
	struct arena *arena;
	struct buffer *out;
	bool is_yaml;
};

static void
write_scalar(const struct writer *writer, struct buffer *out, const struct value *value, bool in_line)
{
	struct error unused = {0};
	bool good = true;

	if (writer->is_yaml && value->kind == VALUE_STRING)
		write_yaml_text(out, value->as.string, in_line);
	else
		good = canonical_format(out, value, &unused);
	assert(good); /* it was read from a document, whose limits are narrower */
}

static void
write_name(const struct writer *writer, struct buffer *out, struct text name)
{
	struct value value = {.kind = VALUE_STRING, .as.string = name};

	write_scalar(writer, out, &value, true);
	buffer_add_byte(out, ':');
}

static bool
is_container(const struct value *value)
{
	return value->kind == VALUE_MAP || value->kind == VALUE_LIST;
}

static size_t
count_of(const struct value *value)
{
	return value->kind == VALUE_MAP ? value->as.map.count : value->as.list.count;
}

/* The n-th entry: of a map its value, the name apart. */
static const struct value *
entry_of(const struct value *container, size_t n)
{
	return container->kind == VALUE_MAP ? container->as.map.members[n].value : container->as.list.items[n];
}

/* How the entries of a container are laid out: a map of known keys is ordered, and each has its own shape; else all have the one. */
struct laid {
	const struct value *container;
	const struct shape *shape;
	bool is_ordered;
};

static struct laid
lay(const struct writer *writer, const struct value *container, const struct shape *shape, bool is_named)
{
	bool is_ordered = container->kind == VALUE_MAP && !is_named;

	return (struct laid){is_ordered ? ordered(writer->arena, container, shape) : container, shape,
			     is_ordered};
}

static struct inner
inner_at(const struct laid *laid, size_t n, enum spread spread)
{
	if (laid->is_ordered)
		return *inner_of(laid->shape, laid->container->as.map.members[n].name.bytes);
	return (struct inner){"", laid->shape, false, spread == AIRY ? OPEN : CLOSED};
}

/* {a: 1, b: [2, 3]} */
static void
write_in_line(const struct writer *writer, struct buffer *out, const struct value *value,
	      const struct shape *shape, bool is_named)
{
	if (!is_container(value)) {
		write_scalar(writer, out, value, true);
		return;
	}

	struct laid laid = lay(writer, value, shape, is_named);
	bool is_map = value->kind == VALUE_MAP;

	buffer_add_byte(out, is_map ? '{' : '[');
	for (size_t i = 0; i < count_of(laid.container); i++) {
		struct inner inner = inner_at(&laid, i, CLOSED);

		buffer_add_text(out, i ? ", " : "");
		if (is_map) {
			write_name(writer, out, laid.container->as.map.members[i].name);
			buffer_add_byte(out, ' ');
		}
		write_in_line(writer, out, entry_of(laid.container, i), inner.shape, inner.is_named);
	}
	buffer_add_byte(out, is_map ? '}' : ']');
}

static size_t
column_of(const struct buffer *out)
{
	size_t column = 0;

	while (column < out->length && out->bytes[out->length - column - 1] != '\n')
		column++;
	return column;
}

static void
indent(struct buffer *out, size_t depth)
{
	buffer_add_byte(out, '\n');
	for (size_t i = 0; i < depth; i++)
		buffer_add_text(out, "  ");
}

static void write_open(const struct writer *writer, const struct laid *laid, size_t depth, enum spread spread,
		       bool on_line);

/* Behind a name, or in an item of its own. */
static void
write_value(const struct writer *writer, const struct value *value, const struct inner *inner, size_t depth,
	    bool is_item)
{
	struct buffer line = {.arena = writer->arena};

	write_in_line(writer, &line, value, inner->shape, inner->is_named);
	if (!is_container(value) || count_of(value) == 0
	    || (inner->spread == CLOSED && column_of(writer->out) + 1 + line.length <= WIDTH)) {
		buffer_add_text(writer->out, is_item ? "" : " ");
		if (is_container(value) || !writer->is_yaml)
			buffer_add(writer->out, line.bytes, line.length);
		else
			write_scalar(writer, writer->out, value, false);
		return;
	}

	struct laid laid = lay(writer, value, inner->shape, inner->is_named);

	buffer_add_text(writer->out, writer->is_yaml || is_item ? "" : " ");
	write_open(writer, &laid, depth, inner->spread, is_item);
}

static void
write_entry(const struct writer *writer, const struct laid *laid, size_t n, size_t depth, enum spread spread)
{
	struct inner inner = inner_at(laid, n, spread);
	bool is_map = laid->container->kind == VALUE_MAP;

	if (is_map)
		write_name(writer, writer->out, laid->container->as.map.members[n].name);
	else if (writer->is_yaml)
		buffer_add_text(writer->out, "- ");
	write_value(writer, entry_of(laid->container, n), &inner, depth + 1, !is_map);
}

/* Each entry in a line of its own, or more. In YAML the first may go on in a line that has been begun (on_line). */
static void
write_open(const struct writer *writer, const struct laid *laid, size_t depth, enum spread spread, bool on_line)
{
	bool is_map = laid->container->kind == VALUE_MAP;

	if (!writer->is_yaml)
		buffer_add_byte(writer->out, is_map ? '{' : '[');
	for (size_t i = 0; i < count_of(laid->container); i++) {
		bool is_section = depth == 0 && inner_at(laid, i, spread).spread != CLOSED;

		if (!writer->is_yaml) {
			buffer_add_text(writer->out, i ? "," : "");
			indent(writer->out, depth + 1);
			write_entry(writer, laid, i, depth, spread);
			continue;
		}
		if (i && (spread == AIRY || is_section))
			buffer_add_byte(writer->out, '\n');
		if (i || !on_line)
			indent(writer->out, depth);
		write_entry(writer, laid, i, depth, spread);
	}
	if (!writer->is_yaml) {
		indent(writer->out, depth);
		buffer_add_byte(writer->out, is_map ? '}' : ']');
	}
}

void
policy_layout(struct arena *arena, const struct value *value, enum document_form form, struct buffer *out)
{
	struct writer writer = {arena, out, form == DOCUMENT_YAML};
	struct laid laid = lay(&writer, value, &policy, false);

	write_open(&writer, &laid, 0, OPEN, true);
	buffer_add_byte(out, '\n');
}
