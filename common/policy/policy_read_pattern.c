/* SPDX-License-Identifier: Apache-2.0 */
/* policy_read_pattern.c - the items of the document's lists: patterns, tenants, paths into the context. */
#include "common/policy/policy_read.h"

#include <string.h>

enum { TENANT_MAX = 64, PATH_MAX_BYTES = 256 };

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool
consists_of(const char *text, const char *letters)
{
	return text[strspn(text, letters)] == '\0';
}

static bool
has_empty_segment(const char *text)
{
	return text[0] == '.' || text[strlen(text) - 1] == '.' || strstr(text, "..");
}

static bool
read_pattern_of(const struct place *place, const char *letters, const char **pattern)
{
	struct error why = {0};

	if (!policy_read_text(place, POLICY_PATTERN_MAX, pattern))
		return false;
	if (!policy_pattern_check(*pattern, "", &why))
		return policy_refuse(place, "bad_pattern", "%s", why.text);
	if (letters && !consists_of(*pattern, letters))
		return policy_refuse(place, "bad_pattern", "can never match: it may only hold a-z 0-9 and %s",
				     letters + strlen(LOWER DIGITS));
	return true;
}

bool
policy_read_pattern(const struct place *place, const char **pattern)
{
	return read_pattern_of(place, NULL, pattern);
}

bool
policy_read_action_pattern(const struct place *place, const char **pattern)
{
	if (!read_pattern_of(place, LOWER DIGITS "_-.*", pattern))
		return false;
	if (has_empty_segment(*pattern))
		return policy_refuse(place, "bad_pattern", "can never match: an action has no empty segment");
	return true;
}

bool
policy_read_tenant_pattern(const struct place *place, const char **pattern)
{
	return read_pattern_of(place, LOWER DIGITS "_-*", pattern);
}

bool
policy_read_tenant(const struct place *place, const char **tenant)
{
	if (!policy_read_text(place, TENANT_MAX, tenant))
		return false;
	if (strcmp(*tenant, "*") != 0 && !consists_of(*tenant, LOWER DIGITS "_-"))
		return policy_refuse(place, "bad_value", "may only hold a-z 0-9 _ -, or be \"*\"");
	return true;
}

bool
policy_read_path(const struct place *place, const char **path)
{
	if (!policy_read_text(place, PATH_MAX_BYTES, path))
		return false;
	if (has_empty_segment(*path))
		return policy_refuse(place, "bad_value", "is no path of member names with dots between them");

	const struct policy *policy = place->reader->policy;

	if (policy->has_inputs && !policy_find_field(&policy->inputs, *path, strlen(*path)))
		return policy_refuse_input(place, *path);
	return true;
}
