/* SPDX-License-Identifier: Apache-2.0 */
/* test_parser.c - which tree a source is, where its parts lie, and what is told of a source that is none. */
#include "tests/unit/cel/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct row {
	const char *source, *shape;
};

static struct arena *arena;

static int
open_arena(void **state)
{
	(void)state;
	arena = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	(void)state;
	arena_close(arena);
	return 0;
}

static void
check(const struct row *rows, size_t count, unsigned flags)
{
	for (size_t i = 0; i < count; i++) {
		const char *shape = shape_of(arena, rows[i].source, flags);

		if (strcmp(shape, rows[i].shape) != 0)
			fail_msg("%s\n became  %s\n and not %s", rows[i].source, shape, rows[i].shape);
	}
}
#define CHECK(ROWS) check(ROWS, sizeof ROWS / sizeof ROWS[0], 0)

static const struct cel_tree *
parse(const char *source)
{
	struct cel_faults faults = {0};
	const struct cel_tree *tree = cel_parse(arena, source, strlen(source), 0, NULL, &faults);

	if (!tree)
		fail_msg("%s: %s", source, faults.items[0].text);
	return tree;
}

static void
operators_bind_as_the_language_says(void **state)
{
	static const struct row rows[] = {
	    {"1 + 2 * 3", "(_+_ 1 (_*_ 2 3))"},
	    {"1 * 2 + 3", "(_+_ (_*_ 1 2) 3)"},
	    {"(1 + 2) * 3", "(_*_ (_+_ 1 2) 3)"},
	    {"1 - 2 - 3", "(_-_ (_-_ 1 2) 3)"},
	    {"8 / 4 * 2 % 3", "(_%_ (_*_ (_/_ 8 4) 2) 3)"},
	    {"a < b == c", "(_==_ (_<_ a b) c)"},
	    {"1 < 2 < 3", "(_<_ (_<_ 1 2) 3)"},
	    {"a + b in c", "(@in (_+_ a b) c)"},
	    {"a in b in c", "(@in (@in a b) c)"},
	    {"a <= b && c >= d || e != f", "(_||_ (_&&_ (_<=_ a b) (_>=_ c d)) (_!=_ e f))"},
	    {"a || b && c", "(_||_ a (_&&_ b c))"},
	    {"a || b ? c : d", "(_?_:_ (_||_ a b) c d)"},
	    {"a ? b : c ? d : e", "(_?_:_ a b (_?_:_ c d e))"},
	    {"(a ? b : c) ? d : e", "(_?_:_ (_?_:_ a b c) d e)"},
	    {"a ? (b ? c : d) : e", "(_?_:_ a (_?_:_ b c d) e)"},
	    {"!a && b", "(_&&_ (!_ a) b)"},
	    {"!a.b(c)", "(!_ (.b a c))"},
	    {"-a + b", "(_+_ (-_ a) b)"},
	    {"-a.b", "(-_ (. a b))"},
	};

	(void)state;
	CHECK(rows);
}

static void
two_of_the_same_sign_undo_each_other(void **state)
{
	static const struct row rows[] = {
	    {"!!a", "a"},
	    {"!!!a", "(!_ a)"},
	    {"--a", "a"},
	    {"---a", "(-_ a)"},
	    {"--4", "4"},
	    {"4--4", "(_-_ 4 -4)"},
	    {"4 - -a", "(_-_ 4 (-_ a))"},
	    {"!-1", "(!_ -1)"},
	    {"-1.a()", "(.a -1)"},
	    {"-1u", "(-_ 1u)"},
	    {"-(1)", "(-_ 1)"},
	    {"---4", "(-_ 4)"},
	};

	(void)state;
	CHECK(rows);
}

static void
chains_of_and_and_or_are_as_low_as_can_be(void **state)
{
	static const struct row rows[] = {
	    {"a && b", "(_&&_ a b)"},
	    {"a && b && c", "(_&&_ (_&&_ a b) c)"},
	    {"a && b && c && d", "(_&&_ (_&&_ a b) (_&&_ c d))"},
	    {"a || b || c || d || e || f", "(_||_ (_||_ (_||_ a b) c) (_||_ (_||_ d e) f))"},
	    {"a && (b && c)", "(_&&_ a (_&&_ b c))"},
	};

	(void)state;
	CHECK(rows);
}

