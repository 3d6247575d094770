/* SPDX-License-Identifier: Apache-2.0 */
/* test_targets.c - the targets file: what is taken, and that every mistake names its place. */
#include "services/notifier/targets.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char folder[32], secret[64], open_secret[64], bad_secret[64];
static const struct targets_rules rules = {.ports = "443,8443"};

static void
write_file(char path[64], const char *name, const char *text, mode_t mode)
{
	FILE *file;

	snprintf(path, 64, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static int
make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/countersign-XXXXXX");
	assert_non_null(mkdtemp(folder));
	write_file(secret, "secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", 0600);
	write_file(open_secret, "open", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", 0644);
	write_file(bad_secret, "bad", "password\n", 0600);
	return 0;
}

static int
remove_folder(void **state)
{
	(void)state;
	unlink(secret);
	unlink(open_secret);
	unlink(bad_secret);
	rmdir(folder);
	return 0;
}

/* The text with SECRET, OPEN and BAD replaced by the files. */
static bool
parse(const char *text, struct targets *targets, struct error *error)
{
	static const char *const names[] = {"SECRET", "OPEN", "BAD"};
	const char *const paths[] = {secret, open_secret, bad_secret};
	struct arena *arena = arena_open();
	struct buffer out = {.arena = arena};
	bool ok;

	while (*text != '\0') {
		size_t i = 0;

		while (i < 3 && strncmp(text, names[i], strlen(names[i])) != 0)
			i++;
		if (i < 3) {
			buffer_add_text(&out, paths[i]);
			text += strlen(names[i]);
		} else {
			buffer_add_byte(&out, *text++);
		}
	}
	ok = targets_parse("targets.json", out.bytes, out.length, &rules, targets, error);
	arena_close(arena);
	return ok;
}

static void
all_that_a_target_can_say_is_taken(void **state)
{
	struct targets targets;
	struct error error = {0};

	(void)state;
	if (!parse("{\"targets\":[{\"name\":\"bot-1\",\"channel\":\"webhook\",\"url\":\"https://"
		   "example.org:8443/x\","
		   "\"secret_file\":\"SECRET\",\"ca_file\":\"SECRET\",\"groups\":[\"a\",\"b\"],\"tenants\":["
		   "\"t\"],"
		   "\"events\":[\"changed\"],\"allow_http\":false},"
		   "{\"name\":\"pager\",\"channel\":\"command\",\"argv\":[\"/bin/true\",\"\"]},"
		   "{\"name\":\"log\",\"channel\":\"log\",\"events\":[\"opened\",\"closed\",\"changed\","
		   "\"outcome\"]}]}",
		   &targets, &error))
		fail_msg("%s", error.text);
	assert_int_equal(targets.count, 3);
	assert_string_equal(targets.items[0].url.host, "example.org");
	assert_int_equal(targets.items[0].secrets.count, 1);
	assert_string_equal(targets.items[0].ca_file, secret);
	assert_int_equal(targets.items[0].events, TARGET_CHANGED);
	assert_int_equal(targets.items[1].events, TARGET_OPENED | TARGET_CLOSED | TARGET_OUTCOME);
	assert_string_equal(targets.items[1].argv[1], "");
	assert_null(targets.items[1].argv[2]);
	assert_int_equal(targets.items[2].events,
			 TARGET_OPENED | TARGET_CHANGED | TARGET_CLOSED | TARGET_OUTCOME);
	assert_int_equal(targets_find(&targets, "command", "pager"), 1);
	assert_int_equal(targets_find(&targets, "webhook", "pager"), -1);
	assert_int_equal(targets_find(&targets, "log", "pager"), -1);
	targets_close(&targets);
}

static void
a_target_hears_of_what_it_asked_for(void **state)
{
	static const char *const groups[] = {"release-managers", "security", NULL};
	static const char *const tenants[] = {"default", NULL};
	const char *const asked[] = {"finance", "security"}, *const others[] = {"finance"};
	struct target target = {.events = TARGET_OPENED | TARGET_CLOSED};

	(void)state;
	assert_true(targets_wants(&target, "any", others, 1, TARGET_OPENED));
	assert_true(targets_wants(&target, "any", NULL, 0, TARGET_CLOSED));
	assert_false(targets_wants(&target, "any", others, 1, TARGET_CHANGED));
	target.groups = groups;
	assert_true(targets_wants(&target, "any", asked, 2, TARGET_OPENED));
	assert_false(targets_wants(&target, "any", others, 1, TARGET_OPENED));
	assert_false(targets_wants(&target, "any", NULL, 0, TARGET_OPENED));
	target.tenants = tenants;
	assert_true(targets_wants(&target, "default", asked, 2, TARGET_OPENED));
	assert_false(targets_wants(&target, "defaul", asked, 2, TARGET_OPENED));
}

#define ONE(members) "{\"targets\":[{" members "}]}"
#define HOOK(members)                                                                                        \
	ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org/"                          \
	    "\",\"secret_file\":\"SECRET\"" members)

static const struct mistake {
	const char *text, *field, *says;
} mistakes[] = {
    {"", "", "targets.json: "},
    {"[]", "", "must be an object"},
    {"{}", "targets", "must be a list"},
    {"{\"targets\":{}}", "targets", "must be a list"},
    {"{\"targets\":[],\"target\":[]}", "target", "there is no such member"},
    {"{\"targets\":[],\"targets\":[]}", "targets", "not taken"},
    {"{\"targets\":[1]}", "targets[0]", "must be an object"},
    {ONE("\"name\":\"a\""), "targets[0].channel", "is missing"},
    {ONE("\"channel\":\"log\""), "targets[0].name", "is missing"},
    {ONE("\"name\":\"a\",\"channel\":\"slack\""), "targets[0].channel", "webhook, command or log"},
    {ONE("\"name\":\"a\",\"channel\":1"), "targets[0].channel", "must be a string"},
    {ONE("\"name\":\"A\",\"channel\":\"log\""), "targets[0].name", "a-z, 0-9 and -"},
    {ONE("\"name\":\"\",\"channel\":\"log\""), "targets[0].name", "not empty"},
    {ONE("\"name\":\"a\",\"channel\":\"log\",\"url\":\"x\""), "targets[0].url", "no such member"},
    {ONE("\"name\":\"a\",\"channel\":\"log\",\"group\":[\"x\"]"), "targets[0].group", "no such member"},
    {ONE("\"name\":\"a\",\"channel\":\"log\",\"groups\":[]"), "targets[0].groups", "not empty"},
    {ONE("\"name\":\"a\",\"channel\":\"log\",\"groups\":\"x\""), "targets[0].groups", "list of strings"},
    {ONE("\"name\":\"a\",\"channel\":\"log\",\"tenants\":[1]"), "targets[0].tenants", "list of strings"},
    {ONE("\"name\":\"a\",\"channel\":\"log\",\"events\":[\"open\"]"), "targets[0].events",
     "opened, changed, closed or outcome"},
    {"{\"targets\":[{\"name\":\"a\",\"channel\":\"log\"},{\"name\":\"a\",\"channel\":\"log\"}]}",
     "targets[1].name", "another target has it"},
    {ONE("\"name\":\"a\",\"channel\":\"command\""), "targets[0].argv", "is missing"},
    {ONE("\"name\":\"a\",\"channel\":\"command\",\"argv\":[]"), "targets[0].argv", "not empty"},
    {ONE("\"name\":\"a\",\"channel\":\"command\",\"argv\":[\"\"]"), "targets[0].argv", "not empty"},
    {ONE("\"name\":\"a\",\"channel\":\"command\",\"argv\":[\"page\"]"), "targets[0].argv", "absolute path"},
    {ONE("\"name\":\"a\",\"channel\":\"command\",\"argv\":[\"/bin/true\"],\"secret_file\":\"SECRET\""),
     "targets[0].secret_file", "no such member"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"secret_file\":\"SECRET\""), "targets[0].url", "is missing"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org/\""), "targets[0].secret_file",
     "is missing"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"http://example.org/\",\"secret_file\":\"SECRET\""),
     "targets[0].url", "must begin with https://"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org:444/"
	 "\",\"secret_file\":\"SECRET\""),
     "targets[0].url", "port 444 is not among webhook.ports"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"http://example.org/"
	 "\",\"allow_http\":true,\"secret_file\":\"SECRET\""),
     "targets[0].url", "port 80"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://a:b@example.org/"
	 "\",\"secret_file\":\"SECRET\""),
     "targets[0].url", "use a secret_file"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org/\",\"secret_file\":\"OPEN\""),
     "targets[0].secret_file", "chmod 600"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org/\",\"secret_file\":\"BAD\""),
     "targets[0].secret_file", "whsec_"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org/\",\"secret_file\":\"/"
	 "nowhere\""),
     "targets[0].secret_file", "No such file"},
    {ONE("\"name\":\"a\",\"channel\":\"webhook\",\"url\":\"https://example.org/\",\"secret_file\":\"/dev/"
	 "null\""),
     "targets[0].secret_file", "not a regular file"},
    {HOOK(",\"allow_http\":1"), "targets[0].allow_http", "true or false"},
    {HOOK(",\"ca_file\":\"/nowhere\""), "targets[0].ca_file", "No such file"},
    {HOOK(",\"secret\":\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\""), "targets[0].secret", "no such member"},
};

