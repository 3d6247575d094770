/* SPDX-License-Identifier: Apache-2.0 */
/* command_topics.c - migrate and topics: what must be there before a service starts. */
#include "common/bus/bus_topics.h"
#include "common/store/migrate.h"
#include "services/countersign/cli.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ADMIN_TIMEOUT_US (INT64_C(15) * 1000000)

int
command_migrate(struct cli *cli)
{
	struct error error = {0};
	const char *given = cli_option(cli, "chains");
	char *end = NULL;
	long chains = given ? strtol(given, &end, 10) : (long)cli->config.chains;
	unsigned applied = 0;

	if ((given && (*end || end == given)) || chains < 1 || chains > 1024)
		return cli_usage(cli, "--chains: a number from 1 to 1024");
	if (!migrate_run(cli->config.database_uri, (uint32_t)chains, &cli->log, &applied, &error))
		return cli_fail(&error);
	if (applied)
		cli_say("%u migration%s applied", applied, applied == 1 ? "" : "s");
	else
		cli_say("the schema is up to date");
	return CLI_OK;
}

struct comparison {
	struct cli *cli;
	const char *topic;
	bool apply;
	unsigned differing;
};

static void
differs(void *context, const char *name, const char *wanted, const char *found)
{
	struct comparison *comparison = context;
	comparison->differing++;
	cli_say("%s: %s is %s, %s %s", comparison->topic, name, found ? found : "(unset)",
		comparison->apply ? "set to" : "wanted", wanted);
}

/* One topic as it must be: created, its partition count right, its settings right. False = trouble in *error. */
static bool
settle(struct comparison *comparison, struct bus_admin *admin, const struct bus_topic *topic,
       struct error *error)
{
	int32_t count = 0;
	unsigned before = comparison->differing;
	bool created = false;

	comparison->topic = topic->name;
	if (!bus_partition_count(admin, topic->name, &count, error))
		return false;
	if (count == 0 && !comparison->apply) {
		comparison->differing++;
		cli_say("%s: does not exist", topic->name);
		return true;
	}
	if (count == 0 && !bus_topic_create(admin, topic, &created, error))
		return false;
	if (count == 0 && created) {
		cli_say("%s: created with %" PRId32 " partitions", topic->name, topic->partitions);
		return true;
	}
	if (count != 0 && count != topic->partitions)
		return error_set(error, ERROR_BROKEN, "partition_count",
				 "%s has %" PRId32 " partitions, %" PRId32
				 " are wanted: the number of a live topic must not change, "
				 "make topics.partitions agree or create the topic anew",
				 topic->name, count, topic->partitions);
	if (!bus_topic_compare(admin, topic, differs, comparison, error))
		return false;
	return comparison->differing == before || !comparison->apply || bus_topic_alter(admin, topic, error);
}

/* The cluster whose offsets the positions are about is written down once and never changes. */
static bool
settle_cluster(struct cli *cli, struct bus_admin *admin, bool apply, int64_t *chains, struct error *error)
{
	const char *cluster = bus_cluster_id(admin, cli->arena, ADMIN_TIMEOUT_US, error);
	struct store_rows *rows = cluster ? cli_read(cli, STATEMENT_CLI_INSTALLATION, NULL, 0, error) : NULL;
	struct store_param param;
	const char *known;

	if (!rows)
		return false;
	if (store_rows_count(rows) != 1)
		return error_set(error, ERROR_BROKEN, "schema",
				 "the database is not set up: run countersign migrate");
	*chains = store_row_int(rows, 0, 0);
	known = store_row_text(rows, 0, 1);
	if (known && strcmp(known, cluster))
		return error_set(error, ERROR_BROKEN, "other_cluster",
				 "this database belongs to Kafka cluster %s, the brokers are of cluster %s",
				 known, cluster);
	param = store_text(cluster);
	return known || !apply || cli_change(cli, STATEMENT_CLI_INSTALLATION_CLUSTER, &param, 1, NULL, error);
}

static int
topics(struct cli *cli, bool apply)
{
	struct error error = {0};
	struct comparison comparison = {.cli = cli, .apply = apply};
	struct bus_options options = cli_bus(cli);
	struct bus_admin *admin = bus_options_check(&options, &error) ? bus_admin_open(&options, &error) : NULL;
	size_t count = 0;
	const struct bus_topic *wanted =
	    bus_topics_wanted(cli->config.topics_prefix, (int32_t)cli->config.partitions,
			      (int16_t)cli->config.replication, cli->arena, &count);
	int64_t chains = 0;
	bool ok = admin && settle_cluster(cli, admin, apply, &chains, &error);

	if (ok && (chains < 1 || cli->config.partitions % chains != 0))
		ok = error_set(&error, ERROR_BROKEN, "partition_count",
			       "topics.partitions %" PRId64 " is not a multiple of the %" PRId64
			       " ledger chains",
			       cli->config.partitions, chains);
	for (size_t i = 0; ok && i < count; i++)
		ok = settle(&comparison, admin, &wanted[i], &error);
	bus_admin_close(admin);
	if (!ok)
		return cli_fail(&error);
	if (!comparison.differing)
		cli_say("%zu topics are as they should be", count);
	return comparison.differing && !apply ? CLI_FAILED : CLI_OK;
}

int
command_topics_apply(struct cli *cli)
{
	return topics(cli, true);
}

int
command_topics_check(struct cli *cli)
{
	return topics(cli, false);
}
