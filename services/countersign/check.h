/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what the command line accepts as a name, and how it finds a request by the beginning of its id. */
#ifndef COUNTERSIGN_CHECK_H
#define COUNTERSIGN_CHECK_H

#include "services/countersign/cli.h"

/* 1-256 bytes without control characters; otherwise ERROR_INVALID "bad_value" that names `what`. */
bool check_name(const char *what, const char *text, struct error *error) CS_MUST_CHECK;

/* The request of the tenant whose id is `prefix`, or the only one that begins so. NULL: none, or several (both named). */
const char *check_request_id(struct cli *cli, const char *prefix, struct error *error) CS_MUST_CHECK;

#endif
