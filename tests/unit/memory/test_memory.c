/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory.c - what an arena gives is zeroed, aligned, apart and gone at the reset; what can't be given ends the process. */
#include "common/memory/memory.h"

#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static int
open_arena(void **state)
{
	*state = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	arena_close(*state);
	return 0;
}

static bool
is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

static void
pieces_are_zeroed_aligned_and_apart(void **state)
{
	unsigned char *pieces[200];

	for (size_t i = 0; i < 200; i++) {
		pieces[i] = arena_take(*state, i * 7);
		assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
		assert_true(is_zero(pieces[i], i * 7));
		memset(pieces[i], (int)i, i * 7);
	}
	for (size_t i = 0; i < 200; i++)
		for (size_t j = 0; j < i * 7; j++)
			assert_int_equal(pieces[i][j], i);
}

static void
nothing_is_a_valid_piece_of_its_own(void **state)
{
	void *one = arena_take(*state, 0);

	assert_non_null(one);
	assert_ptr_not_equal(one, arena_take(*state, 0));
}

static void
memory_is_zeroed_again_after_a_reset(void **state)
{
	memset(arena_take(*state, 5000), 0xFF, 5000);
	arena_reset(*state);
	assert_true(is_zero(arena_take(*state, 5000), 5000));
}

static void
a_reset_gives_the_same_memory_again(void **state)
{
	void *first;

	arena_take(*state, 300 * 1024);
	arena_reset(*state);
	first = arena_take(*state, 200 * 1024);
	arena_reset(*state);
	assert_ptr_equal(arena_take(*state, 200 * 1024), first);
}

/* Some megabytes in small pieces, filled. */
static void
fill(struct arena *arena, size_t megabytes)
{
	for (size_t i = 0; i < megabytes * 16; i++) {
		unsigned char *piece = arena_take(arena, 64 * 1024);

		assert_true(is_zero(piece, 64 * 1024));
		memset(piece, 0xFF, 64 * 1024);
	}
}

/* What is held when nothing is handed out is bounded, however large a batch once was. */
static void
a_batch_finds_the_memory_of_the_last_one_and_not_of_the_largest(void **state)
{
	struct mallinfo2 before = mallinfo2(), after;

	fill(*state, 40);
	arena_reset(*state);
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + 10 * 1024 * 1024);
	for (int batch = 0; batch < 3; batch++) {
		struct mallinfo2 held = mallinfo2();

		fill(*state, 7);
		after = mallinfo2();
		assert_int_equal(after.uordblks + after.hblkhd, held.uordblks + held.hblkhd);
		arena_reset(*state);
	}
}

static void
a_piece_larger_than_any_block_is_given(void **state)
{
	size_t size = 5 * 1024 * 1024;
	unsigned char *piece = arena_take(*state, size);

	assert_true(is_zero(piece, size));
	piece[size - 1] = 1;
	arena_reset(*state);
	assert_true(is_zero(arena_take(*state, 10), 10));
}

static void
used_counts_what_was_handed_out_since_the_reset(void **state)
{
	assert_int_equal(arena_used(*state), 0);
	arena_take(*state, 10);
	arena_copy(*state, "abc", 3); /* and its NUL */
	arena_take_array(*state, 3, 5);
	assert_int_equal(arena_used(*state), 29);
	arena_reset(*state);
	assert_int_equal(arena_used(*state), 0);
}

static void
copies_end_with_a_nul(void **state)
{
	const char *copy = arena_copy(*state, "ab\0cd", 5);

	assert_memory_equal(copy, "ab\0cd", 6);
	assert_string_equal(arena_copy(*state, NULL, 0), "");
	assert_string_equal(arena_string(*state, "text"), "text");
	assert_null(arena_string(*state, NULL));
}

