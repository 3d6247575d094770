/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - bytes to expressions: a table of templates by type, and pools of values that matter. */
#include "tests/fuzz/expression.h"
#include "tests/fuzz/fuzz.h"

/* Sorts of the expressions, a letter each: bool, int, uint, double, string, bytes, timestamp, duration, list<int>, list<string>,
 * map<string, int>, optional<int>, type, dyn. In a template a letter behind % is an expression of the sort; @ and a letter is a new
 * variable of the sort, known until the template's end; what stands in [] is for `leaves`. */
static const char sorts[] = "biudsytrlmnokx";

const struct expression_variable expression_variables[EXPRESSION_VARIABLES] = {
    {"vb", "bool", 0},
    {"vi", "int", 0},
    {"vu", "uint", 0},
    {"vd", "double", 0},
    {"vs", "string", 64},
    {"vy", "bytes", 16},
    {"vt", "timestamp", 0},
    {"vr", "duration", 0},
    {"vl", "list<int>", 4},
    {"vm", "list<string>", 4},
    {"vn", "map<string, int>", 4},
    {"vo", "optional<int>", 0},
    {"vx", "dyn", 0},
    {"w.a", "int", 0},
    {"z", "null_type", 0},
};

static const char *const bools[] = {"(%b && %b)",
				    "(%b || %b)",
				    "!%b",
				    "(%b ? %b : %b)",
				    "(%i == %i)",
				    "(%i < %i)",
				    "(%u <= %u)",
				    "(%d > %d)",
				    "(%s == %s)",
				    "(%s < %s)",
				    "(%y != %y)",
				    "(%t >= %t)",
				    "(%r < %r)",
				    "(%l == %l)",
				    "(%n == %n)",
				    "(%o == %o)",
				    "(%k == %k)",
				    "(%x == %x)",
				    "(%x < %x)",
				    "(%i in %l)",
				    "(%s in %m)",
				    "(%s in %n)",
				    "(%x in %x)",
				    "(%i in [1, 2, 3, 4, 5, 6, 7, 8, 9])",
				    "(%s in ['a', 'b', 'abc'])",
				    "has(%n.a)",
				    "has(vx.a)",
				    "%s.startsWith(%s)",
				    "%s.endsWith(%s)",
				    "%s.contains(%s)",
				    "%s.matches('^[a-c]+$')",
				    "%s.matches(%s)",
				    "bool(%s)",
				    "%l.all(@i, %b)",
				    "%l.exists(@i, %b)",
				    "%m.exists_one(@s, %b)",
				    "%n.exists(@s, %b)",
				    "%l.all(@i, @i, %b)",
				    "%n.exists(@s, @i, %b)",
				    "%x.all(@x, %b)",
				    "%o.hasValue()",
				    "math.isNaN(%d)",
				    "math.isFinite(%d)",
				    "isIP(%s)",
				    "glob(%s, 'a*b')",
				    "(z == null)",
				    "dyn(%b)",
				    "cel.bind(@b, %b, %b)",
				    "(%x != %i)",
				    "cidr('10.0.0.0/8').containsIP(%s)"};
static const char *const ints[] = {"(%i + %i)",
				   "(%i - %i)",
				   "(%i * %i)",
				   "(%i / %i)",
				   "(%i %% %i)",
				   "-%i",
				   "(%b ? %i : %i)",
				   "size(%s)",
				   "size(%y)",
				   "%l.size()",
				   "size(%n)",
				   "int(%d)",
				   "int(%u)",
				   "int(%s)",
				   "int(%t)",
				   "%l[%i]",
				   "%n.a",
				   "%n[%s]",
				   "vx.a",
				   "%t.getFullYear()",
				   "%t.getHours('Europe/Berlin')",
				   "%t.getDayOfYear('-02:30')",
				   "%r.getMinutes()",
				   "%s.indexOf(%s)",
				   "%s.lastIndexOf(%s, %i)",
				   "math.greatest(%i, %i)",
				   "math.least(%l)",
				   "math.abs(%i)",
				   "math.bitShiftLeft(%i, %i)",
				   "math.bitXor(%i, %i)",
				   "%o.orValue(%i)",
				   "%o.value()",
				   "%l.sum()",
				   "%l.min()",
				   "%l.max()",
				   "cel.bind(@i, %i, (%i + %i))",
				   "w.a",
				   "dyn(%i)"};
static const char *const uints[] = {
    "(%u + %u)", "(%u - %u)", "(%u * %u)",	 "(%u / %u)",		"(%u %% %u)",	 "uint(%i)",
    "uint(%d)",	 "uint(%s)",  "math.bitNot(%u)", "math.bitAnd(%u, %u)", "(%b ? %u : %u)"};
