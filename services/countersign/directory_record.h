/* SPDX-License-Identifier: Apache-2.0 */
/* directory_record.h - changes of the directory and the events of the ledger that tell of them. */
#ifndef COUNTERSIGN_DIRECTORY_RECORD_H
#define COUNTERSIGN_DIRECTORY_RECORD_H

#include "services/countersign/cli.h"

/* Appends an event for each change that the transaction has made: the last thing before COMMIT. */
bool directory_record(struct cli *cli, struct error *error) CS_MUST_CHECK;
/* As cli_change, for a statement that changes the directory. */
bool directory_make(struct cli *cli, enum statement statement, const struct store_param *params, size_t count,
		    struct store_rows **rows, struct error *error) CS_MUST_CHECK;

#endif
