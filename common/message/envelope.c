/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.c - headers first, then the value by what the headers say it is. Foreign headers are counted and passed over. */
#include "common/message/envelope.h"
#include "common/message/json.h"
#include "common/message/path.h"

#include <string.h>
#include <strings.h>

enum { HEADERS_MAX = 64, HEADER_BYTES_MAX = 64 * 1024, TRACEPARENT_LENGTH = 55 };

static const char structured_prefix[] = "application/cloudevents";

/* The last argument of error_set_field is built from other people's bytes: only names that are safe to print. */
static const char *
safe_name(struct arena *arena, const char *name)
{
	struct path path = {.name = {name, strlen(name)}};

	return path_text(arena, &path);
}

static bool
is_control(const char *name)
{
	return strncmp(name, "ce_", 3) == 0 || strcmp(name, "content-type") == 0
	       || strcmp(name, "signature") == 0 || strcmp(name, "traceparent") == 0;
}

static bool
is_repeated(const struct record *record, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(record->headers[i].name, record->headers[index].name) == 0)
			return true;
	return false;
}

static bool
is_text(const char *bytes, size_t length)
{
	uint32_t point;

	for (size_t at = 0, step; at < length; at += step) {
		step = value_utf8_decode(bytes + at, length - at, &point);
		if (step == 0 || point == 0)
			return false;
	}
	return true;
}

static bool
check_headers(struct arena *arena, const struct record *record, struct error *error)
{
	size_t bytes = 0;

	if (record->header_count > HEADERS_MAX)
		return error_set(error, ERROR_INVALID, "too_many_headers", "more than %d headers", HEADERS_MAX);
	for (size_t i = 0; i < record->header_count; i++) {
		const struct record_header *header = &record->headers[i];

		bytes += strlen(header->name) + (header->value ? header->length : 0);
		if (bytes > HEADER_BYTES_MAX)
			return error_set(error, ERROR_INVALID, "too_many_headers",
					 "more than %d bytes of headers", HEADER_BYTES_MAX);
		if (is_control(header->name) && is_repeated(record, i))
			return error_set_field(error, ERROR_INVALID, "duplicate_header",
					       safe_name(arena, header->name),
					       "a header that may come once came twice");
		if (is_control(header->name) && !is_text(header->name, strlen(header->name)))
			return error_set_field(error, ERROR_INVALID, "encoding", safe_name(arena, header->name),
					       "a header whose name is not UTF-8 text");
	}
	return true;
}

/* Null when there is none or it has no value. Headers were checked: there is one of each. */
static const struct record_header *
find_header(const struct record *record, const char *name)
{
	for (size_t i = 0; i < record->header_count; i++)
		if (strcmp(record->headers[i].name, name) == 0)
			return record->headers[i].value ? &record->headers[i] : NULL;
	return NULL;
}

/* *text is NULL without such a header. */
static bool
header_text(struct arena *arena, const struct record *record, const char *name, const char **text,
	    struct error *error)
{
	const struct record_header *header = find_header(record, name);

	*text = NULL;
	if (!header)
		return true;
	if (!is_text(header->value, header->length))
		return error_set_field(error, ERROR_INVALID, "encoding", name,
				       "a header that is not UTF-8 text");
	*text = arena_copy(arena, header->value, header->length);
	return true;
}

static bool
is_lower_hex(const char *text, size_t length)
{
	return strspn(text, "0123456789abcdef") >= length;
}

static bool
is_zeros(const char *text, size_t length)
{
	return strspn(text, "0") >= length;
}

/* https://www.w3.org/TR/trace-context/#traceparent-header-field-values: version-trace-parent-flags. */
static bool
is_traceparent(const char *text)
{
	return strlen(text) == TRACEPARENT_LENGTH && text[2] == '-' && text[35] == '-' && text[52] == '-'
	       && is_lower_hex(text, 2) && strncmp(text, "ff", 2) != 0 && is_lower_hex(text + 3, 32)
	       && !is_zeros(text + 3, 32) && is_lower_hex(text + 36, 16) && !is_zeros(text + 36, 16)
	       && is_lower_hex(text + 53, 2);
}

static const char *
find_traceparent(struct arena *arena, const struct record *record, const char *name)
{
	const struct record_header *header = find_header(record, name);

	if (!header || header->length != TRACEPARENT_LENGTH)
		return NULL;

	const char *text = arena_copy(arena, header->value, header->length);

	return is_traceparent(text) ? text : NULL;
}

static bool
has_cloudevent_headers(const struct record *record)
{
	for (size_t i = 0; i < record->header_count; i++)
		if (strncmp(record->headers[i].name, "ce_", 3) == 0)
			return true;
	return false;
}

/* application/json or anything/anything+json, with or without parameters. */
static bool
is_json_type(const char *type)
{
	size_t length = strcspn(type, "; \t");

	if (length == strlen("application/json") && strncasecmp(type, "application/json", length) == 0)
		return true;
	return length > 5 && memchr(type, '/', length) && strncasecmp(type + length - 5, "+json", 5) == 0;
}

static bool
refuse_attribute(struct error *error, const char *field, const char *text)
{
	return error_set_field(error, ERROR_INVALID, "cloudevent", field, "CloudEvents: %s %s", field, text);
}

