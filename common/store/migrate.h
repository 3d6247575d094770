/* SPDX-License-Identifier: Apache-2.0 */
/* migrate.h - numbered forward-only migrations, compiled in. Run by the command line, never by a service. */
#ifndef COUNTERSIGN_MIGRATE_H
#define COUNTERSIGN_MIGRATE_H

#include "common/store/store.h"

/*
 * Creates schema countersign, runs what is missing of the files in sql/schema, each in a transaction of its own under one
 * advisory lock, and records (version, name, checksum, applied_at) in countersign.schema_migration. Refuses a database
 * whose record is newer, or has another checksum for a file: BROKEN "schema". `chains` (1-1024) is stored at the first
 * run with a ledger_head and relay_position per chain; later a different value is refused. *applied counts files.
 */
bool migrate_run(const char *uri, uint32_t chains, const struct log *log, unsigned *applied,
		 struct error *error) CS_MUST_CHECK;

#endif
