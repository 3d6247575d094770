/* SPDX-License-Identifier: Apache-2.0 */
/* test_config.c - what is loaded from where, in which order, and that every mistake is named with its place. */
#include "common/config/config.h"
#include "common/memory/memory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct sample {
	char *uri, *password, *topics, *empty;
	int64_t records, poll, size, level, free;
	bool tls;
	struct config_pairs kafka;
};

#define AT(field) offsetof(struct sample, field)
static const struct config_key database_keys[] = {
    {"database.uri", CONFIG_STRING, AT(uri), NULL, 0, 0, NULL, "Where PostgreSQL is."},
    {"database.password", CONFIG_SECRET, AT(password), "", 0, 0, NULL, "What to say to it."},
    {.name = NULL},
};
static const struct config_key other_keys[] = {
    {"batch.max_records", CONFIG_INTEGER, AT(records), "500", 1, 10000, NULL, "Records in a batch."},
    {"poll.interval", CONFIG_DURATION, AT(poll), "5s", 100000, 3600000000, NULL, "How often to look."},
    {"batch.max_bytes", CONFIG_BYTES, AT(size), "64KiB", 1024, 1048576, NULL, "Bytes in a batch."},
    {"log.level", CONFIG_CHOICE, AT(level), "info", 0, 0, "error|warn|info|debug", "What is written."},
    {"tls.required", CONFIG_FLAG, AT(tls), "true", 0, 0, NULL, "Whether to insist."},
    {"topics", CONFIG_LIST, AT(topics), "a,b", 0, 0, NULL, "What to read."},
    {"note", CONFIG_STRING, AT(empty), "", 0, 0, NULL, "Anything."},
    {"free", CONFIG_INTEGER, AT(free), "-7", 0, 0, NULL, "Any number."},
    {.name = NULL},
};
static const struct config_key explained[] = {
    {"kafka.bootstrap.servers", CONFIG_LIST, 0, NULL, 0, 0, NULL, "Whom to ask."},
    {.name = NULL},
};
static const struct config_key *const lists[] = {database_keys, other_keys, NULL};

/* One loading: files in a folder of its own, the environment cleaned behind it. */
struct desk {
	char folder[32];
	struct arena *arena;
	struct sample sample;
	struct config_table table;
	struct error error;
	const char *overrides[4];
	size_t override_count;
};

static int
open_desk(void **state)
{
	struct desk *desk = memory_take(sizeof *desk);

	strcpy(desk->folder, "/tmp/countersign-XXXXXX");
	assert_non_null(mkdtemp(desk->folder));
	desk->arena = arena_open();
	desk->table = (struct config_table){lists, "kafka.", &desk->sample.kafka, explained};
	*state = desk;
	return 0;
}

static void
clean_environment(struct arena *arena)
{
	for (char **entry = environ; *entry;) {
		if (strncmp(*entry, "COUNTERSIGN_", 12) == 0) {
			unsetenv(arena_copy(arena, *entry, strcspn(*entry, "=")));
			entry = environ;
		} else {
			entry++;
		}
	}
}

static const char *
path_of(struct desk *desk, const char *name)
{
	return arena_format(desk->arena, "%s/%s", desk->folder, name);
}

static int
close_desk(void **state)
{
	struct desk *desk = *state;

	config_free(&desk->table, &desk->sample);
	clean_environment(desk->arena);
	unlink(path_of(desk, "conf"));
	unlink(path_of(desk, "secret"));
	assert_int_equal(rmdir(desk->folder), 0);
	arena_close(desk->arena);
	free(desk);
	return 0;
}

