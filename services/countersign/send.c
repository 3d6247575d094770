/* SPDX-License-Identifier: Apache-2.0 */
/* send.c - one record onto a topic, acknowledged or reported. */
#include "services/countersign/send.h"
#include "common/clock/clock.h"
#include <string.h>
#include <time.h>

#define SEND_PATIENCE_US (INT64_C(30) * 1000000)

struct delivery_report {
	bool done;
	struct error error;
};

static void
delivered(void *context, int64_t tag, const struct error *error)
{
	struct delivery_report *report = context;
	(void)tag;
	report->done = true;
	if (error)
		report->error = *error;
}

static bool
await_report(struct bus_producer *producer, struct error *error)
{
	struct delivery_report report = {0};
	int64_t give_up = clock_monotonic() + SEND_PATIENCE_US;

	while (!report.done && clock_monotonic() < give_up)
		bus_producer_poll(producer, 100000, delivered, &report);
	if (!report.done)
		return error_set(error, ERROR_UNAVAILABLE, "timeout", "no broker took the record within 30 s");
	if (report.error.kind != ERROR_NONE)
		*error = report.error;
	return report.error.kind == ERROR_NONE;
}

bool
send_record(struct cli *cli, const char *topic, const char *key, const char *value, size_t length,
	    const char *signature, struct error *error)
{
	struct record_header headers[] = {{"content-type", "application/json", 16},
					  {"signature", signature, signature ? strlen(signature) : 0}};
	struct bus_send send = {.topic = cli_topic(cli, topic),
				.key = key,
				.key_length = strlen(key),
				.value = value,
				.value_length = length,
				.headers = headers,
				.header_count = signature ? 2 : 1};
	struct bus_options options = cli_bus(cli);
	struct bus_producer *producer =
	    bus_options_check(&options, error) ? bus_producer_open(&options, SEND_PATIENCE_US, error) : NULL;
	bool ok = producer && bus_send(producer, &send, 0, error) && await_report(producer, error);

	if (producer)
		bus_producer_close(producer, 0);
	return ok || error_wrap(error, "%s", send.topic);
}
