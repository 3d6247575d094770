/* SPDX-License-Identifier: Apache-2.0 */
/* test_options.c - which kafka.* keys go through: a provider's settings do, what the guarantees rest on does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/bus/bus.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct log quiet = {.level = LOG_ERROR, .service = "test"};

/* The brokers and one more key. */
static bool
check(const char *name, const char *value, struct error *error)
{
	struct config_pair pairs[] = {
	    {.name = (char *)(uintptr_t)"bootstrap.servers", .value = (char *)(uintptr_t)"127.0.0.1:9092"},
	    {.name = (char *)(uintptr_t)name, .value = (char *)(uintptr_t)value},
	};
	struct config_pairs through = {pairs, 2};
	struct bus_options options = {.through = &through, .client_id = "test", .log = &quiet};

	error_clear(error);
	return bus_options_check(&options, error);
}

struct pair {
	const char *name, *value;
};

static void
what_the_guarantees_rest_on_is_refused_with_the_reason(void **state)
{
	static const struct pair refused[] = {
	    {"enable.auto.commit", "true"},
	    {"auto.commit.enable", "true"},
	    {"auto.commit.interval.ms", "1000"},
	    {"enable.auto.offset.store", "true"},
	    {"offset.store.method", "broker"},
	    {"auto.offset.reset", "latest"},
	    {"enable.partition.eof", "true"},
	    {"isolation.level", "read_uncommitted"},
	    {"check.crcs", "false"},
	    {"topic.blacklist", ".*"},
	    {"group.id", "mine"},
	    {"group.protocol", "consumer"},
	    {"group.protocol.type", "x"},
	    {"group.remote.assignor", "uniform"},
	    {"partition.assignment.strategy", "cooperative-sticky"},
	    {"enable.idempotence", "false"},
	    {"enable.gapless.guarantee", "false"},
	    {"acks", "1"},
	    {"request.required.acks", "0"},
	    {"max.in.flight", "100"},
	    {"max.in.flight.requests.per.connection", "100"},
	    {"retries", "0"},
	    {"message.send.max.retries", "0"},
	    {"queuing.strategy", "lifo"},
	    {"message.timeout.ms", "0"},
	    {"delivery.timeout.ms", "0"},
	    {"transactional.id", "t"},
	    {"transaction.timeout.ms", "1000"},
	    {"delivery.report.only.error", "true"},
	    {"partitioner", "random"},
	    {"allow.auto.create.topics", "true"},
	    {"api.version.request", "false"},
	    {"log.queue", "true"},
	    {"enabled_events", "255"},
	    {"plugin.library.paths", "/tmp/x.so"},
	    {"test.mock.num.brokers", "3"},
	    {"ut_handle_ProduceResponse", "x"},
	};
	struct error error = {0};

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		assert_false(check(refused[i].name, refused[i].value, &error));
		assert_int_equal(error.kind, ERROR_BROKEN);
		assert_string_equal(error.code, "config");
		assert_string_equal(error.field + strlen("kafka."), refused[i].name);
		assert_non_null(strstr(error.text, " can not be set: "));
	}
}

static void
what_a_provider_asks_for_goes_through(void **state)
{
	static const struct pair passed[] = {
	    {"security.protocol", "sasl_ssl"},
	    {"sasl.mechanisms", "SCRAM-SHA-512"},
	    {"sasl.username", "u"},
	    {"sasl.password", "p"},
	    {"ssl.ca.location", "/etc/ca.pem"},
	    {"client.rack", "a"},
	    {"session.timeout.ms", "10000"},
	    {"max.poll.interval.ms", "600000"},
	    {"linger.ms", "20"},
	    {"compression.type", "lz4"},
	    {"client.id", "x"},
	    {"group.instance.id", "i"},
	    {"debug", "cgrp"},
	    {"statistics.interval.ms", "1000"},
	    {NULL, NULL},
	};
	struct error error = {0};

	(void)state;
	for (size_t i = 0; passed[i].value; i++)
		if (!check(passed[i].name, passed[i].value, &error))
			fail_msg("%s: %s", passed[i].name, error.text);
}

static void
an_unknown_key_is_named(void **state)
{
	struct error error = {0};

	(void)state;
	assert_false(check("bootstrap.server", "x", &error));
	assert_string_equal(error.code, "config");
	assert_string_equal(error.field, "kafka.bootstrap.server");
	assert_non_null(strstr(error.text, "\"bootstrap.server\""));
}

/* It may be a secret in the wrong line. */
static void
a_value_that_is_not_taken_is_not_repeated(void **state)
{
	struct error error = {0};

	(void)state;
	assert_false(check("security.protocol", "hunter2", &error));
	assert_string_equal(error.field, "kafka.security.protocol");
	assert_null(strstr(error.text, "hunter2"));
	assert_false(check("session.timeout.ms", "hunter2", &error));
	assert_null(strstr(error.text, "hunter2"));
}

static void
brokers_are_needed(void **state)
{
	struct config_pair pair = {.name = (char *)(uintptr_t)"client.rack", .value = (char *)(uintptr_t)"a"};
	struct config_pairs through = {&pair, 1};
	struct bus_options options = {.through = &through, .client_id = "test", .log = &quiet};
	struct error error = {0};

	(void)state;
	assert_false(bus_options_check(&options, &error));
	assert_string_equal(error.field, "kafka.bootstrap.servers");
	assert_false(check("bootstrap.servers", "", &error)); /* the last one counts */
	assert_string_equal(error.field, "kafka.bootstrap.servers");
}