static void
members_follow_each_other(void **state)
{
	static const struct row rows[] = {
	    {"a", "a"},
	    {".a", ".a"},
	    {"_a1", "_a1"},
	    {"a.b.c", "(. (. a b) c)"},
	    {".a.b", "(. .a b)"},
	    {"a[0]['x']", "(_[_] (_[_] a 0) \"x\")"},
	    {"f()", "(f)"},
	    {".f(1)", "(.f 1)"},
	    {"a.f(1, b)", "(.f a 1 b)"},
	    {"a.b.f().c[0].g(1)", "(.g (_[_] (. (.f (. a b)) c) 0) 1)"},
	    {"'a'.size()", "(.size \"a\")"},
	    {"[1].size()", "(.size (list 1))"},
	    {"{}.a", "(. (map) a)"},
	    {"(a).b", "(. a b)"},
	};

	(void)state;
	CHECK(rows);
}

static void
lists_and_maps_may_end_with_a_comma(void **state)
{
	static const struct row rows[] = {
	    {"[]", "(list)"},
	    {"[1, 2]", "(list 1 2)"},
	    {"[1, 2,]", "(list 1 2)"},
	    {"[,]", "(list)"},
	    {"{}", "(map)"},
	    {"{1: 2, 'a': b}", "(map 1 2 \"a\" b)"},
	    {"{1: 2,}", "(map 1 2)"},
	    {"{a ? b : c : d}", "(map (_?_:_ a b c) d)"},
	    {"[[], {}]", "(list (list) (map))"},
	};

	(void)state;
	CHECK(rows);
}

static void
structs_are_read(void **state)
{
	static const struct row rows[] = {
	    {"a{}", "(new a)"},
	    {"a.b.C{x: 1, y: 'z'}", "(new a.b.C x:1 y:\"z\")"},
	    {".a.B{x: 1,}", "(new .a.B x:1)"},
	    {"A{`x-y`: 1}", "(new A x-y:1)"},
	    {"A{if: 1}.b", "(. (new A if:1) b)"},
	    {"A{?x: y, z: 1}", "(new A ?x:y z:1)"},
	};

	(void)state;
	CHECK(rows);
}

static void
optional_parts_are_marked(void **state)
{
	static const struct row rows[] = {
	    {"a.?b", "(_?._ a \"b\")"},
	    {"a.?b.c[?0].?d", "(_?._ (_[?_] (. (_?._ a \"b\") c) 0) \"d\")"},
	    {"a.?`b-c`", "(_?._ a \"b-c\")"},
	    {"[?a, b, ?c]", "(list ?a b ?c)"},
	    {"[a, b, c, d, ?e]", "(list a b c d ?e)"},
	    {"[?a, b, c, d, e, ?f]", "(list ?a b c d e ?f)"},
	    {"{?'k': v, 'l': w}", "(map ?\"k\" v \"l\" w)"},
	};
	static const struct row refused[] = {
	    {"a.?b && a[?b]",
	     "1:2 optional values ('?') cannot be used here; 1:10 optional values ('?') cannot be used here"},
	    {"[?a]", "1:2 optional values ('?') cannot be used here"},
	    {"{?'k': v}", "1:2 optional values ('?') cannot be used here"},
	    {"Msg{?f: v}", "1:5 optional values ('?') cannot be used here"},
	};

	(void)state;
	CHECK(rows);
	check(refused, 4, CEL_WITHOUT_OPTIONALS);
}

static void
reserved_words_are_fields_and_methods_but_no_names(void **state)
{
	static const char *const reserved[] = {
	    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",	  "import",
	    "let", "loop",  "package", "namespace", "return", "var", "void",	 "while",
	};

	(void)state;
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
		const char *word = reserved[i];

		assert_string_equal(shape_of(arena, arena_format(arena, "a.%s", word), 0),
				    arena_format(arena, "(. a %s)", word));
		assert_string_equal(shape_of(arena, arena_format(arena, "a.%s(1)", word), 0),
				    arena_format(arena, "(.%s a 1)", word));
		const char *fault =
		    arena_format(arena, "1:1 '%s' is a reserved word; it cannot be a name", word);
		assert_string_equal(shape_of(arena, word, 0), fault);
		assert_string_equal(shape_of(arena, arena_format(arena, "%s(1)", word), 0), fault);
	}
}

