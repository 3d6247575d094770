/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - the forms, one check each, and the walk over a table. */
#include "common/message/fields.h"
#include "common/visible/characters.h"
#include "common/message/path.h"
#include "common/message/request.h"
#include "common/message/rfc3339.h"

#include <assert.h>
#include <string.h>

struct form {
	size_t least, most; /* bytes */
	bool (*allows)(struct text text);
	const char *rule;
};

static bool
is_id(struct text text)
{
	return request_id_valid(text.bytes, text.length);
}

static bool
is_tenant(struct text text)
{
	return request_tenant_valid(text.bytes, text.length);
}

static bool
is_kind(struct text text)
{
	return strspn(text.bytes, "abcdefghijklmnopqrstuvwxyz0123456789._-") == text.length;
}

/* Upper case is refused: a variant must not miss a rule. */
static bool
is_action(struct text text)
{
	return is_kind(text) && text.bytes[0] != '.' && text.bytes[text.length - 1] != '.'
	       && !strstr(text.bytes, "..");
}

static bool
has(struct text text, bool (*property)(uint32_t point))
{
	uint32_t point;

	for (size_t at = 0, step; at < text.length; at += step) {
		step = value_utf8_decode(text.bytes + at, text.length - at, &point);
		if (step == 0 || property(point))
			return true;
	}
	return false;
}

static bool
is_one_line(struct text text)
{
	return !has(text, character_breaks_line);
}

static bool
is_plain_to_see(struct text text)
{
	return is_one_line(text) && !has(text, character_disguises);
}

static bool
is_token(struct text text)
{
	return strspn(text.bytes, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
	       == text.length;
}

static bool
is_uuid(struct text text)
{
	static const char like[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof like - 1; i++)
		if (like[i] == '-' ? text.bytes[i] != '-' : !strchr("0123456789abcdef", text.bytes[i]))
			return false;
	return true;
}

static bool
is_digest(struct text text)
{
	uint8_t digest[CRYPTO_SHA256_SIZE];

	return crypto_digest_parse(text.bytes, digest);
}

static bool
is_time(struct text text)
{
	int64_t time;

	return rfc3339_parse(text.bytes, text.length, &time);
}

static bool
is_any(struct text text)
{
	(void)text;
	return true;
}

static const struct form forms[] = {
    [FIELD_ID] = {1, REQUEST_ID_MAX, is_id, "1-128 of A-Z a-z 0-9 . _ : -"},
    [FIELD_TENANT] = {1, REQUEST_TENANT_MAX, is_tenant, "1-64 of a-z 0-9 _ -"},
    [FIELD_ACTION] = {1, 256, is_action, "1-256 bytes of segments of a-z 0-9 _ - with dots between them"},
    [FIELD_NAME] = {1, 256, is_plain_to_see, "1-256 bytes without control and invisible characters"},
    [FIELD_KIND] = {1, 64, is_kind, "1-64 of a-z 0-9 . _ -"},
    [FIELD_SUMMARY] = {1, 8192, is_plain_to_see, "one line without control and invisible characters"},
    [FIELD_CODE] = {1, 128, is_one_line, "one line of 1-128 bytes"},
    [FIELD_LINE] = {0, 1024, is_one_line, "one line of at most 1024 bytes"},
    [FIELD_TOKEN] = {1, 8192, is_token, "a compact JWS or an event id"},
    [FIELD_UUID] = {36, 36, is_uuid, "a UUID in lower case"},
    [FIELD_WORD] = {0, 8192, is_any, "a word"},
    [FIELD_DIGEST] = {72, 72, is_digest, "\"sha-256:\" and 64 lower-case hex digits"},
    [FIELD_TIME] = {20, 35, is_time, "an RFC 3339 instant of the years 1970 to 9999"},
    [FIELD_MAP] = {0, 0, is_any, "an object"},
};

struct reading {
	struct arena *arena;
	const struct fields *fields;
	char *target;
	struct error *error;
};

static bool
refuse(const struct reading *reading, const char *code, struct text name, const char *text)
{
	const char *within = reading->fields->within;
	struct path above = {.name = {within, within ? strlen(within) : 0}};
	struct path path = {.above = within ? &above : NULL, .name = name};

	return error_set_field(reading->error, ERROR_INVALID, code, path_text(reading->arena, &path), "%s",
			       text);
}

static bool
is_known(const struct fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strcmp(fields->list[i].name, name) == 0)
			return true;
	return false;
}

static bool
refuse_unknown(const struct reading *reading, const struct value *body)
{
	for (size_t i = 0; i < body->as.map.count; i++)
		if (!is_known(reading->fields, body->as.map.members[i].name.bytes))
			return refuse(reading, "unknown_field", body->as.map.members[i].name,
				      "no such member is known here");
	return true;
}

static void
store(char *place, enum field_form form, const struct value *value)
{
	if (form == FIELD_MAP) {
		memcpy(place, &value, sizeof value);
		return;
	}

	const char *text = value->as.string.bytes;
	bool well_formed = true;

	if (form == FIELD_DIGEST) {
		well_formed = crypto_digest_parse(text, (uint8_t *)place);
	} else if (form == FIELD_TIME) {
		int64_t time = 0;

		well_formed = rfc3339_parse(text, value->as.string.length, &time);
		memcpy(place, &time, sizeof time);
	} else {
		memcpy(place, &text, sizeof text);
	}
	assert(well_formed);
}

static bool
read_member(const struct reading *reading, const struct field *field, const struct value *value)
{
	const struct form *form = &forms[field->form];
	enum value_kind kind = field->form == FIELD_MAP ? VALUE_MAP : VALUE_STRING;
	struct text name = {field->name, strlen(field->name)};

	if (value->kind != kind)
		return refuse(reading, "wrong_type", name,
			      kind == VALUE_MAP ? "an object is expected" : "a string is expected");
	if (kind == VALUE_STRING
	    && (value->as.string.length < form->least || value->as.string.length > form->most
		|| !form->allows(value->as.string)))
		return refuse(reading, "bad_value", name,
			      arena_format(reading->arena, "expected: %s", form->rule));
	store(reading->target + field->offset, field->form, value);
	return true;
}

bool
fields_read(struct arena *arena, const struct fields *fields, const struct value *body, void *target,
	    struct error *error)
{
	struct reading reading = {arena, fields, target, error};

	if (!refuse_unknown(&reading, body))
		return false;
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->list[i];
		const struct value *value = value_get(body, field->name);

		if (!value && field->is_required)
			return refuse(&reading, "missing_field",
				      (struct text){field->name, strlen(field->name)},
				      "a required member is missing");
		if (value && !read_member(&reading, field, value))
			return false;
	}
	return true;
}