static const char *
write_bytes(struct desk *desk, const char *name, const void *bytes, size_t length)
{
	const char *path = path_of(desk, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
	return path;
}

static const char *
write_file(struct desk *desk, const char *name, const char *text)
{
	return write_bytes(desk, name, text, strlen(text));
}

static void
override(struct desk *desk, const char *text)
{
	desk->overrides[desk->override_count++] = text;
}

static bool
load_path(struct desk *desk, const char *path)
{
	return config_load(&desk->table, &desk->sample, path, desk->overrides, desk->override_count,
			   &desk->error);
}

static bool
load(struct desk *desk, const char *file)
{
	return load_path(desk, file ? write_file(desk, "conf", file) : NULL);
}

static void
must_load(struct desk *desk, const char *file)
{
	if (!load(desk, file))
		fail_msg("%s", desk->error.text);
}

/* The loading fails, says so in all those words, and leaves nothing behind. */
static void
check_refused(struct desk *desk, const char *file, const char *const *words)
{
	if (load(desk, file))
		fail_msg("taken: %s", file ? file : "");
	assert_int_equal(desk->error.kind, ERROR_BROKEN);
	assert_string_equal(desk->error.code, "config");
	for (; *words; words++)
		if (!strstr(desk->error.text, *words))
			fail_msg("not \"%s\" in: %s", *words, desk->error.text);
	assert_null(desk->sample.uri);
	assert_null(desk->sample.password);
	assert_int_equal(desk->sample.kafka.count, 0);
	error_clear(&desk->error);
}
#define REFUSED(desk, file, ...) check_refused(desk, file, (const char *const[]){__VA_ARGS__, NULL})

static void
defaults_stand_where_nothing_is_said(void **state)
{
	struct desk *desk = *state;

	must_load(desk, "database.uri = postgresql:///x\n");
	assert_string_equal(desk->sample.uri, "postgresql:///x");
	assert_string_equal(desk->sample.password, "");
	assert_int_equal(desk->sample.records, 500);
	assert_int_equal(desk->sample.poll, 5000000);
	assert_int_equal(desk->sample.size, 65536);
	assert_int_equal(desk->sample.level, 2);
	assert_true(desk->sample.tls);
	assert_string_equal(desk->sample.topics, "a,b");
	assert_string_equal(desk->sample.empty, "");
	assert_int_equal(desk->sample.free, -7);
	assert_int_equal(desk->sample.kafka.count, 0);
}

static void
a_file_is_lines_of_keys_and_values(void **state)
{
	struct desk *desk = *state;

	must_load(desk, "# a comment\n"
			"\n"
			"  database.uri=postgresql://h/d?a=b#c  \r\n"
			"\tbatch.max_records =  7\n"
			"  # another\n"
			"note = \"as it stands\" # no comment\n"
			"log.level = debug\n"
			"tls.required = false\n"
			"batch.max_bytes = 1MiB\n"
			"poll.interval = 1m30s");
	assert_string_equal(desk->sample.uri, "postgresql://h/d?a=b#c");
	assert_int_equal(desk->sample.records, 7);
	assert_string_equal(desk->sample.empty, "\"as it stands\" # no comment");
	assert_int_equal(desk->sample.level, 3);
	assert_false(desk->sample.tls);
	assert_int_equal(desk->sample.size, 1048576);
	assert_int_equal(desk->sample.poll, 90000000);
}

static void
flag_beats_environment_beats_file_beats_default(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_DATABASE_URI", "by environment", 1);
	setenv("COUNTERSIGN_BATCH_MAX_RECORDS", "2", 1);
	setenv("COUNTERSIGN_POLL_INTERVAL", "2s", 1);
	override(desk, "batch.max_records=3");
	must_load(desk, "database.uri = by file\nbatch.max_records = 1\nbatch.max_bytes = 2KiB\n");
	assert_string_equal(desk->sample.uri, "by environment");
	assert_int_equal(desk->sample.records, 3);
	assert_int_equal(desk->sample.poll, 2000000);
	assert_int_equal(desk->sample.size, 2048);
}

static void
no_file_is_needed(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_DATABASE_URI", "x", 1);
	must_load(desk, NULL);
	assert_string_equal(desk->sample.uri, "x");
}

static void
of_two_flags_the_last_one_counts(void **state)
{
	struct desk *desk = *state;

	override(desk, "database.uri=one");
	override(desk, "database.uri = two = three ");
	must_load(desk, NULL);
	assert_string_equal(desk->sample.uri, "two = three");
}

static void
a_secret_comes_from_a_file_without_its_line_end(void **state)
{
	struct desk *desk = *state;
	const char *path = write_file(desk, "secret", " pass word=#\r\n");

	must_load(desk, arena_format(desk->arena, "database.uri = x\ndatabase.password_file = %s\n", path));
	assert_string_equal(desk->sample.password, " pass word=#");
}

static void
a_secret_comes_from_the_environment_or_a_file_named_there(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_DATABASE_PASSWORD", "direct", 1);
	must_load(desk, "database.uri = x\ndatabase.password = weaker\n");
	assert_string_equal(desk->sample.password, "direct");
	config_free(&desk->table, &desk->sample);
	unsetenv("COUNTERSIGN_DATABASE_PASSWORD");
	setenv("COUNTERSIGN_DATABASE_PASSWORD_FILE", write_file(desk, "secret", "from a file\n"), 1);
	must_load(desk, "database.uri = x\n");
	assert_string_equal(desk->sample.password, "from a file");
}

static void
a_secret_is_not_given_on_the_command_line_but_its_file_is(void **state)
{
	struct desk *desk = *state;

	override(desk, "database.password=hunter2");
	REFUSED(desk, "database.uri = x\n", "command line", "database.password", "other users");
	desk->override_count = 0;
	override(desk, "kafka.sasl.password=hunter2");
	REFUSED(desk, "database.uri = x\n", "command line", "kafka.sasl.password", "other users");
	desk->override_count = 0;
	override(desk,
		 arena_format(desk->arena, "database.password_file=%s", write_file(desk, "secret", "s\n")));
	must_load(desk, "database.uri = x\n");
	assert_string_equal(desk->sample.password, "s");
}

static void
check_pair(const struct sample *sample, size_t i, const char *name, const char *value)
{
	assert_true(i < sample->kafka.count);
	assert_string_equal(sample->kafka.items[i].name, name);
	assert_string_equal(sample->kafka.items[i].value, value);
}

static void
pairs_are_handed_through_in_order_without_their_prefix(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_KAFKA_SECURITY_PROTOCOL", "sasl_ssl", 1);
	setenv("COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS", "stronger:9092", 1);
	override(desk, "kafka.client.id=me");
	must_load(desk, "kafka.bootstrap.servers = a:9092,b:9092\ndatabase.uri = x\nkafka.linger.ms = 5\n");
	assert_int_equal(desk->sample.kafka.count, 4);
	check_pair(&desk->sample, 0, "bootstrap.servers", "stronger:9092");
	check_pair(&desk->sample, 1, "linger.ms", "5");
	check_pair(&desk->sample, 2, "security.protocol", "sasl_ssl");
	check_pair(&desk->sample, 3, "client.id", "me");
}

static void
secret_pairs_come_from_files_too_and_other_pairs_do_not(void **state)
{
	struct desk *desk = *state;
	const char *path = write_file(desk, "secret", "line 1\nline 2\n");

	setenv("COUNTERSIGN_KAFKA_SASL_PASSWORD_FILE", path, 1);
	setenv("COUNTERSIGN_KAFKA_PRIVATE_KEY_FILE", "/a/path", 1);
	must_load(desk, arena_format(desk->arena, "database.uri = x\nkafka.ssl.key.pem_file = %s\n", path));
	assert_int_equal(desk->sample.kafka.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct config_pair *pair = &desk->sample.kafka.items[i];
		bool plain = strcmp(pair->name, "private.key.file") == 0;

		assert_true(plain || strcmp(pair->name, "sasl.password") == 0
			    || strcmp(pair->name, "ssl.key.pem") == 0);
		assert_string_equal(pair->value, plain ? "/a/path" : "line 1\nline 2");
	}
}

static void
unknown_keys_are_errors_with_a_suggestion(void **state)
{
	struct desk *desk = *state;

	REFUSED(desk, "database.uri = x\n\nbatch.max_record = 5\n",
		"conf:3: ", "batch.max_record: ", "unknown key", "did you mean batch.max_records?");
	REFUSED(desk, "databse.url = x\n", "conf:1: ", "databse.url", "did you mean database.uri?");
	REFUSED(desk, "LOG.LEVEL = info\n", "conf:1: ", "did you mean log.level?");
	REFUSED(desk, "poll_interval = 1s\n", "did you mean poll.interval?");
	override(desk, "tls.require=true");
	REFUSED(desk, "database.uri = x\n", "command line", "tls.require", "did you mean tls.required?");
}

static void
a_key_like_no_other_gets_no_suggestion(void **state)
{
	struct desk *desk = *state;

	assert_false(load(desk, "colour.of.the.sky = blue\n"));
	assert_non_null(strstr(desk->error.text, "conf:1: colour.of.the.sky: unknown key"));
	assert_null(strstr(desk->error.text, "did you mean"));
}

static void
a_mistyped_variable_is_an_error_and_a_foreign_one_is_not(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_RUN", "1", 1);
	setenv("COUNTERSIGN_CONFIG", "/etc/x", 1);
	setenv("COUNTERSIGN_RELAY_LEASE", "30s", 1);
	setenv("COUNTERSIGN_BATCH_MAX_ROUNDS", "9", 1);
	must_load(desk, "database.uri = x\n");
	config_free(&desk->table, &desk->sample);
	setenv("COUNTERSIGN_DATABASE_PASWORD", "x", 1);
	REFUSED(desk, "database.uri = x\n", "environment variable COUNTERSIGN_DATABASE_PASWORD",
		"did you mean COUNTERSIGN_DATABASE_PASSWORD?");
}

static void
a_missing_required_key_is_an_error(void **state)
{
	struct desk *desk = *state;

	REFUSED(desk, "note = x\n", "database.uri", "required");
	REFUSED(desk, NULL, "database.uri", "required");
	REFUSED(desk, "database.uri =\n", "conf:1: ", "database.uri", "empty");
	setenv("COUNTERSIGN_DATABASE_URI", "", 1);
	REFUSED(desk, "database.uri = x\n", "COUNTERSIGN_DATABASE_URI", "empty");
}

static void
a_key_set_twice_in_a_file_is_an_error(void **state)
{
	struct desk *desk = *state;
	const char *path = write_file(desk, "secret", "s\n");

	REFUSED(desk, "note = 1\nnote = 1\n", "conf:2: note: already set in ", "conf:1");
	REFUSED(desk, "kafka.a = 1\n#\nkafka.a = 2\n", "conf:3: kafka.a: already set in ", "conf:1");
	REFUSED(desk, arena_format(desk->arena, "database.password = s\ndatabase.password_file = %s\n", path),
		"conf:2: ", "database.password: already set in ");
}

static void
a_secret_given_twice_in_the_environment_is_an_error(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_DATABASE_PASSWORD", "s", 1);
	setenv("COUNTERSIGN_DATABASE_PASSWORD_FILE", write_file(desk, "secret", "s\n"), 1);
	REFUSED(desk, "database.uri = x\n", "database.password",
		"already set in environment variable COUNTERSIGN_DATABASE_PASSWORD");
}

static void
a_line_that_is_no_line_is_an_error(void **state)
{
	struct desk *desk = *state;

	REFUSED(desk, "database.uri = x\nnonsense\n", "conf:2: ", "key = value");
	REFUSED(desk, "= x\n", "conf:1: ", "key = value");
	override(desk, "note");
	REFUSED(desk, "database.uri = x\n", "command line", "key=value");
}

static void
a_file_that_cannot_be_read_is_an_error(void **state)
{
	struct desk *desk = *state;
	char *large = arena_take(desk->arena, 65600);

	assert_false(load_path(desk, path_of(desk, "missing")));
	assert_non_null(strstr(desk->error.text, "missing: No such file"));
	error_clear(&desk->error);
	assert_false(load_path(desk, desk->folder));
	assert_non_null(strstr(desk->error.text, "Is a directory"));
	error_clear(&desk->error);
	assert_false(load_path(desk, write_bytes(desk, "conf", "note = \0x\n", 10)));
	assert_non_null(strstr(desk->error.text, "conf: holds a NUL byte"));
	error_clear(&desk->error);
	memset(large, '#', 65537);
	REFUSED(desk, large, "conf: larger than 64 KiB");
	memset(large, '\0', 65600);
	memset(large, '#', 65536);
	memcpy(large, "database.uri = x\n", 17);
	must_load(desk, large);
}

static void
a_secret_file_that_cannot_be_used_is_an_error(void **state)
{
	struct desk *desk = *state;

	REFUSED(desk, "database.uri = x\ndatabase.password_file = /nowhere/s\n",
		"conf:2: ", "database.password", "/nowhere/s", "No such file");
	REFUSED(desk,
		arena_format(desk->arena, "database.password_file = %s\n", write_file(desk, "secret", "\n")),
		"conf:1: ", "secret: is empty");
	setenv("COUNTERSIGN_DATABASE_PASSWORD_FILE", "/nowhere/s", 1);
	REFUSED(desk, "database.uri = x\n", "environment variable COUNTERSIGN_DATABASE_PASSWORD_FILE",
		"/nowhere/s");
}

/* Name and value as a line, and what the error must say besides the place. */
static void
bad_values_are_errors_that_say_what_is_expected(void **state)
{
	static const struct {
		const char *line, *expected;
	} cases[] = {
	    {"batch.max_records = many", "must be a whole number from 1 to 10000"},
	    {"batch.max_records = 0", "must be a whole number from 1 to 10000"},
	    {"batch.max_records = 10001", "must be a whole number from 1 to 10000"},
	    {"batch.max_records = 1.5", "must be a whole number"},
	    {"batch.max_records = 0x10", "must be a whole number"},
	    {"batch.max_records = +5", "must be a whole number"},
	    {"batch.max_records = 5 5", "must be a whole number"},
	    {"batch.max_records =", "must be a whole number"},
	    {"free = 9999999999999999999", "must be a whole number"},
	    {"free = --1", "must be a whole number"},
	    {"poll.interval = 5", "must be a duration from 100ms to 1h"},
	    {"poll.interval = 99ms", "must be a duration from 100ms to 1h"},
	    {"poll.interval = 1h1us", "must be a duration from 100ms to 1h"},
	    {"poll.interval = soon", "must be a duration"},
	    {"poll.interval = -5s", "must be a duration"},
	    {"batch.max_bytes = 64KB", "must be a number of bytes from 1KiB to 1MiB"},
	    {"batch.max_bytes = 2MiB", "must be a number of bytes from 1KiB to 1MiB"},
	    {"batch.max_bytes = 64 KiB", "must be a number of bytes"},
	    {"batch.max_bytes = 17179869184GiB", "must be a number of bytes"},
	    {"log.level = verbose", "must be one of error|warn|info|debug"},
	    {"log.level = warn|info", "must be one of error|warn|info|debug"},
	    {"log.level = inf", "must be one of"},
	    {"log.level =", "must be one of"},
	    {"tls.required = yes", "must be true or false"},
	    {"tls.required = 1", "must be true or false"},
	    {"tls.required =", "must be true or false"},
	};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *key = arena_copy(desk->arena, cases[i].line, strcspn(cases[i].line, " "));

		REFUSED(desk, arena_format(desk->arena, "database.uri = x\n%s\n", cases[i].line),
			"conf:2: ", key, cases[i].expected);
	}
}