static void
keywords_are_fields_in_backticks_only(void **state)
{
	static const struct row rows[] = {
	    {"a.`in`", "(. a in)"},
	    {"a.`true`.b", "(. (. a true) b)"},
	    {"a.`content-type`", "(. a content-type)"},
	    {"a.`a.b/c d`", "(. a a.b/c d)"},
	    {"a.true",
	     "1:3 the name of a field (words like true and in need backticks) is expected here, not 'true'"},
	    {"a.in",
	     "1:3 the name of a field (words like true and in need backticks) is expected here, not 'in'"},
	    {"`a`", "1:1 an expression is expected here, not '`a`'"},
	    {"a.`b`()", "1:6 '(' cannot follow here; an operator is missing"},
	    {"a.`$b`", "1:3 a name in backticks has letters, digits, blanks and the marks _ . - / and is "
		       "closed by a backtick"},
	    {"a.``", "1:3 a name in backticks has letters, digits, blanks and the marks _ . - / and is "
		     "closed by a backtick"},
	};

	(void)state;
	CHECK(rows);
}

static void
blanks_and_comments_part_tokens(void **state)
{
	static const struct row rows[] = {
	    {" a\t.\r\nb\f( 1 ) ", "(.b a 1)"},
	    {"a // && b\n&& c", "(_&&_ a c)"},
	    {"a//", "a"},
	    {"// why\na", "a"},
	    {"a / /b", "1:5 an expression is expected here, not '/'"},
	    {"'// no comment'", "\"// no comment\""},
	};

	(void)state;
	CHECK(rows);
}

static void
faults_say_what_was_expected_and_where(void **state)
{
	static const struct row rows[] = {
	    {"", "1:1 an expression is expected here, not the end"},
	    {"a +", "1:4 an expression is expected here, not the end"},
	    {"a b", "1:3 'b' cannot follow here; an operator is missing"},
	    {"f(a", "1:4 the end cannot follow here; the '(' at character 2 is not closed"},
	    {"[1, 2", "1:6 the end cannot follow here; the '[' at character 1 is not closed"},
	    {"f(a,)", "1:5 an expression is expected here, not ')'"},
	    {"(a]", "1:3 ']' cannot follow here; the '(' at character 1 is not closed"},
	    {"a)", "1:2 ')' closes or parts nothing; the end was expected"},
	    {"a, b", "1:2 ',' closes or parts nothing; the end was expected"},
	    {"a ? b", "1:6 ':' and the other value of '?' are missing before the end"},
	    {"a ? b ? c : d : e", "1:7 ':' and the other value of '?' are missing before '?'"},
	    {"{a}", "1:3 ':' and a value are expected here, not '}'"},
	    {"{'a' = 1}",
	     "1:6 '=' is no operator; write '=='; 1:9 ':' and a value are expected here, not '}'"},
	    {"M{1: 2}", "1:3 the name of a field is expected here, not '1'"},
	    {"a.1", "1:2 '.1' cannot follow here; an operator is missing"},
	    {"a.", "1:3 the name of a field is expected here, not the end"},
	    {"f(){}", "1:4 '{' cannot follow here; an operator is missing"},
	    {"a.b(){}", "1:6 '{' cannot follow here; an operator is missing"},
	    {"a.?b{}", "1:5 '{' cannot follow here; an operator is missing"},
	    {"a.`b`{}", "1:6 '{' cannot follow here; an operator is missing"},
	    {"(a){}", "1:4 '{' cannot follow here; an operator is missing"},
	    {"a[0]{}", "1:5 '{' cannot follow here; an operator is missing"},
	    {"A{}{}", "1:4 '{' cannot follow here; an operator is missing"},
	    {"-!a", "1:2 an expression is expected here, not '!'"},
	    {"!-a", "1:3 a number is expected here, not 'a'"},
	    {"a = b", "1:3 '=' is no operator; write '=='"},
	    {"a & b", "1:3 '&' is no operator; write '&&'"},
	    {"a | b", "1:3 '|' is no operator; write '||'"},
	    {"a; b", "1:2 ';' has no place here"},
	    {"\xe2\x80\x9c"
	     "a\xe2\x80\x9d",
	     "1:1 strings are written in straight quotes, ' or \"; 1:3 strings are written in straight "
	     "quotes, ' or \""},
	    {"a \xc2\xa0 b", "1:3 the character U+00A0 has no place here"},
	    {"\x01", "1:1 the character U+0001 has no place here"},
	};

	(void)state;
	CHECK(rows);
}

