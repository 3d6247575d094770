/* SPDX-License-Identifier: Apache-2.0 */
/* check_operator.c - the signatures of what belongs to the language and not to a library: logic, equality, index, in, type, dyn. */
#include "common/cel/check.h"

#include <string.h>

#define TYPE(NAME, ...) static const struct cel_type NAME = {__VA_ARGS__}
TYPE(a, .kind = CEL_T_PARAM, .name = "A");
TYPE(b, .kind = CEL_T_PARAM, .name = "B");
TYPE(boolean, .kind = CEL_T_BOOL);
TYPE(integer, .kind = CEL_T_INT);
TYPE(anything, .kind = CEL_T_DYN);
TYPE(list_a, .kind = CEL_T_LIST, .parameters = {&a}, .parameter_count = 1);
TYPE(map_a_b, .kind = CEL_T_MAP, .parameters = {&a, &b}, .parameter_count = 2);
TYPE(optional_a, .kind = CEL_T_OPTIONAL, .parameters = {&a}, .parameter_count = 1);
TYPE(optional_b, .kind = CEL_T_OPTIONAL, .parameters = {&b}, .parameter_count = 1);
TYPE(optional_list_a, .kind = CEL_T_OPTIONAL, .parameters = {&list_a}, .parameter_count = 1);
TYPE(optional_map_a_b, .kind = CEL_T_OPTIONAL, .parameters = {&map_a_b}, .parameter_count = 1);
TYPE(type_a, .kind = CEL_T_TYPE, .parameters = {&a}, .parameter_count = 1);

static const struct cel_type *const one_bool[] = {&boolean};
static const struct cel_type *const two_bools[] = {&boolean, &boolean};
static const struct cel_type *const bool_and_two[] = {&boolean, &a, &a};
static const struct cel_type *const two_of_a_type[] = {&a, &a};
static const struct cel_type *const any[] = {&a};
static const struct cel_type *const in_list[] = {&a, &list_a};
static const struct cel_type *const in_map[] = {&a, &map_a_b};
static const struct cel_type *const of_list[] = {&list_a, &integer};
static const struct cel_type *const of_map[] = {&map_a_b, &a};
static const struct cel_type *const of_optional_list[] = {&optional_list_a, &integer};
static const struct cel_type *const of_optional_map[] = {&optional_map_a_b, &a};

#define SIGNATURE(PARAMETERS, RESULT, NEXT)                                                                  \
	{.parameters = PARAMETERS,                                                                           \
	 .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],                                        \
	 .result = &RESULT,                                                                                  \
	 .next = NEXT}

/* `next` is no const, yet nobody writes to these. */
static struct cel_signature logic[] = {SIGNATURE(two_bools, boolean, NULL)};
static struct cel_signature not[] = {SIGNATURE(one_bool, boolean, NULL)};
static struct cel_signature choice[] = {SIGNATURE(bool_and_two, a, NULL)};
static struct cel_signature equality[] = {SIGNATURE(two_of_a_type, boolean, NULL)};
static struct cel_signature in[] = {SIGNATURE(in_list, boolean, &in[1]), SIGNATURE(in_map, boolean, NULL)};
static struct cel_signature of_type[] = {SIGNATURE(any, type_a, NULL)};
static struct cel_signature to_dyn[] = {SIGNATURE(any, anything, NULL)};
static struct cel_signature at[] = {
    SIGNATURE(of_list, a, &at[1]),
    SIGNATURE(of_map, b, &at[2]),
    SIGNATURE(of_optional_list, optional_a, &at[3]),
    SIGNATURE(of_optional_map, optional_b, NULL),
};
static struct cel_signature optional_at[] = {
    SIGNATURE(of_list, optional_a, &optional_at[1]),
    SIGNATURE(of_map, optional_b, &optional_at[2]),
    SIGNATURE(of_optional_list, optional_a, &optional_at[3]),
    SIGNATURE(of_optional_map, optional_b, NULL),
};

static const struct {
	const char *name, *sign;
	const struct cel_signature *signatures; /* NULL: the library's */
} operators[] = {
    {"_&&_", "&&", logic},    {"_||_", "||", logic},
    {"!_", "!", not},	      {"@not_strictly_false", NULL, not},
    {"_?_:_", NULL, choice},  {"_==_", "==", equality},
    {"_!=_", "!=", equality}, {"@in", "in", in},
    {"_[_]", NULL, at},	      {"_[?_]", NULL, optional_at},
    {"type", NULL, of_type},  {"dyn", NULL, to_dyn},
    {"_<_", "<", NULL},	      {"_<=_", "<=", NULL},
    {"_>_", ">", NULL},	      {"_>=_", ">=", NULL},
    {"_+_", "+", NULL},	      {"_-_", "-", NULL},
    {"_*_", "*", NULL},	      {"_/_", "/", NULL},
    {"_%_", "%", NULL},	      {"-_", "-", NULL},
};

#define OPERATORS (sizeof operators / sizeof operators[0])

const struct cel_signature *
check_operator(const char *name)
{
	for (size_t i = 0; i < OPERATORS; i++)
		if (strcmp(operators[i].name, name) == 0)
			return operators[i].signatures;
	return NULL;
}

const char *
check_operator_sign(const char *name)
{
	for (size_t i = 0; i < OPERATORS; i++)
		if (strcmp(operators[i].name, name) == 0)
			return operators[i].sign;
	return NULL;
}
