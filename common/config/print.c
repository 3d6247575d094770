/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - the table as a documented sample, and the effective values without their secrets. */
#include "common/config/key.h"

#include <string.h>

static const char head[] =
    "# Each line is \"key = value\"; a line that begins with '#' is a comment. The command line\n"
    "# (--set KEY=VALUE) goes before the environment (COUNTERSIGN_LOG_LEVEL for log.level), the\n"
    "# environment before this file, this file before the defaults.\n";

static void
print_key(struct arena *arena, const struct config_key *key, FILE *out)
{
	fprintf(out, "\n# %s\n# %s", key->sentence, config_key_expects(arena, key));
	if (key->type == CONFIG_SECRET)
		fprintf(out, ", or %s_file names a file that holds it", key->name);
	if (!key->fallback)
		fprintf(out, "; required\n#%s =\n", key->name);
	else if (!*key->fallback)
		fprintf(out, "; default empty\n#%s =\n", key->name);
	else
		fprintf(out, "; default %s\n#%s = %s\n", key->fallback, key->name, key->fallback);
}

static void
print_through(struct arena *arena, const struct config_table *table, FILE *out)
{
	for (const struct config_key *key = table->through_keys; key && key->name; key++)
		print_key(arena, key, out);
	fprintf(out,
		"\n# Every other key that begins with %s is handed to librdkafka, without the prefix.\n"
		"# A secret among them may be given as %sNAME_file, which names a file that holds it.\n",
		table->through_prefix, table->through_prefix);
}

void
config_print_sample(const struct config_table *table, FILE *out)
{
	struct arena *arena = arena_open();

	fputs(head, out);
	CONFIG_EACH_KEY(table, key)
	{
		print_key(arena, key, out);
	}
	if (table->through_prefix)
		print_through(arena, table, out);
	arena_close(arena);
}

static void
print_value(struct arena *arena, const char *name, const char *value, bool secret, FILE *out)
{
	const char *shown = secret && *value ? "(hidden)" : config_value_shown(arena, value);

	fprintf(out, "%s =%s%s\n", name, *shown ? " " : "", shown);
}

void
config_print(const struct config_table *table, const void *target, FILE *out)
{
	struct arena *arena = arena_open();

	CONFIG_EACH_KEY(table, key)
	{
		print_value(arena, key->name, config_key_format(arena, key, target),
			    key->type == CONFIG_SECRET, out);
	}
	for (size_t i = 0; table->through && i < table->through->count; i++) {
		const struct config_pair *pair = &table->through->items[i];
		const char *name = arena_format(arena, "%s%s", table->through_prefix, pair->name);

		print_value(arena, name, pair->value, config_name_is_secret(pair->name), out);
	}
	arena_close(arena);
}