static void
every_mistake_names_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		const struct mistake *mistake = &mistakes[i];
		struct targets targets;
		struct error error = {0};

		if (parse(mistake->text, &targets, &error))
			fail_msg("%s was taken", mistake->text);
		assert_int_equal(error.kind, ERROR_BROKEN);
		assert_string_equal(error.code, "targets_file");
		if (strcmp(error.field, mistake->field) != 0 || !strstr(error.text, mistake->says)
		    || strncmp(error.text, "targets.json: ", 14) != 0)
			fail_msg("%s\n%s\n%s", mistake->text, error.field, error.text);
		assert_null(strstr(error.text, "MfKQ"));
		assert_null(targets.arena);
	}
}

static void
too_many_targets_are_refused(void **state)
{
	struct arena *arena = arena_open();
	struct buffer text = {.arena = arena};
	struct targets targets;
	struct error error = {0};

	(void)state;
	buffer_add_text(&text, "{\"targets\":[");
	for (int i = 0; i <= TARGETS_MAX; i++)
		buffer_add_format(&text, "%s{\"name\":\"t%d\",\"channel\":\"log\"}", i > 0 ? "," : "", i);
	buffer_add_text(&text, "]}");
	assert_false(parse(text.bytes, &targets, &error));
	assert_string_equal(error.field, "targets");
	arena_close(arena);
}

static void
a_file_that_is_not_there_is_named(void **state)
{
	struct targets targets;
	struct error error = {0};

	(void)state;
	assert_false(targets_load("/nowhere/targets.json", &rules, &targets, &error));
	assert_non_null(strstr(error.text, "/nowhere/targets.json: No such file"));
}

static void
the_sample_is_taken_but_for_its_secret(void **state)
{
	struct targets targets;
	struct error error = {0};

	(void)state;
	assert_false(targets_load("deploy/notifier.targets.json", &rules, &targets, &error));
	assert_string_equal(error.field, "targets[0].secret_file");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_that_a_target_can_say_is_taken),
	    cmocka_unit_test(a_target_hears_of_what_it_asked_for),
	    cmocka_unit_test(every_mistake_names_its_place),
	    cmocka_unit_test(too_many_targets_are_refused),
	    cmocka_unit_test(a_file_that_is_not_there_is_named),
	    cmocka_unit_test(the_sample_is_taken_but_for_its_secret),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
