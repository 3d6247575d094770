/* SPDX-License-Identifier: Apache-2.0 */
/* store_schema.c - the migrations that were compiled in, against those that a database says it has seen. */
#include "common/store/store_private.h"
#include "migrations.h"

#include <string.h>

bool
store_schema_migration(size_t i, struct store_migration *migration)
{
	const struct migration *compiled = &migrations[i];
	uint8_t digest[CRYPTO_SHA256_SIZE];

	if (i >= sizeof migrations / sizeof *migrations - 1)
		return false;
	crypto_sha256(compiled->text, compiled->length, digest);
	crypto_digest_text(digest, migration->checksum);
	migration->version = compiled->version;
	migration->name = compiled->name;
	migration->text = compiled->text;
	return true;
}

static bool
is_same(const struct store_rows *rows, size_t row, const struct store_migration *migration, struct error *error)
{
	int64_t version = store_row_int(rows, row, 0);

	if (version != migration->version)
		return error_set(error, ERROR_BROKEN, "schema",
				 "the database has migration %lld where this program has %s",
				 (long long)version, migration->name);
	if (strcmp(store_row_text(rows, row, 1), migration->checksum) != 0)
		return error_set(
		    error, ERROR_BROKEN,
		    "schema", "the database was made with another %s than this program: use the program it was made with",
		    migration->name);
	return true;
}

bool
store_schema_check(const struct store_rows *rows, bool complete, struct error *error)
{
	size_t count = rows ? store_rows_count(rows) : 0;
	struct store_migration migration;

	for (size_t row = 0; row < count; row++) {
		if (!store_schema_migration(row, &migration))
			return error_set(
			    error, ERROR_BROKEN,
			    "schema", "the database's schema is newer (%lld) than this program's: install the newer program",
			    (long long)store_row_int(rows, count - 1, 0));
		if (!is_same(rows, row, &migration, error))
			return false;
	}
	if (complete && store_schema_migration(count, &migration))
		return error_set(error, ERROR_BROKEN, "schema",
				 "the database lacks migration %s: run `countersign migrate`", migration.name);
	return true;
}
