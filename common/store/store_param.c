/* SPDX-License-Identifier: Apache-2.0 */
/* store_param.c - parameters into PostgreSQL's binary formats. The server says which type it wants; here they must fit. */
#include "common/store/store_private.h"

#include <endian.h>
#include <limits.h>
#include <string.h>

struct store_param
store_text_param(const char *text)
{
	return (struct store_param){.kind = text ? STORE_TEXT : STORE_NULL, .bytes = text};
}

struct store_param
store_uuid(const char *text)
{
	return (struct store_param){.kind = text ? STORE_UUID : STORE_NULL, .bytes = text};
}

struct store_param
store_bytes(const void *bytes, size_t length)
{
	return (struct store_param){.kind = bytes ? STORE_BYTES : STORE_NULL, .bytes = bytes, .length = length};
}

struct store_param
store_int(int64_t number)
{
	return (struct store_param){.kind = STORE_INT, .number = number};
}

struct store_param
store_bool(bool boolean)
{
	return (struct store_param){.kind = STORE_BOOL, .number = boolean};
}

struct store_param
store_time(int64_t microseconds)
{
	return (struct store_param){.kind = STORE_TIME, .number = microseconds};
}

struct store_param
store_time_or_null(int64_t microseconds)
{
	return microseconds ? store_time(microseconds) : store_null();
}

struct store_param
store_text_list(const char *const *items, size_t count)
{
	return (struct store_param){.kind = STORE_TEXT_LIST, .bytes = items, .length = count};
}

struct store_param
store_int_list(const int64_t *items, size_t count)
{
	return (struct store_param){.kind = STORE_INT_LIST, .bytes = items, .length = count};
}

struct store_param
store_uuid_list(const char *const *items, size_t count)
{
	return (struct store_param){.kind = STORE_UUID_LIST, .bytes = items, .length = count};
}

struct store_param
store_bytes_list(const struct store_bytes *items, size_t count)
{
	return (struct store_param){.kind = STORE_BYTES_LIST, .bytes = items, .length = count};
}

/* ------------------------------------------------------------------ single values */

static bool
not_storable(struct error *error, const char *why)
{
	return error_set(error, ERROR_INVALID, "not_storable", "a value can't be stored: %s", why);
}

static void
add_int32(struct buffer *buffer, int32_t number)
{
	uint32_t wire = htobe32((uint32_t)number);

	buffer_add(buffer, &wire, sizeof wire);
}

static void
add_int64(struct buffer *buffer, int64_t number)
{
	uint64_t wire = htobe64((uint64_t)number);

	buffer_add(buffer, &wire, sizeof wire);
}

static bool
add_int(struct buffer *buffer, int64_t number, Oid type, struct error *error)
{
	uint16_t wire = htobe16((uint16_t)number);

	switch (type) {
	case TYPE_INT2:
		if (number < INT16_MIN || number > INT16_MAX)
			return not_storable(error, "number out of the range of smallint");
		buffer_add(buffer, &wire, sizeof wire);
		return true;
	case TYPE_INT4:
		if (number < INT32_MIN || number > INT32_MAX)
			return not_storable(error, "number out of the range of integer");
		add_int32(buffer, (int32_t)number);
		return true;
	default:
		add_int64(buffer, number);
		return true;
	}
}

static void
add_real(struct buffer *buffer, int64_t number)
{
	double real = (double)number;
	int64_t bits;

	memcpy(&bits, &real, sizeof bits);
	add_int64(buffer, bits);
}

/* The ends of the range are PostgreSQL's infinities: a time that never comes must not be stored by accident. */
static bool
add_time(struct buffer *buffer, int64_t microseconds, struct error *error)
{
	int64_t wire;

	if (__builtin_sub_overflow(microseconds, STORE_EPOCH, &wire) || wire == INT64_MIN || wire == INT64_MAX)
		return not_storable(error, "time out of range");
	add_int64(buffer, wire);
	return true;
}

static int
hex_value(char digit)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *at = digit ? strchr(digits, digit) : NULL;

	if (!at)
		return -1;
	return (int)(at - digits) < 16 ? (int)(at - digits) : (int)(at - digits) - 6;
}

/* 8-4-4-4-12 hexadecimal digits. */
static bool
add_uuid(struct buffer *buffer, const char *text, struct error *error)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	const char *at = text;
	bool good = strlen(text) == sizeof form - 1;

	while (good && *at) {
		int high = hex_value(at[0]), low = high < 0 ? -1 : hex_value(at[1]);

		if (form[at - text] == '-') {
			good = *at++ == '-';
		} else if (high < 0 || low < 0) {
			good = false;
		} else {
			buffer_add_byte(buffer, (char)(high << 4 | low));
			at += 2;
		}
	}
	return good ? true : not_storable(error, "not a UUID");
}

/* ------------------------------------------------------------------ lists */

static bool
add_item_bytes(struct buffer *buffer, const void *bytes, size_t length, struct error *error)
{
	if (bytes && length > INT32_MAX)
		return not_storable(error, "too long");
	add_int32(buffer, bytes ? (int32_t)length : -1);
	if (bytes)
		buffer_add(buffer, bytes, length);
	return true;
}

static bool
add_item(struct buffer *buffer, const struct store_param *list, size_t i, Oid element, struct error *error)
{
	const char *text = NULL;

	if (list->kind == STORE_BYTES_LIST) {
		const struct store_bytes *item = (const struct store_bytes *)list->bytes + i;

		return add_item_bytes(buffer, item->bytes, item->length, error);
	}
	if (list->kind == STORE_INT_LIST) {
		add_int32(buffer, element == TYPE_INT8 ? 8 : element == TYPE_INT4 ? 4 : 2);
		return add_int(buffer, ((const int64_t *)list->bytes)[i], element, error);
	}
	text = ((const char *const *)list->bytes)[i];
	if (text && element == TYPE_UUID) {
		add_int32(buffer, 16);
		return add_uuid(buffer, text, error);
	}
	return add_item_bytes(buffer, text, text ? strlen(text) : 0, error);
}

