/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - names and id prefixes as the command line takes them. */
#include "services/countersign/check.h"
#include <string.h>

bool
check_name(const char *what, const char *text, struct error *error)
{
	size_t length = strlen(text);
	if (length < 1 || length > 256)
		return error_set_field(error, ERROR_INVALID, "bad_value", what, "must have 1 to 256 bytes");
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return error_set_field(error, ERROR_INVALID, "bad_value", what,
					       "holds a control character");
	return true;
}

const char *
check_request_id(struct cli *cli, const char *prefix, struct error *error)
{
	struct store_param params[] = {store_text(cli->config.tenant), store_text(prefix)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_REQUEST_PREFIX, params, 2, error);

	if (!rows)
		return NULL;
	for (size_t i = 0; i < store_rows_count(rows); i++)
		if (!strcmp(store_row_text(rows, i, 0), prefix))
			return store_row_text(rows, i, 0);
	if (store_rows_count(rows) == 1)
		return store_row_text(rows, 0, 0);
	if (!store_rows_count(rows))
		error_set(error, ERROR_INVALID, "unknown_request", "no request %s in tenant %s", prefix,
			  cli->config.tenant);
	else
		error_set(error, ERROR_INVALID, "ambiguous", "several requests begin with %s: %s, %s ...",
			  prefix, store_row_text(rows, 0, 0), store_row_text(rows, 1, 0));
	return NULL;
}