static void
an_error_never_repeats_a_value(void **state)
{
	struct desk *desk = *state;

	assert_false(load(desk, "batch.max_records = hunter2\n"));
	assert_null(strstr(desk->error.text, "hunter2"));
	assert_string_equal(desk->error.field, "batch.max_records");
}

static void
durations_are_read_largest_unit_first(void **state)
{
	static const struct {
		const char *text;
		int64_t microseconds;
	} cases[] = {
	    {"1us", 1},
	    {"200ms", 200000},
	    {"5s", 5000000},
	    {"15m", 900000000},
	    {"1h30m", 5400000000},
	    {"7d", 604800000000},
	    {"1d2h3m4s5ms6us", 93784005006},
	    {"0s", 0},
	    {"90s", 90000000},
	    {"106751991d", 9223372022400000000},
	};
	int64_t microseconds;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(config_duration_parse(cases[i].text, &microseconds));
		assert_true(microseconds == cases[i].microseconds);
	}
}

static void
other_texts_are_no_durations(void **state)
{
	static const char *const texts[] = {"",
					    "5",
					    "s",
					    "5 s",
					    " 5s",
					    "5s ",
					    "1.5h",
					    "-1s",
					    "+1s",
					    "5S",
					    "5sec",
					    "30m1h",
					    "1s1s",
					    "1h30",
					    "5min",
					    "106751992d",
					    "106751991d24h",
					    "9999999999999999999s",
					    "1000000000000000000s",
					    "0x5s"};
	int64_t microseconds;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (config_duration_parse(texts[i], &microseconds))
			fail_msg("taken: \"%s\"", texts[i]);
}

