/* SPDX-License-Identifier: Apache-2.0 */
/* command_reviews.c - what one person let through alone, and who has to look at it. */
#include "services/countersign/cli.h"

int
command_reviews_list(struct cli *cli)
{
	static const char *const names[] = {
	    "request_id", "overridden_by", "reason",  "at",	     "reviewed_by",
	    "finding",	  "closed_at",	   "@groups", "approval_id", NULL};
	static const char *const columns[] = {"at",	"request_id",  "overridden_by", "reason",
					      "groups", "reviewed_by", "finding",	NULL};
	struct error error = {0};
	struct store_param params[] = {store_text(cli->config.tenant),
				       store_int(cli_option(cli, "all") != NULL)};
	struct store_rows *rows = cli_read(cli, STATEMENT_CLI_REVIEWS, params, 2, &error);

	if (!rows)
		return cli_fail(&error);
	cli_print_list(cli, cli_rows(cli, rows, names), columns);
	return CLI_OK;
}
