/* SPDX-License-Identifier: Apache-2.0 */
/* send.h - the command line's way onto a topic, and its way of hearing the answer. */
#ifndef COUNTERSIGN_SEND_H
#define COUNTERSIGN_SEND_H

#include "services/countersign/cli.h"
#include "services/countersign/jwks.h"

/* Publishes one record on a logical topic and waits until the brokers have it. signature may be NULL. */
bool send_record(struct cli *cli, const char *topic, const char *key, const char *value, size_t length,
		 const char *signature, struct error *error) CS_MUST_CHECK;

/* Reads a JWKS file; keys that are not Ed25519 are passed over, none left is an error. */
bool jwks_read(struct cli *cli, const char *path, struct jwks *jwks, struct error *error) CS_MUST_CHECK;

/* What to wait for. digest, jwks: NULL = not checked. */
struct awaited {
	const char *tenant, *request_id, *digest;
	const struct jwks *jwks;
	int64_t timeout_us;
};
/* Reads until the final word is there; prints it; the exit code of `wait`. Closes the reader. */
int wait_for_word(struct cli *cli, struct bus_reader *take_reader, const struct awaited *awaited);
/* The options --jwks, --digest, --timeout of a command. False after a message. */
bool wait_options_read(struct cli *cli, struct awaited *awaited, struct jwks *jwks);

#endif