static bool
check_binary(struct arena *arena, const struct record *record, const char *content_type, struct error *error)
{
	static const char *const required[] = {"ce_id", "ce_source", "ce_type"};
	const char *text;

	if (!header_text(arena, record, "ce_specversion", &text, error))
		return false;
	if (!text || strcmp(text, "1.0") != 0)
		return refuse_attribute(error, "ce_specversion", "must be 1.0");
	for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
		if (!header_text(arena, record, required[i], &text, error))
			return false;
		if (!text || !*text)
			return refuse_attribute(error, required[i], "is missing or empty");
	}
	if (content_type && !is_json_type(content_type))
		return refuse_attribute(error, "content-type", "is not JSON");
	return true;
}

static bool
open_plain(struct arena *arena, const struct record *record, struct envelope *envelope, struct error *error)
{
	struct value *body =
	    json_parse(arena, record->value, record->value_length, &json_limits_request, error);

	if (!body)
		return false;
	if (body->kind != VALUE_MAP)
		return error_set(error, ERROR_INVALID, "not_an_object", "a %s, not an object",
				 value_kind_name(body->kind));
	envelope->body = body;
	return true;
}

static bool
check_structured(const struct value *event, struct error *error)
{
	static const char *const required[] = {"id", "source", "type"};
	const char *version = value_get_string(event, "specversion");
	const char *type = value_get_string(event, "datacontenttype");

	if (!version || strcmp(version, "1.0") != 0)
		return refuse_attribute(error, "specversion", "must be 1.0");
	for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
		const char *text = value_get_string(event, required[i]);

		if (!text || !*text)
			return refuse_attribute(error, required[i], "is missing or empty");
	}
	if (value_get(event, "datacontenttype") && (!type || !is_json_type(type)))
		return refuse_attribute(error, "datacontenttype", "is not JSON");
	if (value_get(event, "data_base64"))
		return refuse_attribute(error, "data_base64", "is not taken: use data");
	return true;
}

/* The event's id, which a header may repeat but not contradict. */
static bool
take_structured_id(const struct value *event, struct envelope *envelope, struct error *error)
{
	const char *id = value_get_string(event, "id");

	if (envelope->ce_id && id && strcmp(envelope->ce_id, id) != 0) {
		envelope->ce_id = NULL;
		envelope->ce_id_unclear = true;
		return error_set_field(error, ERROR_INVALID, "id_mismatch", "ce_id",
				       "ce_id differs from the event's id");
	}
	if (id)
		envelope->ce_id = id;
	return true;
}

static bool
open_structured(struct arena *arena, const struct record *record, struct envelope *envelope, struct error *error)
{
	struct json_limits limits = json_limits_request;

	limits.depth++; /* for the envelope itself */

	struct value *event = json_parse(arena, record->value, record->value_length, &limits, error);

	if (!event)
		return false;
	if (event->kind != VALUE_MAP)
		return error_set(error, ERROR_INVALID, "not_an_object", "a %s, not an object",
				 value_kind_name(event->kind));
	if (!take_structured_id(event, envelope, error) || !check_structured(event, error))
		return false;

	struct value *data = value_get(event, "data");
	const char *traceparent = value_get_string(event, "traceparent");

	if (!data || data->kind != VALUE_MAP)
		return error_set_field(error, ERROR_INVALID, "not_an_object", "data", "data must be an object");
	if (!envelope->traceparent && traceparent && is_traceparent(traceparent))
		envelope->traceparent = traceparent;
	envelope->body = data;
	return true;
}

/* A header without value is a bad signature and not none: who signed meant to. */
static bool
signature_text(struct arena *arena, const struct record *record, struct envelope *envelope, struct error *error)
{
	for (size_t i = 0; i < record->header_count; i++)
		if (strcmp(record->headers[i].name, "signature") == 0 && !record->headers[i].value)
			envelope->signature = "";
	return envelope->signature || header_text(arena, record, "signature", &envelope->signature, error);
}

static bool
read_headers(struct arena *arena, const struct record *record, struct envelope *envelope,
	     const char **content_type, struct error *error)
{
	envelope->ce_id_unclear = true; /* until it was read */
	if (!check_headers(arena, record, error)
	    || !header_text(arena, record, "ce_id", &envelope->ce_id, error))
		return false;
	envelope->ce_id_unclear = false;
	envelope->traceparent = find_traceparent(arena, record, "traceparent");
	if (!envelope->traceparent)
		envelope->traceparent = find_traceparent(arena, record, "ce_traceparent");
	return header_text(arena, record, "content-type", content_type, error)
	       && signature_text(arena, record, envelope, error);
}

bool
envelope_open(struct arena *arena, const struct record *record, struct envelope *envelope, struct error *error)
{
	const char *content_type = NULL;

	*envelope = (struct envelope){.signed_bytes = record->value, .signed_length = record->value_length};
	if (!read_headers(arena, record, envelope, &content_type, error))
		return false;
	envelope->is_structured =
	    content_type && strncasecmp(content_type, structured_prefix, strlen(structured_prefix)) == 0;
	if (!record->value || record->value_length == 0)
		return error_set(error, ERROR_INVALID, "empty", "no value");
	if (envelope->is_structured) {
		if (!is_json_type(content_type))
			return refuse_attribute(error, "content-type",
						"is none of ours: application/cloudevents+json is");
		if (strcspn(content_type, "; \t") != strlen("application/cloudevents+json"))
			return refuse_attribute(error, "content-type", "is a batch: one event a record");
		return open_structured(arena, record, envelope, error);
	}
	if (has_cloudevent_headers(record) && !check_binary(arena, record, content_type, error))
		return false;
	return open_plain(arena, record, envelope, error);
}
