/* SPDX-License-Identifier: Apache-2.0 */
/* targets.c - the targets file, member by member: what is not understood is refused, never passed over. */
#include "services/notifier/targets.h"

#include "common/crypto/owner.h"
#include "common/message/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1024 * 1024, SECRET_FILE_MAX = 4096, NAME_MAX_LENGTH = 64 };

static const struct channel *const channels[] = {&channel_webhook, &channel_command, &channel_log};

/* ------------------------------------------------------------------ errors */

bool
targets_refuse(const struct targets_place *place, const char *member, struct error *error, const char *format,
	       ...)
{
	struct path path = {.above = place->path, .name = {member, member ? strlen(member) : 0}};
	const char *where = path_text(place->arena, member ? &path : place->path);
	char text[ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return error_set_field(error, ERROR_BROKEN, "targets_file", where, "%s: %s%s%s", place->file, where,
			       where[0] != '\0' ? ": " : "", text);
}

/* ------------------------------------------------------------------ files */

/* The whole file, NUL-terminated; NULL with *reason. `is_secret`: nobody but we may be able to read it. */
static char *
read_file(struct arena *arena, const char *path, size_t most, bool is_secret, size_t *length,
	  const char **reason)
{
	char *text = arena_take(arena, most + 2);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	ssize_t count = 1;

	*length = 0;
	*reason = NULL;
	if (fd < 0 || fstat(fd, &status) != 0)
		*reason = strerror(errno);
	else if (!S_ISREG(status.st_mode))
		*reason = "not a regular file";
	else if (is_secret && !crypto_owner_alone(fd, status.st_mode, geteuid()))
		*reason = "a secret must be readable by its owner alone (chmod 600)";
	while (!*reason && count > 0 && *length <= most) {
		count = read(fd, text + *length, most + 1 - *length);
		if (count < 0)
			*reason = strerror(errno);
		else
			*length += (size_t)count;
	}
	if (!*reason && *length > most)
		*reason = "too large";
	if (fd >= 0)
		close(fd);
	return *reason ? NULL : text;
}

/* ------------------------------------------------------------------ members */

bool
targets_string(const struct targets_place *place, const char *member, bool required, const char **text,
	       struct error *error)
{
	const struct value *value = value_get(place->map, member);

	*text = NULL;
	if (!value)
		return !required || targets_refuse(place, member, error, "is missing");
	if (value->kind != VALUE_STRING || value->as.string.length == 0)
		return targets_refuse(place, member, error, "must be a string and not empty");
	*text = value->as.string.bytes;
	return true;
}

bool
targets_strings(const struct targets_place *place, const char *member, bool required,
		const char *const **list, struct error *error)
{
	const struct value *value = value_get(place->map, member);

	*list = NULL;
	if (!value)
		return !required || targets_refuse(place, member, error, "is missing");
	if (value->kind != VALUE_LIST || value->as.list.count == 0)
		return targets_refuse(place, member, error, "must be a list of strings and not empty");

	const char **items = arena_take_array(place->arena, value->as.list.count + 1, sizeof *items);

	for (size_t i = 0; i < value->as.list.count; i++) {
		const struct value *item = value->as.list.items[i];

		if (item->kind != VALUE_STRING || (i == 0 && item->as.string.length == 0))
			return targets_refuse(place, member, error, "must be a list of strings and not empty");
		items[i] = item->as.string.bytes;
	}
	*list = items;
	return true;
}

bool
targets_flag(const struct targets_place *place, const char *member, bool *flag, struct error *error)
{
	const struct value *value = value_get(place->map, member);

	*flag = value && value->kind == VALUE_BOOL && value->as.boolean;
	return !value || value->kind == VALUE_BOOL
	       || targets_refuse(place, member, error, "must be true or false");
}

bool
targets_secret(const struct targets_place *place, const char *member, const char **text, struct error *error)
{
	const char *path, *reason;
	size_t length;

	if (!targets_string(place, member, true, &path, error))
		return false;
	*text = read_file(place->arena, path, SECRET_FILE_MAX, true, &length, &reason);
	if (!*text)
		return targets_refuse(place, member, error, "%s", reason);
	return strlen(*text) == length || targets_refuse(place, member, error, "holds a NUL byte");
}

static bool
is_listed(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

static bool
check_members(const struct targets_place *place, const char *const *one, const char *const *other,
	      struct error *error)
{
	for (size_t i = 0; i < place->map->as.map.count; i++) {
		const char *name = place->map->as.map.members[i].name.bytes;

		if (!is_listed(name, one) && !is_listed(name, other))
			return targets_refuse(place, name, error, "there is no such member");
	}
	return true;
}

/* ------------------------------------------------------------------ a target */

static bool
read_name(const struct targets_place *place, const char **name, struct error *error)
{
	if (!targets_string(place, "name", true, name, error))
		return false;

	size_t length = strlen(*name);

	return (length <= NAME_MAX_LENGTH && strspn(*name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length)
	       || targets_refuse(place, "name", error, "must be made of a-z, 0-9 and -, %d of them at most",
				 NAME_MAX_LENGTH);
}

static bool
read_channel(const struct targets_place *place, const struct channel **channel, struct error *error)
{
	const char *name;

	if (!targets_string(place, "channel", true, &name, error))
		return false;
	for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
		if (strcmp(channels[i]->name, name) == 0) {
			*channel = channels[i];
			return true;
		}
	return targets_refuse(place, "channel", error, "must be webhook, command or log");
}

static bool
read_events(const struct targets_place *place, unsigned *events, struct error *error)
{
	static const char *const names[] = {"opened", "changed", "closed", "outcome"};
	const char *const *list;

	if (!targets_strings(place, "events", false, &list, error))
		return false;
	*events = list ? 0 : TARGET_OPENED | TARGET_CLOSED | TARGET_OUTCOME;
	for (; list && *list; list++) {
		unsigned known = 0;

		for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
			known |= strcmp(*list, names[i]) == 0 ? 1u << i : 0;
		if (known == 0)
			return targets_refuse(place, "events", error,
					      "must be opened, changed, closed or outcome");
		*events |= known;
	}
	return true;
}

static bool
read_target(const struct targets_place *place, struct target *target, struct error *error)
{
	static const char *const always[] = {"name", "channel", "groups", "tenants", "events", NULL};

	if (place->map->kind != VALUE_MAP)
		return targets_refuse(place, NULL, error, "must be an object");
	return read_channel(place, &target->channel, error)
	       && check_members(place, always, target->channel->members, error)
	       && read_name(place, &target->name, error)
	       && targets_strings(place, "groups", false, &target->groups, error)
	       && targets_strings(place, "tenants", false, &target->tenants, error)
	       && read_events(place, &target->events, error) && target->channel->read(place, target, error);
}

/* ------------------------------------------------------------------ the file */

static bool
read_targets(const struct targets_place *file, struct targets *targets, struct error *error)
{
	static const char *const members[] = {"targets", NULL};
	struct path list_path = {.name = {"targets", strlen("targets")}};
	const struct value *list = value_get(file->map, "targets");

	if (file->map->kind != VALUE_MAP)
		return targets_refuse(file, NULL, error, "must be an object");
	if (!check_members(file, members, members, error))
		return false;
	if (!list || list->kind != VALUE_LIST)
		return targets_refuse(file, "targets", error, "must be a list");
	if (list->as.list.count > TARGETS_MAX)
		return targets_refuse(file, "targets", error, "has more than %d targets", TARGETS_MAX);
	targets->items = arena_take_array(file->arena, list->as.list.count, sizeof *targets->items);
	for (size_t i = 0; i < list->as.list.count; i++) {
		struct path path = {.above = &list_path, .index = i};
		struct targets_place place = *file;

		place.path = &path;
		place.map = list->as.list.items[i];
		if (!read_target(&place, &targets->items[i], error))
			return false;
		for (size_t before = 0; before < i; before++)
			if (strcmp(targets->items[before].name, targets->items[i].name) == 0)
				return targets_refuse(&place, "name", error, "another target has it already");
		targets->count++;
	}
	return true;
}

bool
targets_parse(const char *path, const void *bytes, size_t length, const struct targets_rules *rules,
	      struct targets *targets, struct error *error)
{
	struct targets_place file = {.file = path, .rules = rules};
	struct error why = {0};
	bool ok;

	*targets = (struct targets){.arena = arena_open()};
	file.arena = targets->arena;
	file.map = json_parse(file.arena, bytes, length, &json_limits_policy, &why);
	if (file.map)
		ok = read_targets(&file, targets, error);
	else
		ok = error_set_field(error, ERROR_BROKEN, "targets_file", why.field, "%s: %s%s%s", path,
				     why.field, why.field[0] != '\0' ? ": " : "", why.text);
	if (!ok)
		targets_close(targets);
	return ok;
}

bool
targets_load(const char *path, const struct targets_rules *rules, struct targets *targets, struct error *error)
{
	struct arena *arena = arena_open();
	const char *reason;
	size_t length;
	char *text = read_file(arena, path, FILE_MAX, false, &length, &reason);
	bool ok;

	*targets = (struct targets){0};
	if (text)
		ok = targets_parse(path, text, length, rules, targets, error);
	else
		ok = error_set(error, ERROR_BROKEN, "targets_file", "%s: %s", path, reason);
	arena_close(arena);
	return ok;
}

void
targets_close(struct targets *targets)
{
	arena_close(targets->arena);
	*targets = (struct targets){0};
}

/* ------------------------------------------------------------------ asking */

int
targets_find(const struct targets *targets, const char *channel, const char *name)
{
	for (size_t i = 0; i < targets->count; i++)
		if (strcmp(targets->items[i].name, name) == 0
		    && strcmp(targets->items[i].channel->name, channel) == 0)
			return (int)i;
	return -1;
}

bool
targets_wants(const struct target *target, const char *tenant, const char *const *groups, size_t group_count,
	      enum target_event event)
{
	bool asked = !target->groups;

	for (size_t i = 0; !asked && i < group_count; i++)
		asked = is_listed(groups[i], target->groups);
	return asked && (target->events & event) != 0
	       && (!target->tenants || is_listed(tenant, target->tenants));
}
