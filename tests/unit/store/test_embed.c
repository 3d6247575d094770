/* SPDX-License-Identifier: Apache-2.0 */
/* test_embed.c - what sql/embed.sh makes of files: every byte is the same after the compiler has read it. */
#include "common/store/store_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/embed-XXXXXX";

static int
make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int
remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

static void
write_file(const char *name, const void *bytes, size_t length)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* Runs a command in the folder; gives its exit status. */
static int
run(const char *command)
{
	char line[1024], here[512];

	assert_non_null(getcwd(here, sizeof here));
	snprintf(line, sizeof line, "cd %s && E=%s/sql/embed.sh && %s", folder, here, command);
	return system(line);
}

/* A program prints the embedded text; it must be the file. 1 is what is after an escape of less than three digits. */
static void
all_bytes_survive_quotes_escapes_and_trigraphs(void **state)
{
	static const char program[] = "#define STATEMENTS_TEXT\n#include \"s.h\"\n#include <stdio.h>\n"
				      "int main(void) { fputs(statement_texts[STATEMENT_ALL_BYTES], stdout); "
				      "return statement_names[STATEMENT_ALL_BYTES][0] != 'a'; }\n";
	static const char tail[] = "\?\?/ \"\\n\" '\?\?=' %s \\";
	char bytes[3 * 256];
	size_t length = 0;

	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		bytes[length++] = (char)byte;
		bytes[length++] = '1';
	}
	memcpy(bytes + length, tail, sizeof tail - 1);
	length += sizeof tail - 1;
	write_file("all_bytes.sql", bytes, length);
	write_file("p.c", program, sizeof program - 1);
	assert_int_equal(run("$E all_bytes.sql > s.h && ${CC:-gcc} -std=c17 -Wall -Wextra -Werror -o p p.c "
			     "&& ./p | cmp - all_bytes.sql"),
			 0);
}

static void
migrations_come_in_the_order_of_their_numbers_with_their_length(void **state)
{
	static const char program[] =
	    "#include \"m.h\"\n#include <stdio.h>\n"
	    "int main(void) { for (int i = 0; migrations[i].version; i++) printf(\"%d %s %zu \", "
	    "migrations[i].version, migrations[i].name, migrations[i].length); return 0; }\n";

	(void)state;
	write_file("010_ten.sql", "SELECT 10\n", 10);
	write_file("008_eight.sql", "", 0);
	write_file("m.c", program, sizeof program - 1);
	assert_int_equal(run("$E --migrations 010_ten.sql 008_eight.sql > m.h && ${CC:-gcc} -std=c17 -Wall "
			     "-Wextra -Werror -o m m.c &&"
			     " test \"$(./m)\" = '8 008_eight 0 10 010_ten 10 '"),
			 0);
}

static void
names_that_are_no_names_and_numbers_that_are_there_twice_are_refused(void **state)
{
	(void)state;
	write_file("bad-name.sql", "", 0);
	write_file("noversion.sql", "", 0);
	write_file("010_again.sql", "", 0);
	assert_int_not_equal(run("$E bad-name.sql >/dev/null 2>&1"), 0);
	assert_int_not_equal(run("$E missing.sql >/dev/null 2>&1"), 0);
	assert_int_not_equal(run("$E --migrations noversion.sql >/dev/null 2>&1"), 0);
	assert_int_not_equal(run("$E --migrations 010_ten.sql 010_again.sql >/dev/null 2>&1"), 0);
	assert_int_equal(run("$E >/dev/null && $E --migrations >/dev/null"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_bytes_survive_quotes_escapes_and_trigraphs),
	    cmocka_unit_test(migrations_come_in_the_order_of_their_numbers_with_their_length),
	    cmocka_unit_test(names_that_are_no_names_and_numbers_that_are_there_twice_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
