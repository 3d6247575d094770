/* SPDX-License-Identifier: Apache-2.0 */
/* test_options.c - the command line of a service, and its one table of keys out of the skeleton's and its own. */
#include "common/service/service_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct sample {
	struct service_config common;
	int64_t own;
	struct service_signing_config signing;
	struct service_batch_config batch;
};

static const struct config_key own_keys[] = {
    {.name = "sample.own",
     .type = CONFIG_INTEGER,
     .offset = offsetof(struct sample, own),
     .fallback = "3",
     .sentence = "A number of its own."},
    {.name = NULL},
};
static const struct config_key *const lists[] = {service_keys, own_keys, NULL};
static const struct config_table table = {.key_lists = lists};
static const struct service sample = {
    .name = "sample",
    .purpose = "is a sample",
    .input = "requests",
    .table = &table,
    .config_size = sizeof(struct sample),
    .batch_config_offset = offsetof(struct sample, batch),
    .signing_config_offset = offsetof(struct sample, signing),
};

/* ------------------------------------------------------------------ options */

static bool
parse(struct service_options *options, struct error *error, int argc, const char *const *words)
{
	char *argv[16];

	for (int i = 0; i < argc; i++)
		argv[i] = (char *)(uintptr_t)words[i];
	argv[argc] = NULL;
	return service_options_parse(argc, argv, options, error);
}

static void
a_file_and_keys_are_taken_in_order(void **state)
{
	const char *const words[] = {"sample", "--config", "/etc/a.conf", "--set", "a=1", "--set=b=2"};
	struct service_options options;
	struct error error = {0};

	(void)state;
	assert_true(parse(&options, &error, 6, words));
	assert_int_equal(options.mode, SERVICE_RUN);
	assert_string_equal(options.config_path, "/etc/a.conf");
	assert_int_equal(options.override_count, 2);
	assert_string_equal(options.overrides[0], "a=1");
	assert_string_equal(options.overrides[1], "b=2");
	free(options.overrides);
}

static void
each_mode_has_its_option(void **state)
{
	static const struct {
		const char *word;
		enum service_mode mode;
	} cases[] = {
	    {"--check-config", SERVICE_CHECK_CONFIG},
	    {"--print-config", SERVICE_PRINT_CONFIG},
	    {"--print-effective-config", SERVICE_PRINT_EFFECTIVE_CONFIG},
	    {"--version", SERVICE_VERSION},
	    {"--help", SERVICE_HELP},
	    {"-h", SERVICE_HELP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const words[] = {"sample", cases[i].word};
		struct service_options options;
		struct error error = {0};

		assert_true(parse(&options, &error, 2, words));
		assert_int_equal(options.mode, cases[i].mode);
		free(options.overrides);
	}
}

static void
a_wrong_line_is_refused(void **state)
{
	static const char *const cases[][4] = {
	    {"sample", "--nothing"},
	    {"sample", "--config"},
	    {"sample", "--set"},
	    {"sample", "-o", "a=1"}, /* the form of an output at the command line, nothing here */
	    {"sample", "argument"},
	    {"sample", "--help", "argument"},
	    {"sample", "--check-config", "--version"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct service_options options;
		struct error error = {0};
		int argc = 0;

		while (argc < 4 && cases[i][argc])
			argc++;
		assert_false(parse(&options, &error, argc, cases[i]));
		assert_int_equal(error.kind, ERROR_INVALID);
		assert_string_equal(error.code, "usage");
		free(options.overrides);
	}
}

/* ------------------------------------------------------------------ keys */

static void
keys_of_the_skeleton_land_where_the_service_keeps_them(void **state)
{
	const char *const overrides[] = {"batch.max_records=7", "signing.key_file=/k.pem",
					 "kafka.bootstrap.servers=b:9092", "sample.own=4", "topics.prefix=x."};
	struct sample config = {0};
	struct service_table all;
	struct error error = {0};

	(void)state;
	service_table_open(&all, &sample, &config);
	assert_true(config_load(&all.table, &config, NULL, overrides, 5, &error));
	assert_int_equal(config.batch.max_records, 7);
	assert_int_equal(config.batch.max_bytes, 1024 * 1024);
	assert_int_equal(config.batch.quarantine_keep, INT64_C(7) * 86400 * 1000000);
	assert_string_equal(config.signing.key_file, "/k.pem");
	assert_string_equal(config.signing.issuer, "countersign");
	assert_int_equal(config.own, 4);
	assert_string_equal(config.common.topics_prefix, "x.");
	assert_int_equal(config.common.log_level, LOG_INFO);
	assert_int_equal(config.common.kafka.count, 1);
	assert_string_equal(config.common.kafka.items[0].name, "bootstrap.servers");
	assert_true(service_config_check(&config.common, &error));
	config_free(&all.table, &config);
	service_table_close(&all);
}

static void
what_has_no_batches_has_no_keys_for_them(void **state)
{
	const char *const overrides[] = {"batch.max_records=7"};
	const struct service relay = {.name = "sample", .table = &table, .config_size = sizeof(struct sample)};
	struct sample config = {0};
	struct service_table all;
	struct error error = {0};

	(void)state;
	service_table_open(&all, &relay, &config);
	assert_false(config_load(&all.table, &config, NULL, overrides, 1, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	config_free(&all.table, &config);
	service_table_close(&all);
}

static void
prefixes_and_addresses_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *prefix, *address;
		bool good;
	} cases[] = {
	    {"countersign.", "127.0.0.1", true},
	    {"", "::1", true},
	    {"a-b.C9.", "0.0.0.0", true},
	    {"with_underscore.", "127.0.0.1", false},
	    {"with space", "127.0.0.1", false},
	    {"a.", "localhost", false},
	    {"a.", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct service_config config = {.topics_prefix = (char *)(uintptr_t)cases[i].prefix,
						.monitor_address = (char *)(uintptr_t)cases[i].address};
		struct error error = {0};

		assert_int_equal(service_config_check(&config, &error), cases[i].good);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_file_and_keys_are_taken_in_order),
	    cmocka_unit_test(each_mode_has_its_option),
	    cmocka_unit_test(a_wrong_line_is_refused),
	    cmocka_unit_test(keys_of_the_skeleton_land_where_the_service_keeps_them),
	    cmocka_unit_test(what_has_no_batches_has_no_keys_for_them),
	    cmocka_unit_test(prefixes_and_addresses_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
