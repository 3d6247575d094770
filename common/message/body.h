/* SPDX-License-Identifier: Apache-2.0 */
/* body.h - parts that several of the bodies we write have in common. */
#ifndef COUNTERSIGN_BODY_H
#define COUNTERSIGN_BODY_H

#include "common/message/authorization.h"

/* Adds the instant as RFC 3339. */
void body_set_time(struct arena *arena, struct value *map, const char *name, int64_t microseconds);
/* As body_set_time, but 0 stands for "no such time" and is written null. */
void body_set_time_or_null(struct arena *arena, struct value *map, const char *name, int64_t microseconds);
void body_set_strings(struct arena *arena, struct value *map, const char *name, const char *const *strings,
		      size_t count);
/* "signed_by": the key and who owns it; nothing without a key. */
void body_set_signed_by(struct arena *arena, struct value *map, const char *kid, const char *owner);
/* "ahead": a member for each group. */
void body_set_ahead(struct arena *arena, struct value *map, const struct authorization_ahead *ahead,
		    size_t count);
/* "responses": who, what, when, why. */
void body_set_responses(struct arena *arena, struct value *map,
			const struct authorization_response *responses, size_t count);

/* The compact JWS of typ `typ` over the RFC 8785 form of `claims`; NULL with ERROR_BROKEN when it has none. */
char *body_sign(struct arena *arena, const struct crypto_key *key, const char *typ,
		const struct value *claims, struct error *error) CS_MUST_CHECK;

#endif
