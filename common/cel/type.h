/* SPDX-License-Identifier: Apache-2.0 */
/* type.h - types of the Common Expression Language, as declared, deduced, and as values (`type(x)`). Pure. */
#ifndef COUNTERSIGN_CEL_TYPE_H
#define COUNTERSIGN_CEL_TYPE_H

#include "common/cel/value.h"

enum cel_type_kind {
	CEL_T_DYN,
	CEL_T_NULL, /* null_type */
	CEL_T_BOOL,
	CEL_T_INT,
	CEL_T_UINT,
	CEL_T_DOUBLE,
	CEL_T_STRING,
	CEL_T_BYTES,
	CEL_T_TIMESTAMP, /* google.protobuf.Timestamp */
	CEL_T_DURATION,	 /* google.protobuf.Duration */
	CEL_T_LIST,	 /* parameter 0: of the items */
	CEL_T_MAP,	 /* parameters 0, 1: key, value */
	CEL_T_RECORD,	 /* a map with string keys that has the declared fields and no others */
	CEL_T_OPTIONAL,	 /* optional_type(parameter 0) */
	CEL_T_TYPE,	 /* type(parameter 0) */
	CEL_T_IP,	 /* net.IP */
	CEL_T_CIDR,	 /* net.CIDR */
	CEL_T_PARAM,	 /* a type parameter of a signature, by name; free type variables of the checker */
	CEL_T_WRAPPER,	 /* a nullable scalar: parameter 0 or null (google.protobuf.Int64Value …) */
	CEL_T_ABSTRACT,	 /* a declared type of no known structure, by name, with parameters */
};

#define CEL_TYPE_PARAMETERS_MAX 3

struct cel_field {
	const char *name;
	const struct cel_type *type;
};

struct cel_type {
	enum cel_type_kind kind;
	const char *name; /* CEL_T_PARAM and CEL_T_ABSTRACT; a record's, or NULL */
	const struct cel_type *parameters[CEL_TYPE_PARAMETERS_MAX];
	size_t parameter_count;
	const struct cel_field *fields; /* CEL_T_RECORD */
	size_t field_count;
};

/* The types without parameters; static. Not for list, map, record, optional, type with parameter, param, wrapper, abstract:
 * those of them that can stand alone are here with dyn for parameters. */
const struct cel_type *cel_type_simple(enum cel_type_kind kind);
const struct cel_type *cel_type_list(struct arena *arena, const struct cel_type *item);
const struct cel_type *cel_type_map(struct arena *arena, const struct cel_type *key,
				    const struct cel_type *value);
const struct cel_type *cel_type_optional(struct arena *arena, const struct cel_type *inner);
const struct cel_type *cel_type_of(struct arena *arena, const struct cel_type *inner); /* type(inner) */
/* Borrows the fields; names distinct. */
const struct cel_type *cel_type_record(struct arena *arena, const struct cel_field *fields, size_t count);

/*
 * Reads a type as people write it: "int", "list<string>", "map<string, dyn>", "optional<int>", "type<int>", "timestamp", "duration",
 * "net.IP", "google.protobuf.Timestamp", "wrapper<int>"; a single upper-case letter is a parameter; any other dotted name, with or
 * without <…>, is an abstract type. At most 8 levels deep. Errors: ERROR_INVALID "bad_type".
 */
const struct cel_type *cel_type_parse(struct arena *arena, const char *text, struct error *error) CS_MUST_CHECK;
/* As cel_type_parse reads it, but a record as "map<string, dyn>". */
const char *cel_type_text(struct arena *arena, const struct cel_type *type);
/* The name that CEL gives it at run time: "int", "list", "google.protobuf.Timestamp", "optional_type", "null_type", "net.IP". */
const char *cel_type_name(const struct cel_type *type);
bool cel_type_same(const struct cel_type *left, const struct cel_type *right);
/* The type of a value at run time: list and map with dyn. */
const struct cel_type *cel_type_of_value(struct cel_value value);

#endif
