/* SPDX-License-Identifier: Apache-2.0 */
/* verification_explanations.c - is what is stored as a decision's explanation what the ledger says it was? */
#include "common/canonical/canonical.h"
#include "common/crypto/crypto.h"
#include "common/message/event.h"
#include "common/message/json.h"
#include "services/countersign/verification.h"

#include <inttypes.h>
#include <string.h>

/* What an event says. */
struct saying {
	const char *tenant, *request_id, *digest;
	int64_t sequence;
};

static bool
tells(const char *topic)
{
	return strcmp(topic, TOPIC_AUTHORIZATIONS) == 0 || strcmp(topic, TOPIC_APPROVALS) == 0;
}

/* One that can't be read is told by its batch's hash. */
static bool
read_saying(struct arena *arena, const struct store_rows *rows, size_t row, struct saying *saying)
{
	struct store_bytes payload = store_row_bytes(rows, row, 5);
	struct error unused = {0};
	const struct value *body = NULL;

	if (tells(store_row_text(rows, row, 2)))
		body = json_parse(arena, (const char *)payload.bytes, payload.length, &json_limits_event,
				  &unused);
	*saying = (struct saying){.tenant = value_get_string(body, "tenant"),
				  .request_id = value_get_string(body, "request_id"),
				  .digest = value_get_string(body, "explanation_digest"),
				  .sequence = store_row_int(rows, row, 0)};
	return saying->tenant && saying->request_id && saying->digest;
}

/* Of the RFC 8785 form: how the database keeps it is its own matter. */
static const char *
digest_of(struct arena *arena, const char *explanation)
{
	struct error unused = {0};
	struct buffer text = {.arena = arena};
	const struct value *value =
	    json_parse(arena, explanation, strlen(explanation), &json_limits_policy, &unused);
	uint8_t digest[CRYPTO_SHA256_SIZE];
	char *words = arena_take(arena, CRYPTO_DIGEST_TEXT_SIZE);

	if (!value || !canonical_format(&text, value, &unused))
		return "";
	crypto_sha256(text.bytes, text.length, digest);
	crypto_digest_text(digest, words);
	return words;
}

static bool
is_stored(const struct saying *saying, const struct store_rows *rows, const char *const *digests)
{
	for (size_t i = 0; i < store_rows_count(rows); i++)
		if (strcmp(saying->digest, digests[i]) == 0
		    && strcmp(saying->request_id, store_row_text(rows, i, 1)) == 0
		    && strcmp(saying->tenant, store_row_text(rows, i, 0)) == 0)
			return true;
	return false;
}

static bool
compare(struct verification *verification, int64_t chain, const struct saying *sayings, size_t count,
	struct error *error)
{
	struct arena *arena = verification->cli->arena;
	const char **tenants = arena_take_array(arena, count, sizeof *tenants);
	const char **request_ids = arena_take_array(arena, count, sizeof *request_ids);
	const char **digests;

	for (size_t i = 0; i < count; i++) {
		tenants[i] = sayings[i].tenant;
		request_ids[i] = sayings[i].request_id;
	}

	struct store_param params[] = {store_text_list(tenants, count), store_text_list(request_ids, count)};
	struct store_rows *rows =
	    cli_read(verification->cli, STATEMENT_CLI_LEDGER_EXPLANATIONS, params, 2, error);

	if (!rows)
		return false;
	digests = arena_take_array(arena, store_rows_count(rows), sizeof *digests);
	for (size_t i = 0; i < store_rows_count(rows); i++)
		digests[i] = digest_of(arena, store_row_text(rows, i, 2));
	for (size_t i = 0; i < count; i++)
		if (!is_stored(&sayings[i], rows, digests))
			verification_fault(verification,
					   "chain %" PRId64 ": the explanation that event %" PRId64
					   " speaks of, of request %s, was changed or is gone",
					   chain, sayings[i].sequence, sayings[i].request_id);
	verification->explanations += (int64_t)count;
	return true;
}

bool
verification_explanations(struct verification *verification, int64_t chain, const struct store_rows *events,
			  struct error *error)
{
	struct arena *arena = verification->cli->arena;
	struct saying *sayings = arena_take_array(arena, store_rows_count(events), sizeof *sayings);
	size_t count = 0;

	for (size_t i = 0; i < store_rows_count(events); i++)
		if (read_saying(arena, events, i, &sayings[count]))
			count++;
	return count == 0 || compare(verification, chain, sayings, count, error);
}