/* What the function prints into a file. */
static const char *
printed(struct desk *desk, bool sample)
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	const char *text;

	if (sample)
		config_print_sample(&desk->table, out);
	else
		config_print(&desk->table, &desk->sample, out);
	fclose(out);
	text = arena_copy(desk->arena, bytes, length);
	free(bytes);
	return text;
}

static void
the_sample_explains_every_key(void **state)
{
	static const char *const parts[] = {
	    "\n# Where PostgreSQL is.\n# a text; required\n#database.uri =\n",
	    "\n# What to say to it.\n# a secret, or database.password_file names a file that holds it; "
	    "default empty\n"
	    "#database.password =\n",
	    "\n# Records in a batch.\n# a whole number from 1 to 10000; default 500\n#batch.max_records = "
	    "500\n",
	    "\n# How often to look.\n# a duration from 100ms to 1h; default 5s\n#poll.interval = 5s\n",
	    "\n# Bytes in a batch.\n# a number of bytes from 1KiB to 1MiB; default 64KiB\n#batch.max_bytes = "
	    "64KiB\n",
	    "\n# What is written.\n# one of error|warn|info|debug; default info\n#log.level = info\n",
	    "\n# Whether to insist.\n# true or false; default true\n#tls.required = true\n",
	    "\n# What to read.\n# a comma-separated list; default a,b\n#topics = a,b\n",
	    "\n# Any number.\n# a whole number; default -7\n#free = -7\n",
	    "\n# Whom to ask.\n# a comma-separated list; required\n#kafka.bootstrap.servers =\n",
	    "begins with kafka.",
	};
	const char *text = printed(*state, true);

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strstr(text, parts[i]))
			fail_msg("not there: %s\nin: %s", parts[i], text);
}

