/* SPDX-License-Identifier: Apache-2.0 */
/* service_run.c - main's only call: what the command line asks for, and with which exit code it ends. */
#include "common/service/service_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BROKEN = 1, EXIT_USAGE = 2 };

/* What the skeleton itself uses of the service's own configuration. */
static void
copy_config(struct service_loop *loop)
{
	const struct service *service = loop->service;
	const char *config = (const char *)loop->config;

	if (service->batch_config_offset != 0)
		memcpy(&loop->batch, config + service->batch_config_offset, sizeof loop->batch);
	loop->tick_us = service->tick_us;
	if (service->tick_config_offset != 0)
		memcpy(&loop->tick_us, config + service->tick_config_offset, sizeof loop->tick_us);
}

/* Runs until asked to stop. Asked to stop while still waiting for a server is no failure. */
static bool
serve(struct service_loop *loop, struct error *error)
{
	bool ok;

	service_signals_open();
	ok = service_start(loop, error) && service_loop(loop, error);
	if (!ok && error->kind == ERROR_UNAVAILABLE && service_stopping())
		ok = true;
	if (ok)
		log_info(&loop->log, "stopping");
	else
		log_error(&loop->log, "stopping", log_text("code", error->code),
			  log_text("field", error->field), log_text("reason", error->text));
	loop->told = true;
	service_stop_clock_start();
	service_stop(loop);
	log_info(&loop->log, "stopped");
	return ok;
}

/* Everything that can be told without a server. */
static bool
check(struct service_loop *loop, struct error *error)
{
	const struct service_signing_config *signing;
	const struct bus_options bus = {
	    .through = &loop->config->kafka, .client_id = loop->service->name, .log = &loop->log};

	if (!bus_options_check(&bus, error))
		return false;
	if (loop->service->signing_config_offset != 0) {
		signing = (const void *)((const char *)loop->config + loop->service->signing_config_offset);
		struct crypto_key *key = crypto_key_load(signing->key_file, error);

		if (!key)
			return false;
		crypto_key_close(key);
	}
	printf("%s: the configuration can be used\n", loop->service->name);
	return true;
}

static bool
with_config(struct service_loop *loop, const struct service_table *table,
	    const struct service_options *options, struct error *error)
{
	if (!config_load(&table->table, loop->config, options->config_path, options->overrides,
			 options->override_count, error))
		return false;
	loop->log.level = (enum log_level)loop->config->log_level;
	copy_config(loop);
	if (options->mode == SERVICE_PRINT_EFFECTIVE_CONFIG) {
		config_print(&table->table, loop->config, stdout);
		return true;
	}
	if (!service_config_check(loop->config, error))
		return false;
	return options->mode == SERVICE_CHECK_CONFIG ? check(loop, error) : serve(loop, error);
}

static int
configured(const struct service *service, const struct service_options *options)
{
	struct service_loop loop = {.service = service, .log = {.level = LOG_INFO, .service = service->name}};
	struct service_table table;
	struct error error = {0};
	bool ok = true;

	loop.config = memory_take(service->config_size);
	service_table_open(&table, service, loop.config);
	if (options->mode == SERVICE_PRINT_CONFIG)
		config_print_sample(&table.table, stdout);
	else
		ok = with_config(&loop, &table, options, &error);
	if (!ok && !loop.told)
		fprintf(stderr, "%s: %s\n", service->name, error.text);
	config_free(&table.table, loop.config);
	service_table_close(&table);
	free(loop.config);
	return ok ? EXIT_SUCCESS : EXIT_BROKEN;
}

int
service_run(const struct service *service, int argc, char **argv)
{
	struct service_options options;
	struct error error = {0};
	int code = EXIT_SUCCESS;

	assert(service->config_size >= sizeof(struct service_config));
	if (!service_options_parse(argc, argv, &options, &error)) {
		fprintf(stderr, "%s: %s; see %s --help\n", service->name, error.text, service->name);
		code = EXIT_USAGE;
	} else if (options.mode == SERVICE_HELP) {
		service_help(service, stdout);
	} else if (options.mode == SERVICE_VERSION) {
		printf("%s %s\n", service->name, CS_VERSION);
	} else {
		code = configured(service, &options);
	}
	free(options.overrides);
	return code;
}