static void
positions_are_code_points_and_lines_count_from_one(void **state)
{
	static const struct row rows[] = {
	    {"'\xf0\x9f\x98\x81' +\n  '\xc3\xa9' + $", "2:9 '$' has no place here"},
	    {"\n\n  a b", "3:5 'b' cannot follow here; an operator is missing"},
	};
	struct cel_faults faults = {0};

	(void)state;
	CHECK(rows);
	assert_null(cel_parse(arena, "'\xf0\x9f\x98\x81' + $", 10, 0, NULL, &faults));
	assert_int_equal(faults.items[0].position, 6);
	assert_int_equal(faults.items[0].code, CEL_SYNTAX);
}

static void
several_faults_are_found_at_once_and_none_follows_from_another(void **state)
{
	static const struct row rows[] = {
	    {"a b && c d || e f", "1:3 'b' cannot follow here; an operator is missing; 1:10 'd' cannot "
				  "follow here; an operator is missing; 1:17 'f' "
				  "cannot follow here; an operator is missing"},
	    {"f(1 +, 2 *, 3)",
	     "1:6 an expression is expected here, not ','; 1:11 an expression is expected here, not ','"},
	    {"[1 2, 3 4]",
	     "1:4 '2' cannot follow here; an operator is missing; 1:9 '4' cannot follow here; an operator is "
	     "missing"},
	    {"{a: , b: }",
	     "1:5 an expression is expected here, not ','; 1:10 an expression is expected here, not '}'"},
	    {"func{{a}}", "1:6 the name of a field is expected here, not '{'"},
	    {"a + (b + * c) && d", "1:10 an expression is expected here, not '*'"},
	    {"((((", "1:5 an expression is expected here, not the end"},
	    {"'\\q' + '\\w'",
	     "1:1 in this literal '\\q' is no escape; 1:8 in this literal '\\w' is no escape"},
	    {"99999999999999999999 + if", "1:1 this number is outside int, -2^63 to 2^63-1; 1:24 'if' is a "
					  "reserved word; it cannot be a name"},
	    {"*@a | b", "1:1 an expression is expected here, not '*'; 1:2 '@' has no place here; 1:5 '|' is "
			"no operator; write '||'"},
	};

	(void)state;
	CHECK(rows);
}

static void
not_more_than_twenty_faults_are_told(void **state)
{
	struct buffer source = {.arena = arena};
	struct cel_faults faults = {0};

	(void)state;
	for (int i = 0; i < 30; i++)
		buffer_add_text(&source, "if && ");
	buffer_add_text(&source, "a");
	assert_null(cel_parse(arena, source.bytes, source.length, 0, NULL, &faults));
	assert_int_equal(faults.count, CEL_FAULTS_MAX);
	for (uint32_t i = 0; i < CEL_FAULTS_MAX; i++)
		assert_int_equal(faults.items[i].position, 6 * i);
}

static void
a_source_with_a_fault_is_no_tree_though_no_further_fault_can_be_told(void **state)
{
	struct cel_faults faults = {.count = CEL_FAULTS_MAX};

	(void)state;
	assert_null(cel_parse(arena, "a b", 3, 0, NULL, &faults));
	assert_int_equal(faults.count, CEL_FAULTS_MAX);
	assert_non_null(cel_parse(arena, "a + b", 5, 0, NULL,
				  &faults)); /* and faults of another source are no faults of this one */
}