static void
the_sample_is_a_file_of_comments(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_DATABASE_URI", "x", 1);
	must_load(desk, printed(desk, true));
	assert_int_equal(desk->sample.records, 500);
}

/* The sample with its keys put in force means the defaults. */
static void
the_sample_uncommented_says_the_defaults(void **state)
{
	struct desk *desk = *state;
	struct buffer file = {.arena = desk->arena};
	const char *text = printed(desk, true);

	for (; *text; text += strcspn(text, "\n") + 1)
		if (text[0] == '#' && text[1] != ' ')
			buffer_add(&file, text + 1, strcspn(text, "\n"));
	override(desk, "database.uri=x");
	must_load(desk, file.bytes);
	assert_int_equal(desk->sample.poll, 5000000);
	assert_int_equal(desk->sample.level, 2);
	assert_string_equal(desk->sample.topics, "a,b");
}

static void
effective_values_are_shown_without_their_secrets(void **state)
{
	struct desk *desk = *state;

	must_load(desk, "database.uri = postgresql://user:hunter2@host/db?sslmode=require\n"
			"database.password = hunter2\n"
			"poll.interval = 90s\n"
			"batch.max_bytes = 1000000\n"
			"log.level = error\n"
			"note = host=h password=hunter2\n"
			"kafka.sasl.password = hunter2\n"
			"kafka.linger.ms = 5\n");
	assert_string_equal(printed(desk, false),
			    "database.uri = postgresql://user:(hidden)@host/db?sslmode=require\n"
			    "database.password = (hidden)\n"
			    "batch.max_records = 500\n"
			    "poll.interval = 1m30s\n"
			    "batch.max_bytes = 1000000\n"
			    "log.level = error\n"
			    "tls.required = true\n"
			    "topics = a,b\n"
			    "note = host=h password=(hidden)\n"
			    "free = -7\n"
			    "kafka.sasl.password = (hidden)\n"
			    "kafka.linger.ms = 5\n");
}