static void
formatted_texts_have_the_length_they_need(void **state)
{
	char longer[3000];

	memset(longer, 'y', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_string_equal(arena_format(*state, "%s-%d", "a", 5), "a-5");
	assert_string_equal(arena_format(*state, "%s", longer), longer);
}

static void
a_closed_arena_may_be_none(void **state)
{
	(void)state;
	arena_close(NULL);
}

static void
a_buffer_grows_and_is_always_terminated(void **state)
{
	struct buffer buffer = {.arena = *state};

	buffer_add(&buffer, NULL, 0);
	assert_string_equal(buffer.bytes, "");
	for (int i = 0; i < 10000; i++) {
		buffer_add_byte(&buffer, (char)('a' + i % 26));
		assert_int_equal(buffer.bytes[buffer.length], '\0');
	}
	assert_int_equal(buffer.length, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(buffer.bytes[i], 'a' + i % 26);
}

static void
a_buffer_takes_texts_bytes_and_formats(void **state)
{
	struct buffer buffer = {.arena = *state};

	buffer_add_text(&buffer, "one ");
	buffer_add(&buffer, "t\0o", 3);
	buffer_add_format(&buffer, " %05d %s", 42, "three");
	assert_int_equal(buffer.length, 19);
	assert_memory_equal(buffer.bytes, "one t\0o 00042 three", 20);
}

static void
a_buffer_may_be_added_to_itself(void **state)
{
	struct buffer buffer = {.arena = *state};

	buffer_add_text(&buffer, "0123456789");
	for (int i = 0; i < 8; i++)
		buffer_add(&buffer, buffer.bytes, buffer.length);
	assert_int_equal(buffer.length, 2560);
	assert_memory_equal(buffer.bytes + 2550, "0123456789", 11);
}

static void
a_buffer_grows_where_it_lies_while_nothing_follows_it(void **state)
{
	struct buffer buffer = {.arena = *state}, other = {.arena = *state};

	buffer_add_text(&buffer, "x");

	char *first = buffer.bytes;

	for (int i = 0; i < 4000; i++)
		buffer_add_byte(&buffer, 'y');
	assert_ptr_equal(buffer.bytes, first);
	assert_int_equal(arena_used(*state), buffer.room);
	buffer_add_text(&other, "z");
	for (size_t i = 0; i < 4096; i++)
		buffer_add_byte(&buffer, 'y');
	assert_ptr_not_equal(buffer.bytes, first);
	assert_string_equal(other.bytes, "z");
	assert_int_equal(strspn(buffer.bytes + 1, "y"), 8096);
}

static void
lasting_memory_is_zeroed_grown_and_freed(void **state)
{
	char *text = memory_string("text");
	unsigned char *bytes = memory_take(1000);

	(void)state;
	assert_string_equal(text, "text");
	assert_true(is_zero(bytes, 1000));
	bytes[999] = 7;
	bytes = memory_grow(bytes, 500, 4);
	assert_int_equal(bytes[999], 7);
	free(bytes);
	free(text);
	free(memory_take(0));
	free(memory_grow(NULL, 0, 8));
}

/* True when the child that does this dies by abort. */
static bool
ends_the_process(void (*act)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		signal(SIGABRT, SIG_DFL);
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
take_too_large_an_array(void)
{
	arena_take_array(arena_open(), SIZE_MAX / 16 + 2, 16); /* as if it were 16 bytes */
}

static void
take_almost_everything(void)
{
	arena_take(arena_open(), SIZE_MAX - 4);
}

static void
grow_too_far(void)
{
	free(memory_grow(NULL, SIZE_MAX / 4 + 3, 4));
}

static void
add_too_much(void)
{
	struct buffer buffer = {.arena = arena_open()};

	buffer_add_text(&buffer, "x");
	buffer_add(&buffer, "x", SIZE_MAX - 1);
}

static void
sizes_that_overflow_end_the_process(void **state)
{
	(void)state;
	assert_true(ends_the_process(take_too_large_an_array));
	assert_true(ends_the_process(take_almost_everything));
	assert_true(ends_the_process(grow_too_far));
	assert_true(ends_the_process(add_too_much));
}

#if !defined(__SANITIZE_ADDRESS__)
static void
take_more_than_there_is(void)
{
	setrlimit(RLIMIT_AS, &(struct rlimit){256 * 1024 * 1024, 256 * 1024 * 1024});
	for (;;)
		arena_take(arena_open(), 64 * 1024 * 1024);
}

static void
exhausted_memory_ends_the_process(void **state)
{
	(void)state;
	assert_true(ends_the_process(take_more_than_there_is));
}
#else
static void
write_behind_a_piece(void)
{
	volatile char *piece = arena_take(arena_open(), 24);

	piece[24] = 1;
}

static void
read_after_a_reset(void)
{
	struct arena *arena = arena_open();
	volatile char *piece = arena_take(arena, 24);

	arena_reset(arena);
	(void)piece[0];
}

/* The sanitizer ends a process with an exit code of its own. */
static bool
is_seen_by_the_sanitizer(void (*act)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		close(STDERR_FILENO);
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void
the_sanitizer_sees_into_an_arena(void **state)
{
	(void)state;
	assert_true(is_seen_by_the_sanitizer(write_behind_a_piece));
	assert_true(is_seen_by_the_sanitizer(read_after_a_reset));
}
#endif

static char released[8];
static size_t released_count;

static void
note_release(void *thing)
{
	released[released_count++] = *(const char *)thing;
}

static void
what_was_entrusted_is_released_once_the_newest_first_with_the_arena_and_with_its_content(void **state)
{
	struct arena *arena = arena_open();

	(void)state;
	released_count = 0;
	arena_entrust(arena, note_release, arena_string(arena, "a"));
	arena_entrust(arena, note_release, arena_string(arena, "b"));
	assert_int_equal(released_count, 0);
	arena_reset(arena);
	assert_memory_equal(released, "ba", 2);
	arena_reset(arena);
	assert_int_equal(released_count, 2);
	arena_entrust(arena, note_release, arena_string(arena, "c"));
	arena_close(arena);
	assert_int_equal(released_count, 3);
	assert_memory_equal(released, "bac", 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(pieces_are_zeroed_aligned_and_apart, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(nothing_is_a_valid_piece_of_its_own, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(memory_is_zeroed_again_after_a_reset, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_reset_gives_the_same_memory_again, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_batch_finds_the_memory_of_the_last_one_and_not_of_the_largest,
					    open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_piece_larger_than_any_block_is_given, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(used_counts_what_was_handed_out_since_the_reset, open_arena,
					    close_arena),
	    cmocka_unit_test_setup_teardown(copies_end_with_a_nul, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(formatted_texts_have_the_length_they_need, open_arena, close_arena),
	    cmocka_unit_test(a_closed_arena_may_be_none),
	    cmocka_unit_test(
		what_was_entrusted_is_released_once_the_newest_first_with_the_arena_and_with_its_content),
	    cmocka_unit_test_setup_teardown(a_buffer_grows_and_is_always_terminated, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_buffer_takes_texts_bytes_and_formats, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_buffer_may_be_added_to_itself, open_arena, close_arena),
	    cmocka_unit_test_setup_teardown(a_buffer_grows_where_it_lies_while_nothing_follows_it, open_arena,
					    close_arena),
	    cmocka_unit_test(lasting_memory_is_zeroed_grown_and_freed),
	    cmocka_unit_test(sizes_that_overflow_end_the_process),
#if !defined(__SANITIZE_ADDRESS__)
	    cmocka_unit_test(exhausted_memory_ends_the_process),
#else
	    cmocka_unit_test(the_sanitizer_sees_into_an_arena),
#endif
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
