/* SPDX-License-Identifier: Apache-2.0 */
/* library_standard.c - the table of the standard operators and functions. Rows without code are for the checker: the compiler has
 * instructions for them. The code is in library_operator.c, library_convert.c and library_text.c. */
#include "common/cel/library_standard.h"

const struct cel_overload cel_library_standard[] = {
    /* logic and comparison */
    {"_&&_", "(bool,bool):bool", NULL},
    {"_||_", "(bool,bool):bool", NULL},
    {"!_", "(bool):bool", NULL},
    {"_?_:_", "(bool,A,A):A", NULL},
    {"@not_strictly_false", "(bool):bool", NULL},
    {"_==_", "(A,A):bool", NULL},
    {"_!=_", "(A,A):bool", NULL},
#define ORDERED(NAME)                                                                                        \
	{NAME, "(bool,bool):bool", NULL}, {NAME, "(int,int):bool", NULL}, {NAME, "(uint,uint):bool", NULL},  \
	    {NAME, "(double,double):bool", NULL}, {NAME, "(string,string):bool", NULL},                      \
	    {NAME, "(bytes,bytes):bool", NULL}, {NAME, "(timestamp,timestamp):bool", NULL},                  \
	{                                                                                                    \
		NAME, "(duration,duration):bool", NULL                                                       \
	}
    ORDERED("_<_"),
    ORDERED("_<=_"),
    ORDERED("_>_"),
    ORDERED("_>=_"),
#undef ORDERED
    {"@in", "(A,list<A>):bool", NULL},
    {"@in", "(A,map<A,B>):bool", NULL},
    {"_[_]", "(list<A>,int):A", NULL},
    {"_[_]", "(map<A,B>,A):B", NULL},
    /* arithmetic */
    {"-_", "(int):int", cel_int_negate},
    {"-_", "(double):double", cel_double_negate},
    {"_+_", "(int,int):int", cel_int_add},
    {"_+_", "(uint,uint):uint", cel_uint_add},
    {"_+_", "(double,double):double", cel_double_add},
    {"_+_", "(string,string):string", cel_string_add},
    {"_+_", "(bytes,bytes):bytes", cel_bytes_add},
    {"_+_", "(list<A>,list<A>):list<A>", cel_list_add},
    {"_-_", "(int,int):int", cel_int_subtract},
    {"_-_", "(uint,uint):uint", cel_uint_subtract},
    {"_-_", "(double,double):double", cel_double_subtract},
    {"_*_", "(int,int):int", cel_int_multiply},
    {"_*_", "(uint,uint):uint", cel_uint_multiply},
    {"_*_", "(double,double):double", cel_double_multiply},
    {"_/_", "(int,int):int", cel_int_divide},
    {"_/_", "(uint,uint):uint", cel_uint_divide},
    {"_/_", "(double,double):double", cel_double_divide},
    {"_%_", "(int,int):int", cel_int_modulo},
    {"_%_", "(uint,uint):uint", cel_uint_modulo},
    /* sizes and text */
    {"size", "(string):int", cel_string_size},
    {"size", "(bytes):int", cel_bytes_size},
    {"size", "(list<A>):int", cel_list_size},
    {"size", "(map<A,B>):int", cel_map_size},
    {"size", "string.():int", cel_string_size},
    {"size", "bytes.():int", cel_bytes_size},
    {"size", "list<A>.():int", cel_list_size},
    {"size", "map<A,B>.():int", cel_map_size},
    {"contains", "string.(string):bool", cel_string_contains},
    {"startsWith", "string.(string):bool", cel_string_starts},
    {"endsWith", "string.(string):bool", cel_string_ends},
    {"matches", "string.(string):bool", cel_string_matches},
    {"matches", "(string,string):bool", cel_string_matches},
    /* conversions; those of time are in library_time.c */
    {"dyn", "(A):dyn", cel_as_it_is},
    {"type", "(A):type<A>", cel_to_type},
    {"bool", "(bool):bool", cel_as_it_is},
    {"bool", "(string):bool", cel_string_to_bool},
    {"int", "(int):int", cel_as_it_is},
    {"int", "(uint):int", cel_uint_to_int},
    {"int", "(double):int", cel_double_to_int},
    {"int", "(string):int", cel_string_to_int},
    {"uint", "(uint):uint", cel_as_it_is},
    {"uint", "(int):uint", cel_int_to_uint},
    {"uint", "(double):uint", cel_double_to_uint},
    {"uint", "(string):uint", cel_string_to_uint},
    {"double", "(double):double", cel_as_it_is},
    {"double", "(int):double", cel_int_to_double},
    {"double", "(uint):double", cel_uint_to_double},
    {"double", "(string):double", cel_string_to_double},
    {"string", "(string):string", cel_as_it_is},
    {"string", "(bool):string", cel_bool_to_string},
    {"string", "(int):string", cel_int_to_string},
    {"string", "(uint):string", cel_uint_to_string},
    {"string", "(double):string", cel_double_to_string},
    {"string", "(bytes):string", cel_bytes_to_string},
    {"bytes", "(bytes):bytes", cel_as_it_is},
    {"bytes", "(string):bytes", cel_string_to_bytes},
    /* what the macros of maps step with, where the compiler does not see that it may build in place */
    {"cel.@mapInsert", "(map<A,B>,A,B):map<A,B>", cel_map_insert},
    {"cel.@mapInsert", "(map<A,B>,map<A,B>):map<A,B>", cel_map_merge},
    {0},
};