static void
passwords_in_connection_strings_are_hidden_wherever_they_stand(void **state)
{
	static const struct {
		const char *value, *shown;
	} cases[] = {
	    {"postgresql://host/db", "postgresql://host/db"},
	    {"postgresql://user@host:5432/db", "postgresql://user@host:5432/db"},
	    {"postgresql://u:p@ss:w/rd@host/db", "postgresql://u:(hidden)@host/db"},
	    {"postgresql://host/db?user=u&password=hunter2&x=y",
	     "postgresql://host/db?user=u&password=(hidden)"},
	    {"postgresql://u:hunter2@h/d?sslpassword=hunter2",
	     "postgresql://u:(hidden)@h/d?sslpassword=(hidden)"},
	    {"host=h PASSWORD = 'hunter2 x' dbname=d", "host=h PASSWORD =(hidden)"},
	    {"plain", "plain"},
	};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		must_load(desk, arena_format(desk->arena, "database.uri = %s\n", cases[i].value));
		if (!strstr(printed(desk, false),
			    arena_format(desk->arena, "database.uri = %s\n", cases[i].shown)))
			fail_msg("%s", printed(desk, false));
		config_free(&desk->table, &desk->sample);
	}
}

static void
a_value_prints_no_line_of_its_own(void **state)
{
	struct desk *desk = *state;

	setenv("COUNTERSIGN_DATABASE_URI", "x\nlog.level = debug\x1b[0m", 1);
	must_load(desk, NULL);
	assert_non_null(strstr(printed(desk, false), "database.uri = x?log.level = debug?[0m\n"));
}