/* One dimension that begins at 1; an empty list has none. */
static bool
add_list(struct buffer *buffer, const struct store_param *list, Oid element, struct error *error)
{
	bool good = list->length <= INT32_MAX || not_storable(error, "too many items");

	if (good) {
		add_int32(buffer, list->length > 0);
		add_int32(buffer, list->kind != STORE_INT_LIST); /* may hold NULLs */
		add_int32(buffer, (int32_t)element);
	}
	if (good && list->length > 0) {
		add_int32(buffer, (int32_t)list->length);
		add_int32(buffer, 1);
	}
	for (size_t i = 0; good && i < list->length; i++)
		good = add_item(buffer, list, i, element, error);
	return good;
}

/* ------------------------------------------------------------------ which kind goes into which type */

enum form { FORM_NONE, FORM_RAW, FORM_INT, FORM_REAL, FORM_BOOL, FORM_TIME, FORM_UUID, FORM_LIST };

static const struct fit {
	enum store_param_kind kind;
	Oid type;
	enum form form;
	Oid element;
} fits[] = {
    {STORE_TEXT, TYPE_TEXT, FORM_RAW, 0},
    {STORE_TEXT, TYPE_VARCHAR, FORM_RAW, 0},
    {STORE_TEXT, TYPE_NAME, FORM_RAW, 0},
    {STORE_TEXT, TYPE_JSON, FORM_RAW, 0},
    {STORE_TEXT, TYPE_UUID, FORM_UUID, 0},
    {STORE_UUID, TYPE_UUID, FORM_UUID, 0},
    {STORE_UUID, TYPE_TEXT, FORM_RAW, 0},
    {STORE_BYTES, TYPE_BYTEA, FORM_RAW, 0},
    {STORE_INT, TYPE_INT2, FORM_INT, 0},
    {STORE_INT, TYPE_INT4, FORM_INT, 0},
    {STORE_INT, TYPE_INT8, FORM_INT, 0},
    {STORE_INT, TYPE_FLOAT8, FORM_REAL, 0},
    {STORE_BOOL, TYPE_BOOL, FORM_BOOL, 0},
    {STORE_TIME, TYPE_TIMESTAMPTZ, FORM_TIME, 0},
    {STORE_TEXT_LIST, TYPE_TEXT_LIST, FORM_LIST, TYPE_TEXT},
    {STORE_TEXT_LIST, TYPE_UUID_LIST, FORM_LIST, TYPE_UUID},
    {STORE_UUID_LIST, TYPE_UUID_LIST, FORM_LIST, TYPE_UUID},
    {STORE_UUID_LIST, TYPE_TEXT_LIST, FORM_LIST, TYPE_TEXT},
    {STORE_INT_LIST, TYPE_INT2_LIST, FORM_LIST, TYPE_INT2},
    {STORE_INT_LIST, TYPE_INT4_LIST, FORM_LIST, TYPE_INT4},
    {STORE_INT_LIST, TYPE_INT8_LIST, FORM_LIST, TYPE_INT8},
    {STORE_BYTES_LIST, TYPE_BYTEA_LIST, FORM_LIST, TYPE_BYTEA},
};

static const struct fit *
find_fit(enum store_param_kind kind, Oid type)
{
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
		if (fits[i].kind == kind && fits[i].type == type)
			return &fits[i];
	return NULL;
}

bool
store_param_type_known(Oid type)
{
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
		if (fits[i].type == type)
			return true;
	return false;
}

static bool
add_param(struct buffer *buffer, const struct store_param *param, const struct fit *fit, struct error *error)
{
	switch (fit->form) {
	case FORM_INT:
		return add_int(buffer, param->number, fit->type, error);
	case FORM_REAL:
		add_real(buffer, param->number);
		return true;
	case FORM_BOOL:
		buffer_add_byte(buffer, param->number != 0);
		return true;
	case FORM_TIME:
		return add_time(buffer, param->number, error);
	case FORM_UUID:
		return add_uuid(buffer, param->bytes, error);
	case FORM_LIST:
		return add_list(buffer, param, fit->element, error);
	default:
		return error_set(error, ERROR_BROKEN, "parameter", "a form without a format");
	}
}

/* Bytes and texts are borrowed as they are; everything else is built in the arena. */
bool
store_param_encode(struct arena *arena, const struct store_param *param, Oid type, struct store_value *value,
		   struct error *error)
{
	struct buffer buffer = {.arena = arena};
	const struct fit *fit = find_fit(param->kind, type);
	size_t length = 0;

	*value = (struct store_value){.bytes = NULL};
	if (param->kind == STORE_NULL)
		return true;
	if (!fit)
		return error_set(error, ERROR_BROKEN, "parameter", "a parameter of kind %d for type %u",
				 (int)param->kind, (unsigned)type);
	if (fit->form == FORM_RAW) {
		value->bytes = param->bytes;
		length = param->kind == STORE_BYTES ? param->length : strlen(param->bytes);
	} else {
		if (!add_param(&buffer, param, fit, error))
			return false;
		value->bytes = buffer.bytes;
		length = buffer.length;
	}
	if (length > INT_MAX)
		return not_storable(error, "too long");
	value->length = (int)length;
	return true;
}