static const char *const doubles[] = {"(%d + %d)",     "(%d - %d)",	"(%d * %d)",
				      "(%d / %d)",     "-%d",		"double(%i)",
				      "double(%u)",    "double(%s)",	"math.round(%d)",
				      "math.ceil(%d)", "math.sign(%d)", "math.greatest(%d, %d, %d)",
				      "(%b ? %d : %d)"};
static const char *const strings[] = {"(%s + %s)",
				      "string(%i)",
				      "string(%d)",
				      "string(%u)",
				      "string(%b)",
				      "string(%y)",
				      "string(%t)",
				      "string(%r)",
				      "%s.charAt(%i)",
				      "%s.lowerAscii()",
				      "%s.upperAscii()",
				      "%s.trim()",
				      "%s.reverse()",
				      "%s.replace(%s, %s)",
				      "%s.replace(%s, %s, %i)",
				      "%s.substring(%i)",
				      "%s.substring(%i, %i)",
				      "%m.join(%s)",
				      "%m[%i]",
				      "'%%s and %%d'.format([%s, %i])",
				      "'%%.3f'.format([%d])",
				      "'%%x%%X%%o%%b'.format([%i, %s, %i, %i])",
				      "'%%s'.format([%x])",
				      "%s.format([%i])",
				      "strings.quote(%s)",
				      "base64.encode(%y)",
				      "(%b ? %s : %s)",
				      "cel.bind(@s, %s, (%s + %s))",
				      "dyn(%s)"};
static const char *const bytes_templates[] = {"(%y + %y)", "bytes(%s)", "base64.decode(%s)", "(%b ? %y : %y)"};
static const char *const timestamps[] = {"(%t + %r)",	  "(%t - %r)",	   "(%r + %t)",
					 "timestamp(%s)", "timestamp(%i)", "(%b ? %t : %t)"};
static const char *const durations[] = {"(%t - %t)", "(%r + %r)", "(%r - %r)", "duration(%s)",
					"(%b ? %r : %r)"};
static const char *const int_lists[] = {"(%l + %l)",
					"[%i, %i]",
					"[]",
					"[?%o, %i]",
					"%l.filter(@i, %b)",
					"%l.map(@i, %i)",
					"%l.map(@i, %b, %i)",
					"%m.map(@s, %i)",
					"%n.map(@s, %i)",
					"%l.transformList(@i, @i, %i)",
					"%n.transformList(@s, @i, %b, %i)",
					"(%b ? %l : %l)",
					"dyn(%l)"};
static const char *const string_lists[] = {"(%m + %m)",	       "[%s, %s, %s]",	    "%s.split(%s)",
					   "%s.split(%s, %i)", "%m.filter(@s, %b)", "%l.map(@i, %s)",
					   "%n.map(@s, %s)"};
static const char *const maps[] = {"{%s: %i}",
				   "{'a': %i, 'b': %i}",
				   "{?'a': %o}",
				   "{}",
				   "%n.transformMap(@s, @i, %i)",
				   "%n.transformMap(@s, @i, %b, %i)",
				   "(%b ? %n : %n)",
				   "dyn(%n)"};
static const char *const optionals[] = {"optional.of(%i)", "optional.none()",	"optional.ofNonZeroValue(%i)",
					"%n.?a",	   "%n[?%s]",		"%l[?%i]",
					"%o.or(%o)",	   "%o.optMap(@i, %i)", "%o.optFlatMap(@i, %o)"};
static const char *const types[] = {"type(%i)", "type(%x)", "type(%l)", "type(%k)", "int", "list"};
static const char *const dyns[] = {"dyn(%b)",
				   "dyn(%i)",
				   "dyn(%d)",
				   "dyn(%s)",
				   "dyn(%l)",
				   "dyn(%n)",
				   "dyn(%t)",
				   "vx.a",
				   "%x.b",
				   "%x[%x]",
				   "%x[%i]",
				   "(%x + %x)",
				   "-%x",
				   "[%i, %s, %x]",
				   "{%x: %x}",
				   "%x.map(@x, %x)",
				   "%x.filter(@x, %b)",
				   "vx.?a.orValue(%x)",
				   "(%b ? %x : %i)",
				   "null",
				   "(%x * %i)",
				   "size(%x)",
				   "string(%x)",
				   "ip(%s)"};

