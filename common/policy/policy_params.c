/* SPDX-License-Identifier: Apache-2.0 */
/* policy_params.c - values that a tenant's document gives for params of an organisation's, within the bounds that this one sets. */
#include "common/policy/policy_deciding.h"
#include "common/policy/policy_facts.h"

#include <string.h>

static const struct policy_param *
param_of(const struct policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->param_count; i++)
		if (strcmp(policy->params[i].field.name, name) == 0)
			return &policy->params[i];
	return NULL;
}

static bool
has_bounds(const struct policy_field *field)
{
	return field->min || field->max || field->word_count;
}

/* Not NULL: the param is found, and the datum is its value. */
static const struct policy_param *
read_override(const struct policy_override *override, const struct policy *of, struct arena *arena,
	      struct policy_datum *datum, struct error *error)
{
	const struct policy_param *param = param_of(of, override->name);
	const char *path = arena_format(arena, "params.%s", override->name);

	if (!param)
		error_set_field(error, ERROR_INVALID, "unknown_param", path, "policy %s has no such param",
				policy_name(of));
	else if (!has_bounds(&param->field))
		error_set_field(error, ERROR_INVALID, "not_overridable", path,
				"policy %s sets no min, max or enum within which it could be given",
				policy_name(of));
	else if (policy_read_value(&param->field, path, override->value, arena, datum, error))
		return param;
	return NULL;
}

bool
policy_params_fit(const struct policy *tenant, const struct policy *organisation, struct arena *arena,
		  struct error *error)
{
	for (size_t i = 0; i < tenant->override_count; i++) {
		const struct policy_override *override = &tenant->overrides[i];
		struct policy_datum unused;

		if (strcmp(override->of, policy_name(organisation)) == 0
		    && !read_override(override, organisation, arena, &unused, error))
			return false;
	}
	return true;
}

const char *
policy_params_of(const struct policy *policy, size_t n)
{
	return n < policy->override_count ? policy->overrides[n].of : NULL;
}

/* A copy of the params, to be changed. */
static void
begin(struct policy_deciding *deciding)
{
	const struct cel_map *ready = deciding->policy->names->params.as.map;
	struct cel_entry *entries = arena_take_array(deciding->arena, ready->count, sizeof *entries);

	if (ready->count)
		memcpy(entries, ready->entries, ready->count * sizeof *entries);
	deciding->params = cel_map(deciding->arena, entries, ready->count);
	deciding->has_params = true;
}

static bool
take(struct policy_deciding *deciding, const struct policy_override *override)
{
	const struct policy *policy = deciding->policy;
	struct policy_datum datum;
	struct error unused = {0};
	const struct policy_param *param = read_override(override, policy, deciding->arena, &datum, &unused);
	struct cel_entry *entry;

	if (!param)
		return policy_deciding_block(deciding, "bad_param");
	if (!deciding->has_params)
		begin(deciding);
	entry = (struct cel_entry *)(uintptr_t)&deciding->params.as.map->entries[param - policy->params];
	entry->value = policy_facts_value(deciding->arena, &param->field.type, &datum);
	return true;
}

bool
policy_take_params(struct policy_deciding *deciding)
{
	for (size_t i = 0; i < deciding->head->layer_count; i++) {
		const struct policy *other = deciding->head->layers[i].policy;

		for (size_t j = 0; j < other->override_count; j++)
			if (strcmp(other->overrides[j].of, policy_name(deciding->policy)) == 0
			    && !take(deciding, &other->overrides[j]))
				return false;
	}
	return true;
}