static void
faults_are_kept_in_the_order_of_the_source(void **state)
{
	struct cel_faults faults = {0};

	(void)state;
	for (uint32_t i = 0; i < 30; i++)
		assert_null(cel_fault_add(&faults, "", 0, CEL_TYPE_ERROR, i * 7 % 30, "%u", i));
	assert_int_equal(faults.count, CEL_FAULTS_MAX);
	for (uint32_t i = 0; i < CEL_FAULTS_MAX; i++)
		assert_int_equal(faults.items[i].position, i);
}

static void
a_text_that_is_too_long_is_cut_between_characters(void **state)
{
	struct cel_faults faults = {0};
	char text[600];

	(void)state;
	for (size_t i = 0; i < 298; i += 2)
		memcpy(text + i, "\xc3\xa9", 3);
	cel_fault_add(&faults, "", 0, CEL_SYNTAX, 0, "%s", text);
	assert_int_equal(strlen(faults.items[0].text), 254);
}

static void
what_is_no_utf8_is_told_where_it_is(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		uint32_t position;
	} rows[] = {
	    {"'\xff'", 3, 1},
	    {"'a\xc3'", 4, 2},
	    {"'\xc0\x80'", 4, 1},
	    {"'\xe0\x80\x80'", 5, 1},
	    {"'\xed\xa0\x80'", 5, 1},
	    {"'\xf4\x90\x80\x80'", 6, 1},
	    {"'\xf0\x80\x80\x80'", 6, 1},
	    {"'\xc3\xa9\x80'", 5, 2},
	    {"'\xf0\x9f\x98", 4, 1},
	    {"'\xf5\x80\x80\x80'", 6, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cel_faults faults = {0};

		assert_null(cel_parse(arena, rows[i].bytes, rows[i].length, 0, NULL, &faults));
		assert_int_equal(faults.count, 1);
		assert_int_equal(faults.items[0].position, rows[i].position);
		assert_string_equal(faults.items[0].text, "the source is no well-formed UTF-8 here");
	}
}

static const struct cel_node *
argument(const struct cel_node *node, size_t index)
{
	return node->arguments[index];
}

static void
a_node_lies_at_its_operator_name_or_first_character(void **state)
{
	const struct cel_node *root = parse("  a.b + f(1) * c[2].g(-3)")->root;

	(void)state;
	assert_int_equal(root->position, 6);
	assert_int_equal(argument(root, 0)->position, 3);
	assert_int_equal(argument(root, 0)->operand->position, 2);
	const struct cel_node *product = argument(root, 1);
	assert_int_equal(product->position, 13);
	assert_int_equal(argument(product, 0)->position, 9);
	const struct cel_node *method = argument(product, 1);
	assert_int_equal(method->position, 21);
	assert_int_equal(method->operand->position, 16);
	assert_int_equal(argument(method, 0)->position, 22);
	assert_int_equal(parse("a ? b : c")->root->position, 2);
	assert_int_equal(parse(" [1]")->root->position, 1);
	assert_int_equal(parse("A.b{}")->root->position, 3);
	assert_int_equal(parse(".a")->root->position, 1);
	assert_int_equal(parse("!a")->root->position, 0);
}

static const char *
stretch(const struct cel_tree *tree, const struct cel_node *node)
{
	return arena_copy(arena, tree->source + node->start, node->end - node->start);
}

static void
a_node_is_written_as_a_stretch_of_the_source(void **state)
{
	const struct cel_tree *tree = parse(" ( a + b ) * -c.d && x.all(y, y > 'z') && !(f( 1 ) [2]) ");
	const struct cel_node *conjuncts[4];

	(void)state;
	assert_string_equal(stretch(tree, tree->root),
			    "( a + b ) * -c.d && x.all(y, y > 'z') && !(f( 1 ) [2])");
	assert_int_equal(cel_conjuncts(tree->root, conjuncts, 4), 3);
	assert_string_equal(stretch(tree, conjuncts[0]), "( a + b ) * -c.d");
	assert_string_equal(stretch(tree, argument(conjuncts[0], 0)), "a + b");
	assert_string_equal(stretch(tree, argument(conjuncts[0], 1)), "-c.d");
	assert_string_equal(stretch(tree, conjuncts[1]), "x.all(y, y > 'z')");
	assert_string_equal(stretch(tree, conjuncts[2]), "!(f( 1 ) [2])");
	assert_string_equal(stretch(tree, argument(conjuncts[2], 0)), "f( 1 ) [2]");
}