static const struct {
	const char *const *templates;
	unsigned count;
} by_sort[] = {
    {bools, COUNT_OF(bools)},
    {ints, COUNT_OF(ints)},
    {uints, COUNT_OF(uints)},
    {doubles, COUNT_OF(doubles)},
    {strings, COUNT_OF(strings)},
    {bytes_templates, COUNT_OF(bytes_templates)},
    {timestamps, COUNT_OF(timestamps)},
    {durations, COUNT_OF(durations)},
    {int_lists, COUNT_OF(int_lists)},
    {string_lists, COUNT_OF(string_lists)},
    {maps, COUNT_OF(maps)},
    {optionals, COUNT_OF(optionals)},
    {types, COUNT_OF(types)},
    {dyns, COUNT_OF(dyns)},
};

/* By sort as well, divided by blanks; the first is the sort's variable. */
static const char *const leaves[] = {
    "vb true false",
    "vi 0 1 2 3 -1 7 255 9007199254740993 9223372036854775807 -9223372036854775808 w.a",
    "vu 0u 1u 2u 18446744073709551615u 9007199254740993u",
    "vd 0.0 -0.0 1.0 1.5 -2.5 1e308 9223372036854775807.0 5e-324 0.1",
    "vs '' 'a' 'abc' 'ABC' '\\u00e9' '\\U0001f600' '1' '-12' '1.5' 'true' '1h30m' '2024-02-29T12:30:45.5Z' "
    "'10.0.0.1' '::1' '\\x00' 'a,b'",
    "vy b'' b'a' b'\\xff\\x00'",
    "vt timestamp(0) timestamp('9999-12-31T23:59:59.999999999Z') timestamp('0001-01-01T00:00:00Z')",
    "vr duration('0s') duration('1.5s') duration('-1h') duration('9223372036s')",
    "vl [] [1] [3,1,2]",
    "vm [] ['a'] ['b','a','c']",
    "vn {} {'a':1} {'b':2,'a':0}",
    "vo optional.none() optional.of(5)",
    "int string bool list map type(vx)",
    "vx dyn(1) dyn('a') dyn(1.0) dyn(null) dyn([1]) dyn({'a':1}) dyn(1u)",
};

enum { SCOPE_MAX = 32 };

struct writer {
	struct choices *choices;
	struct buffer out;
	char scope[SCOPE_MAX]; /* sorts of the variables q0, q1, … */
	unsigned names;
};

unsigned
choose(struct choices *choices, unsigned count)
{
	if (!choices->left)
		return 0;
	choices->left--;
	return *choices->bytes++ % count;
}

static unsigned
sort_index(char sort)
{
	return (unsigned)(strchr(sorts, sort) - sorts);
}

static void
leaf(struct writer *writer, char sort)
{
	const char *words = leaves[sort_index(sort)];
	unsigned count = 1, which;

	for (unsigned i = writer->names; i-- > 0;)
		if (writer->scope[i] == sort && choose(writer->choices, 2)) {
			buffer_add_format(&writer->out, "q%u", i);
			return;
		}
	for (const char *at = words; *at; at++)
		count += *at == ' ';
	for (which = choose(writer->choices, count); which; which--)
		words = strchr(words, ' ') + 1;
	buffer_add_format(&writer->out, *words == '-' ? "(%.*s)" : "%.*s", (int)strcspn(words, " "), words);
}

static void write_sort(struct writer *writer, char sort, unsigned depth);

static void
write_template(struct writer *writer, const char *template, unsigned depth)
{
	unsigned names = writer->names;

	for (const char *at = template; *at; at++) {
		if (*at != '%' && *at != '@') {
			buffer_add_byte(&writer->out, *at);
		} else if (at[1] == '%') {
			buffer_add_byte(&writer->out, *++at);
		} else if (*at == '%') {
			write_sort(writer, *++at, depth - 1);
		} else {
			assert(writer->names < SCOPE_MAX);
			buffer_add_format(&writer->out, "q%u", writer->names);
			writer->scope[writer->names++] = *++at;
		}
	}
	writer->names = names;
}

static void
write_sort(struct writer *writer, char sort, unsigned depth)
{
	unsigned byte = choose(writer->choices, 256);

	if (byte >= 250) /* another sort: the checker's part */
		sort = sorts[byte % (sizeof sorts - 1)];
	if (depth == 0 || byte < 40 || !writer->choices->left) {
		leaf(writer, sort);
		return;
	}

	unsigned index = sort_index(sort);

	write_template(writer, by_sort[index].templates[choose(writer->choices, by_sort[index].count)], depth);
}

const char *
expression_source(struct arena *arena, struct choices *choices)
{
	struct writer writer = {.choices = choices, .out.arena = arena};
	char sort = sorts[choose(choices, sizeof sorts - 1)];

	write_sort(&writer, sort, 1 + choose(choices, 6));
	return writer.out.bytes;
}
