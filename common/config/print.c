/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - the table as a documented sample, and the effective values without their secrets. */
#include "common/config/key.h"

#include <string.h>

static const char head[] =
    "# Lines are \"key = value\", '#' begins a comment line. Strongest first count: a flag, the environment\n"
    "# (" CONFIG_ENVIRONMENT_PREFIX "KEY, in upper case with '_' for '.'), this file, the default.\n";

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
		fprintf(out,
			"\n# Other keys that begin with %s are handed through without it; a secret among "
			"them may be\n"
			"# given as %sNAME_file, which names a file that holds it.\n",
			table->through_prefix, table->through_prefix);
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