static void
conjuncts_are_those_of_the_top_from_left_to_right(void **state)
{
	const struct cel_node *conjuncts[2] = {0};
	const struct cel_tree *tree = parse("a && (b && (c || d && e)) && f && g");

	(void)state;
	assert_int_equal(cel_conjuncts(tree->root, conjuncts, 2), 5);
	assert_string_equal(conjuncts[0]->name, "a");
	assert_string_equal(conjuncts[1]->name, "b");
	assert_int_equal(cel_conjuncts(parse("a || b")->root, conjuncts, 2), 1);
	assert_int_equal(cel_conjuncts(parse("a && b")->root, NULL, 0), 2);
}

static void
note_ids(const struct cel_node *node, unsigned char *seen)
{
	seen[node->id]++;
	if (node->operand)
		note_ids(node->operand, seen);
	for (size_t i = 0; i < node->argument_count; i++)
		note_ids(node->arguments[i], seen);
	if (node->kind != CEL_N_COMPREHENSION)
		return;
	note_ids(node->loop.range, seen);
	note_ids(node->loop.init, seen);
	note_ids(node->loop.condition, seen);
	note_ids(node->loop.step, seen);
	note_ids(node->loop.result, seen);
}

static void
every_node_has_a_number_of_its_own_up_to_the_count(void **state)
{
	const struct cel_tree *tree =
	    parse("a && [1, 2].map(x, x > 1, {x: x}).all(y, y.?z.optMap(q, q + 1).hasValue()) || has(b.c)");
	unsigned char seen[513] = {0};

	(void)state;
	assert_in_range(tree->node_count, 1, 512);
	note_ids(tree->root, seen);
	assert_int_equal(seen[0], 0);
	for (uint32_t i = 1; i <= 512; i++)
		assert_in_range(seen[i], 0, i <= tree->node_count);
}

static void
the_source_is_copied(void **state)
{
	char source[] = "a.b";
	struct cel_faults faults = {0};
	const struct cel_tree *tree = cel_parse(arena, source, 3, 0, NULL, &faults);

	(void)state;
	memset(source, 'x', 3);
	assert_string_equal(tree->source, "a.b");
	assert_int_equal(tree->source_length, 3);
	assert_string_equal(tree->root->name, "b");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operators_bind_as_the_language_says),
	    cmocka_unit_test(two_of_the_same_sign_undo_each_other),
	    cmocka_unit_test(chains_of_and_and_or_are_as_low_as_can_be),
	    cmocka_unit_test(members_follow_each_other),
	    cmocka_unit_test(lists_and_maps_may_end_with_a_comma),
	    cmocka_unit_test(structs_are_read),
	    cmocka_unit_test(optional_parts_are_marked),
	    cmocka_unit_test(reserved_words_are_fields_and_methods_but_no_names),
	    cmocka_unit_test(keywords_are_fields_in_backticks_only),
	    cmocka_unit_test(blanks_and_comments_part_tokens),
	    cmocka_unit_test(faults_say_what_was_expected_and_where),
	    cmocka_unit_test(positions_are_code_points_and_lines_count_from_one),
	    cmocka_unit_test(several_faults_are_found_at_once_and_none_follows_from_another),
	    cmocka_unit_test(not_more_than_twenty_faults_are_told),
	    cmocka_unit_test(a_source_with_a_fault_is_no_tree_though_no_further_fault_can_be_told),
	    cmocka_unit_test(faults_are_kept_in_the_order_of_the_source),
	    cmocka_unit_test(a_text_that_is_too_long_is_cut_between_characters),
	    cmocka_unit_test(what_is_no_utf8_is_told_where_it_is),
	    cmocka_unit_test(a_node_lies_at_its_operator_name_or_first_character),
	    cmocka_unit_test(a_node_is_written_as_a_stretch_of_the_source),
	    cmocka_unit_test(conjuncts_are_those_of_the_top_from_left_to_right),
	    cmocka_unit_test(every_node_has_a_number_of_its_own_up_to_the_count),
	    cmocka_unit_test(the_source_is_copied),
	};

	return cmocka_run_group_tests_name("cel parser", tests, open_arena, close_arena);
}
