/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - instants, lists and votes as members, and claims as a token. */
#include "common/message/body.h"
#include "common/canonical/canonical.h"
#include "common/jws/jws.h"
#include "common/message/rfc3339.h"

void
body_set_time(struct arena *arena, struct value *map, const char *name, int64_t microseconds)
{
	char text[RFC3339_SIZE];

	rfc3339_format(microseconds, text);
	value_set_string(arena, map, name, text);
}

void
body_set_time_or_null(struct arena *arena, struct value *map, const char *name, int64_t microseconds)
{
	if (microseconds)
		body_set_time(arena, map, name, microseconds);
	else
		value_set(arena, map, name, value_null(arena));
}

void
body_set_strings(struct arena *arena, struct value *map, const char *name, const char *const *strings,
		 size_t count)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < count; i++)
		value_append(arena, list, value_string(arena, strings[i]));
	value_set(arena, map, name, list);
}

void
body_set_signed_by(struct arena *arena, struct value *map, const char *kid, const char *owner)
{
	struct value *signer = value_map(arena);

	if (!kid)
		return;
	value_set_string(arena, signer, "kid", kid);
	value_set_string(arena, signer, "owner", owner);
	value_set(arena, map, "signed_by", signer);
}

void
body_set_ahead(struct arena *arena, struct value *map, const struct authorization_ahead *ahead, size_t count)
{
	struct value *groups = value_map(arena);

	for (size_t i = 0; i < count; i++)
		value_set(arena, groups, ahead[i].group, value_int(arena, ahead[i].open));
	value_set(arena, map, "ahead", groups);
}

void
body_set_responses(struct arena *arena, struct value *map, const struct authorization_response *responses,
		   size_t count)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < count; i++) {
		struct value *response = value_map(arena);

		value_set_string(arena, response, "responder", responses[i].responder);
		value_set_string(arena, response, "verdict", responses[i].verdict);
		body_set_time(arena, response, "at", responses[i].at);
		value_set_string(arena, response, "reason", responses[i].reason);
		value_append(arena, list, response);
	}
	value_set(arena, map, "responses", list);
}

char *
body_sign(struct arena *arena, const struct crypto_key *key, const char *typ, const struct value *claims,
	  struct error *error)
{
	struct buffer text = {.arena = arena};
	struct error why = {0};

	if (!canonical_format(&text, claims, &why)) {
		error_set_field(error, ERROR_BROKEN, "event_malformed", why.field, "%s: %s", typ, why.text);
		return NULL;
	}
	return jws_sign(arena, key, typ, text.bytes, text.length);
}
