/* SPDX-License-Identifier: Apache-2.0 */
/* policy_input.h - the inputs that a policy declares, and a request's context read by them. Pure. */
#ifndef COUNTERSIGN_POLICY_INPUT_H
#define COUNTERSIGN_POLICY_INPUT_H

#include "common/policy/policy.h"

#define POLICY_INPUTS_MAX 256 /* of a policy, and fields of one map */
#define POLICY_TYPE_DEPTH_MAX 8

enum policy_kind {
	POLICY_T_ABSENT, /* of a datum alone: nothing there, and no default */
	POLICY_T_BOOL,
	POLICY_T_INT,
	POLICY_T_DOUBLE,
	POLICY_T_STRING,
	POLICY_T_TIMESTAMP,
	POLICY_T_DURATION,
	POLICY_T_LIST,
	POLICY_T_MAP
};

struct policy_field;

struct policy_type {
	enum policy_kind kind;
	const struct policy_type *item; /* of a list */
	/* of a map: its fields, sorted by name; NULL: open, it may hold anything */
	const struct policy_field *fields;
	size_t field_count;
};

/* A value of a type. Texts and values are borrowed from where it was read. */
struct policy_datum {
	enum policy_kind kind;
	uint32_t nanoseconds; /* of a timestamp, 0 to 999,999,999 */
	union {
		bool boolean;
		int64_t integer; /* also a timestamp's seconds since 1970 UTC (years 1 to 9999), a duration's nanoseconds */
		double real;
		struct text string;
		struct {
			const struct policy_datum *items;
			size_t count;
		} list;
		const struct policy_datum *fields; /* of a map: one for each field of its type, in that order */
		const struct value *open;	   /* of an open map: as it came */
	} as;
};

struct policy_field {
	const char *name;
	struct policy_type type;
	bool required, sensitive;
	const struct policy_datum *fallback; /* default; NULL: none */
	/* NULL: none. Of numbers and times of the same kind; else an int, the size: characters of a string, items, members */
	const struct policy_datum *min, *max;
	/* Strings or ints: what it, or each item of it, must be one of; none: anything */
	const struct policy_datum *words;
	size_t word_count;
};

/* A map of the declared inputs. NULL: the policy declares none, it takes any context and its expressions can't read it. */
const struct policy_type *policy_inputs(const struct policy *policy);

/*
 * Reads a context (NULL counts as empty) by the inputs of every layer: it must satisfy each that declares any. contexts[i] becomes the
 * context as layer i sees it: a map of its inputs, its defaults filled in; kind POLICY_T_ABSENT where it declares none. Inside their
 * own document an int is integral (100.0 is) and within 64 bits, a double is one also when written 100, a timestamp is RFC 3339, a
 * duration as in CEL (at most about 292 years); null is no value of any type. Errors, ERROR_INVALID with the field ("context.plan.delete"), the
 * first in the order of the context: "undeclared_field" (in no layer that declares any; below the top: in one of them), "wrong_type",
 * "not_in_enum", "out_of_range" (min, max, 64 bits), "bad_timestamp", "bad_duration", "missing_field" (required; after all that is
 * there). What is returned borrows from the policies and the context.
 */
bool policy_read_context(const struct policy *const *layers, size_t count, const struct value *context,
			 struct arena *arena, struct policy_datum *contexts, struct error *error) CS_MUST_CHECK;

/* A value as one declared input, or param, takes it: its type, min, max and enum. Errors as above, the field is `path`. */
bool policy_read_value(const struct policy_field *field, const char *path, const struct value *value,
		       struct arena *arena, struct policy_datum *datum, struct error *error) CS_MUST_CHECK;

/* A path ("plan.delete") in what policy_read_context made of a context: is something there? */
bool policy_context_has(const struct policy_type *inputs, const struct policy_datum *context, const char *path);

/* "bool", "int", "list<string>", "map"; in the arena. */
const char *policy_type_text(struct arena *arena, const struct policy_type *type);

/* RFC 3339 with any offset, 0 to 9 digits of a fraction, years 1 to 9999; seconds since 1970 UTC. No leap second. */
bool policy_timestamp_parse(struct text text, int64_t *seconds, uint32_t *nanoseconds) CS_MUST_CHECK;
/* [+-] and parts like 1h, 1.5h, 30m, 10s, 5ms, 5us, 5ns behind each other, or 0. False also when it is beyond 64 bits of nanoseconds
 * or no whole number of them. */
bool policy_duration_parse(struct text text, int64_t *nanoseconds) CS_MUST_CHECK;

#endif
