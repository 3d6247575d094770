/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - the members of a body by a table: which there are, of what form, and where in a struct they go. */
#ifndef COUNTERSIGN_FIELDS_H
#define COUNTERSIGN_FIELDS_H

#include "common/value/value.h"

/* What a member must look like, and the C type of its place in the struct. */
enum field_form {
	FIELD_ID,     /* const char *: a request id's alphabet, 1-128 */
	FIELD_TENANT, /* const char * */
	FIELD_ACTION, /* const char *: dotted segments */
	FIELD_NAME, /* const char *: 1-256 bytes that people compare by eye: no control, no invisible characters */
	FIELD_KIND,    /* const char *: 1-64 of a-z 0-9 . _ - */
	FIELD_SUMMARY, /* const char *: what would run, for approvers' eyes: one line, no invisible characters */
	FIELD_CODE,    /* const char *: one line, 1-128 bytes */
	FIELD_LINE,    /* const char *: one line, 0-1024 bytes */
	FIELD_TOKEN,  /* const char *: a compact JWS or an id, 1-8192 bytes */
	FIELD_UUID,   /* const char *: lower case */
	FIELD_WORD,   /* const char *: any string; the caller looks it up */
	FIELD_DIGEST, /* uint8_t[32]: "sha-256:…" */
	FIELD_TIME,   /* int64_t: RFC 3339 */
	FIELD_MAP,    /* const struct value * */
};

struct field {
	const char *name;
	enum field_form form;
	bool is_required;
	size_t offset;
};

struct fields {
	const struct field *list;
	size_t count;
	const char *within; /* the member whose members these are, for paths; NULL: the body itself */
};

/*
 * Checks `body`, a map, and stores its members, borrowed, into `target`; what is absent is left as it was. Errors:
 * ERROR_INVALID "unknown_field", "missing_field", "wrong_type", "bad_value", with the path.
 */
bool fields_read(struct arena *arena, const struct fields *fields, const struct value *body, void *target,
		 struct error *error) CS_MUST_CHECK;

#endif