static void
no_client_is_made_from_refused_options(void **state)
{
	struct config_pair pairs[] = {
	    {.name = (char *)(uintptr_t)"bootstrap.servers", .value = (char *)(uintptr_t)"127.0.0.1:1"},
	    {.name = (char *)(uintptr_t)"acks", .value = (char *)(uintptr_t)"0"},
	};
	struct config_pairs through = {pairs, 2};
	struct bus_options options = {.through = &through, .client_id = "test", .log = &quiet};
	struct error error = {0};

	(void)state;
	assert_null(bus_producer_open(&options, 30000000, &error));
	assert_string_equal(error.field, "kafka.acks");
	error_clear(&error);
	assert_null(bus_consumer_open(&options, "g", "t", &error));
	assert_string_equal(error.field, "kafka.acks");
	error_clear(&error);
	assert_null(bus_admin_open(&options, &error));
	assert_string_equal(error.field, "kafka.acks");
}

static void
settings_that_do_not_go_together_are_said_at_the_opening(void **state)
{
	struct config_pair pairs[] = {
	    {.name = (char *)(uintptr_t)"bootstrap.servers", .value = (char *)(uintptr_t)"127.0.0.1:1"},
	    {.name = (char *)(uintptr_t)"session.timeout.ms", .value = (char *)(uintptr_t)"60000"},
	    {.name = (char *)(uintptr_t)"max.poll.interval.ms", .value = (char *)(uintptr_t)"10000"},
	};
	struct config_pairs through = {pairs, 3};
	struct bus_options options = {.through = &through, .client_id = "test", .log = &quiet};
	struct error error = {0};

	(void)state;
	assert_null(bus_consumer_open(&options, "g", "t", &error));
	assert_string_equal(error.code, "config");
	error_clear(&error);
	through.count = 1;
	assert_null(bus_producer_open(&options, 1000, &error)); /* a lease of a millisecond */
	assert_string_equal(error.code, "config");
}

/* Everything that is written to stderr while a client with these keys is open, at the most talkative. */
static void
capture(const struct config_pairs *through, char *text, size_t size)
{
	static const struct log talkative = {.level = LOG_DEBUG, .service = "test"};
	struct bus_options options = {.through = through, .client_id = "test", .log = &talkative};
	struct error error = {0};
	int before = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	struct bus_consumer *consumer;
	struct bus_poll poll;
	size_t length;

	dup2(fileno(file), STDERR_FILENO);
	consumer = bus_consumer_open(&options, "g", "t", &error);
	if (consumer)
		bus_poll(consumer, 200000, &poll);
	bus_consumer_close(consumer, 5000000);
	dup2(before, STDERR_FILENO);
	close(before);
	if (!consumer)
		fail_msg("%s", error.text);
	rewind(file);
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
}

static void
secrets_are_never_logged(void **state)
{
	enum { TEXT_SIZE = 1 << 20 };
	struct config_pair pairs[] = {
	    {.name = (char *)(uintptr_t)"bootstrap.servers", .value = (char *)(uintptr_t)"127.0.0.1:1"},
	    {.name = (char *)(uintptr_t)"debug", .value = (char *)(uintptr_t)"all"},
	    {.name = (char *)(uintptr_t)"security.protocol", .value = (char *)(uintptr_t)"sasl_plaintext"},
	    {.name = (char *)(uintptr_t)"sasl.mechanisms", .value = (char *)(uintptr_t)"PLAIN"},
	    {.name = (char *)(uintptr_t)"sasl.username", .value = (char *)(uintptr_t)"u"},
	    {.name = (char *)(uintptr_t)"sasl.password", .value = (char *)(uintptr_t)"hunter2"},
	    {.name = (char *)(uintptr_t)"ssl.key.password", .value = (char *)(uintptr_t)"hunter2"},
	    {.name = (char *)(uintptr_t)"sasl.oauthbearer.client.secret", .value = (char *)(uintptr_t)"hunter2"},
	};
	struct config_pairs through = {pairs, sizeof pairs / sizeof *pairs};
	struct error error = {0};
	char *text = memory_take(TEXT_SIZE);

	(void)state;
	if (!check(pairs[through.count - 1].name, "x", &error)) /* a build without OpenID Connect */
		through.count--;
	capture(&through, text, TEXT_SIZE);
	assert_non_null(strstr(text, "facility="));
	assert_null(strstr(text, "hunter2"));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_the_guarantees_rest_on_is_refused_with_the_reason),
	    cmocka_unit_test(what_a_provider_asks_for_goes_through),
	    cmocka_unit_test(an_unknown_key_is_named),
	    cmocka_unit_test(a_value_that_is_not_taken_is_not_repeated),
	    cmocka_unit_test(brokers_are_needed),
	    cmocka_unit_test(secrets_are_never_logged),
	    cmocka_unit_test(no_client_is_made_from_refused_options),
	    cmocka_unit_test(settings_that_do_not_go_together_are_said_at_the_opening),
	};

	return cmocka_run_group_tests_name("bus/options", tests, NULL, NULL);
}
