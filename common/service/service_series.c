/* SPDX-License-Identifier: Apache-2.0 */
/* service_series.c - the series that the skeleton knows itself. */
#include "common/service/service_private.h"

/* Without labels, it is there from the beginning: a rate needs the zero before the first one. */
static void
counter(struct monitor *monitor, const char *name, const char *help)
{
	monitor_counter(monitor, name, help, "");
	monitor_add(monitor, name, "", 0);
}

void
service_series_open(const struct service *service, struct monitor *monitor)
{
	counter(monitor, "database_reconnects_total", "New database sessions after the first.");
	counter(monitor, "unknown_commits_total", "Commits that were sent and not answered.");
	if (!service->input)
		return;
	counter(monitor, "records_consumed_total", "Records whose transaction was committed.");
	counter(monitor, "batches_total", "Transactions over records that were committed.");
	counter(monitor, "records_repeated_total", "Records that had been taken before and were dropped.");
	counter(monitor, "fence_losses_total",
		"Transactions refused because the partition was not ours any more.");
	monitor_counter(monitor, "batches_repeated_total",
			"Transactions over records that were rolled back, by reason.", "reason");
	monitor_counter(monitor, "quarantined_total", "Records that could not be taken, by reason.", "code");
	monitor_gauge(monitor, "consumer_lag_messages",
		      "Records behind the end of the partition, by our own position.", "topic,partition");
	monitor_gauge(monitor, "consumer_paused",
		      "1 while fetching is paused, of all partitions or of those that wait.", "");
	monitor_gauge(monitor, "database_clock_behind_seconds",
		      "How far the clock of the database stands before a time that it showed earlier.", "");
	monitor_gauge(monitor, "partitions", "Assigned partitions by state.", "state");
}

/* Unknown ones are left out: a gauge that says -1 would be added up by somebody. */
void
service_lag_gauge(struct service_loop *loop)
{
	struct monitor *monitor = loop->context.monitor;

	monitor_clear(monitor, "consumer_lag_messages");
	for (size_t i = 0; i < loop->partition_count; i++) {
		const struct service_partition *partition = &loop->partitions[i];
		char labels[300];
		int64_t lag;

		if (partition->state != PARTITION_OWNED)
			continue;
		lag = bus_lag(loop->consumer, loop->topic, partition->position.partition,
			      partition->position.next_offset);
		snprintf(labels, sizeof labels, "%s\n%d", loop->topic, (int)partition->position.partition);
		if (lag >= 0)
			monitor_set(monitor, "consumer_lag_messages", labels, (double)lag);
	}
}