static void
a_table_may_hand_nothing_through(void **state)
{
	struct desk *desk = *state;

	desk->table.through_prefix = NULL;
	desk->table.through = NULL;
	REFUSED(desk, "database.uri = x\nkafka.a = b\n", "conf:2: kafka.a: unknown key");
	setenv("COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS", "b:9092", 1);
	must_load(desk, "database.uri = x\n");
	assert_null(strstr(printed(desk, true), "kafka"));
	assert_null(strstr(printed(desk, false), "kafka"));
}

static void
what_was_freed_can_be_loaded_again(void **state)
{
	struct desk *desk = *state;

	for (int i = 0; i < 3; i++) {
		must_load(desk, "database.uri = x\nkafka.a = b\n");
		assert_int_equal(desk->sample.kafka.count, 1);
		config_free(&desk->table, &desk->sample);
		assert_null(desk->sample.uri);
		assert_int_equal(desk->sample.kafka.count, 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_desk, close_desk)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(defaults_stand_where_nothing_is_said),
	    TEST(a_file_is_lines_of_keys_and_values),
	    TEST(flag_beats_environment_beats_file_beats_default),
	    TEST(no_file_is_needed),
	    TEST(of_two_flags_the_last_one_counts),
	    TEST(a_secret_comes_from_a_file_without_its_line_end),
	    TEST(a_secret_comes_from_the_environment_or_a_file_named_there),
	    TEST(a_secret_is_not_given_on_the_command_line_but_its_file_is),
	    TEST(pairs_are_handed_through_in_order_without_their_prefix),
	    TEST(secret_pairs_come_from_files_too_and_other_pairs_do_not),
	    TEST(unknown_keys_are_errors_with_a_suggestion),
	    TEST(a_key_like_no_other_gets_no_suggestion),
	    TEST(a_mistyped_variable_is_an_error_and_a_foreign_one_is_not),
	    TEST(a_missing_required_key_is_an_error),
	    TEST(a_key_set_twice_in_a_file_is_an_error),
	    TEST(a_secret_given_twice_in_the_environment_is_an_error),
	    TEST(a_line_that_is_no_line_is_an_error),
	    TEST(a_file_that_cannot_be_read_is_an_error),
	    TEST(a_secret_file_that_cannot_be_used_is_an_error),
	    TEST(bad_values_are_errors_that_say_what_is_expected),
	    TEST(an_error_never_repeats_a_value),
	    TEST(durations_are_read_largest_unit_first),
	    TEST(other_texts_are_no_durations),
	    TEST(the_sample_explains_every_key),
	    TEST(the_sample_is_a_file_of_comments),
	    TEST(the_sample_uncommented_says_the_defaults),
	    TEST(effective_values_are_shown_without_their_secrets),
	    TEST(passwords_in_connection_strings_are_hidden_wherever_they_stand),
	    TEST(a_value_prints_no_line_of_its_own),
	    TEST(a_table_may_hand_nothing_through),
	    TEST(what_was_freed_can_be_loaded_again),
	};
	struct arena *arena = arena_open();

	clean_environment(arena); /* of the caller's own settings */
	arena_close(arena);
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
