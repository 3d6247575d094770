/* SPDX-License-Identifier: Apache-2.0 */
/* directory_file.c - reading a directory, every fault at its place. */
#include "services/countersign/directory_file.h"

#include "common/message/request.h"
#include "common/message/rfc3339.h"
#include "common/policy/policy.h"
#include "services/countersign/check.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ facts in their order */

void
directory_add(struct directory_facts *facts, const struct directory_fact *fact)
{
	if (facts->count == facts->room) {
		size_t room = facts->room ? 2 * facts->room : 64;
		struct directory_fact *items = arena_take_array(facts->arena, room, sizeof *items);

		if (facts->count)
			memcpy(items, facts->items, facts->count * sizeof *items);
		facts->items = items;
		facts->room = room;
	}
	facts->items[facts->count++] = *fact;
}

int
directory_compare(const struct directory_fact *left, const struct directory_fact *right)
{
	int names = left->kind != right->kind ? (left->kind > right->kind) - (left->kind < right->kind)
					      : strcmp(left->name, right->name);

	return names ? names : strcmp(left->more, right->more);
}

static int
compare(const void *left, const void *right)
{
	return directory_compare(left, right);
}

void
directory_sort(struct directory_facts *facts)
{
	if (facts->count)
		qsort(facts->items, facts->count, sizeof *facts->items, compare);
}

static int
compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

size_t
directory_distinct(const char **names, size_t count)
{
	size_t distinct = 0;

	if (count)
		qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 0; i < count; i++)
		if (distinct == 0 || strcmp(names[distinct - 1], names[i]) != 0)
			names[distinct++] = names[i];
	return distinct;
}

/* ------------------------------------------------------------------ members */

static bool
is_name(const char *text, struct error *error)
{
	return check_name("", text, error);
}

static bool
is_pattern(const char *text, struct error *error)
{
	return policy_pattern_check(text, "", error);
}

/* A text of a form; NULL: a finding. */
static const char *
read_text(const struct spotted_reader *reader, const struct spotted *place,
	  bool (*is_good)(const char *, struct error *))
{
	const char *text = spotted_text(reader, place);
	struct error error = {0};

	if (!text || is_good(text, &error))
		return text;
	spotted_refuse(reader, place, "bad_value", arena_string(reader->arena, error.text));
	return NULL;
}

/* A member that must be there, else a finding where the map is. */
static const char *
read_name(const struct spotted_reader *reader, const struct spotted *map, const char *name)
{
	struct spotted place = spotted_member(reader, map, name);

	if (place.value)
		return read_text(reader, &place, is_name);
	place.spot = map->spot;
	spotted_refuse(reader, &place, "missing_key", "must be there");
	return NULL;
}

static bool
is_list(const struct spotted_reader *reader, const struct spotted *place)
{
	return place->value->kind == VALUE_LIST
	       || spotted_refuse(reader, place, "wrong_type", "must be a list");
}

/* The texts of a list; an absent list is an empty one. */
static const char **
read_texts(const struct spotted_reader *reader, const struct spotted *place,
	   bool (*is_good)(const char *, struct error *), size_t *count)
{
	const char **texts;

	*count = 0;
	if (!place->value || !is_list(reader, place))
		return NULL;
	texts = arena_take_array(reader->arena, place->value->as.list.count, sizeof *texts);
	for (size_t i = 0; i < place->value->as.list.count && !findings_full(reader->findings); i++) {
		struct spotted item = spotted_item(reader, place, i);

		texts[*count] = read_text(reader, &item, is_good);
		*count += texts[*count] != NULL;
	}
	*count = directory_distinct(texts, *count);
	return texts;
}

/* ------------------------------------------------------------------ groups and agents */

static void
read_group(const struct spotted_reader *reader, const struct spotted *place, struct directory_file *file)
{
	static const char *const known[] = {"name", "members", NULL};
	struct spotted members;
	const char *name;

	if (!spotted_check_map(reader, place, known))
		return;
	name = read_name(reader, place, "name");
	members = spotted_member(reader, place, "members");
	if (!members.value) {
		members.spot = place->spot;
		spotted_refuse(reader, &members, "missing_key", "must be there, [] for a group of nobody");
		return;
	}
	if (!is_list(reader, &members))
		return;
	for (size_t i = 0; name && i < members.value->as.list.count && !findings_full(reader->findings); i++) {
		struct spotted item = spotted_item(reader, &members, i);
		const char *person = read_text(reader, &item, is_name);

		if (person)
			directory_add(&file->facts, &(struct directory_fact){.kind = DIRECTORY_MEMBER,
									     .name = name,
									     .more = person,
									     .place = item});
	}
}

static void
read_agent(const struct spotted_reader *reader, const struct spotted *place, struct directory_file *file)
{
	static const char *const known[] = {"id", "owner", NULL};
	struct directory_fact fact = {.kind = DIRECTORY_AGENT, .more = "", .place = *place};

	if (!spotted_check_map(reader, place, known))
		return;
	fact.name = read_name(reader, place, "id");
	fact.owner = read_name(reader, place, "owner");
	if (fact.name && fact.owner)
		directory_add(&file->facts, &fact);
}

/* ------------------------------------------------------------------ keys */

static bool
read_public(const struct spotted_reader *reader, const struct spotted *map, struct directory_key *key)
{
	struct spotted place = spotted_member(reader, map, "public_key");
	const char *text;
	uint8_t *bytes;
	size_t length = 0;

	if (!place.value) {
		place.spot = map->spot;
		return spotted_refuse(reader, &place, "missing_key", "must be there: the x of the key's JWK");
	}
	text = spotted_text(reader, &place);
	bytes = text ? crypto_base64url_parse(reader->arena, text, strlen(text), &length) : NULL;
	if (text && (!bytes || length != sizeof key->public_key))
		return spotted_refuse(reader, &place, "bad_value",
				      "must be the x of an Ed25519 JWK: 43 characters of base64url");
	if (bytes)
		memcpy(key->public_key, bytes, length);
	return bytes != NULL;
}

static bool
read_kind(const struct spotted_reader *reader, const struct spotted *map, struct directory_key *key)
{
	struct spotted place = spotted_member(reader, map, "kind");
	const char *text;

	key->kind = "person";
	if (!place.value)
		return true;
	text = spotted_text(reader, &place);
	if (text && strcmp(text, "person") != 0 && strcmp(text, "bot") != 0 && strcmp(text, "agent") != 0)
		return spotted_refuse(reader, &place, "bad_value", "must be person, bot or agent");
	key->kind = text;
	return text != NULL;
}

static bool
read_revoked(const struct spotted_reader *reader, const struct spotted *map, struct directory_key *key)
{
	struct spotted place = spotted_member(reader, map, "revoked_at");
	const char *text;

	if (!place.value)
		return true;
	text = spotted_text(reader, &place);
	return text
	       && ((rfc3339_parse(text, strlen(text), &key->revoked_at) && key->revoked_at > 0)
		   || spotted_refuse(reader, &place, "bad_value", "must be a time as 2026-03-04T10:00:00Z"));
}

/* Who is spoken for goes with a bot, whose requests are signed with an agent. */
static bool
check_kind(const struct spotted_reader *reader, const struct spotted *map, const struct directory_key *key)
{
	struct spotted speaks_for = spotted_member(reader, map, "speaks_for"),
		       groups = spotted_member(reader, map, "groups"),
		       agents = spotted_member(reader, map, "agents");
	bool is_bot = strcmp(key->kind, "bot") == 0;

	if (speaks_for.value && !is_bot)
		return spotted_refuse(reader, &speaks_for, "bad_value", "is for keys of kind bot");
	if (groups.value && !is_bot)
		return spotted_refuse(reader, &groups, "bad_value", "is for keys of kind bot");
	if (agents.value && strcmp(key->kind, "agent") != 0)
		return spotted_refuse(reader, &agents, "bad_value", "is for keys of kind agent");
	if (is_bot && key->speaks_for_count + key->group_count == 0)
		return spotted_refuse(reader, map, "missing_key",
				      "a bot's key needs whom it speaks for: speaks_for or groups");
	return true;
}

static void
read_key(const struct spotted_reader *reader, const struct spotted *place, struct directory_file *file)
{
	static const char *const known[] = {"public_key", "owner",  "kind",	  "speaks_for",
					    "groups",	  "agents", "revoked_at", NULL};
	struct directory_key *key = arena_take(reader->arena, sizeof *key);
	struct spotted speaks_for = spotted_member(reader, place, "speaks_for"),
		       groups = spotted_member(reader, place, "groups"),
		       agents = spotted_member(reader, place, "agents");
	char *kid = arena_take(reader->arena, CRYPTO_THUMBPRINT_SIZE);
	bool good;

	if (!spotted_check_map(reader, place, known))
		return;
	key->owner = read_name(reader, place, "owner");
	key->speaks_for = read_texts(reader, &speaks_for, is_name, &key->speaks_for_count);
	key->groups = read_texts(reader, &groups, is_name, &key->group_count);
	key->agents = read_texts(reader, &agents, is_pattern, &key->agent_count);
	good = read_public(reader, place, key) && key->owner;
	good = read_kind(reader, place, key) && check_kind(reader, place, key) && good;
	good = read_revoked(reader, place, key) && good;
	if (!good)
		return;
	crypto_thumbprint(key->public_key, kid);
	directory_add(&file->facts,
		      &(struct directory_fact){
			  .kind = DIRECTORY_KEY, .name = kid, .more = "", .key = key, .place = *place});
}

/* ------------------------------------------------------------------ all of it */

static void
read_section(const struct spotted_reader *reader, const struct spotted *whole, const char *name, bool *holds,
	     void (*read_one)(const struct spotted_reader *, const struct spotted *, struct directory_file *),
	     struct directory_file *file)
{
	struct spotted list = spotted_member(reader, whole, name);

	*holds = list.value != NULL;
	if (!list.value || !is_list(reader, &list))
		return;
	for (size_t i = 0; i < list.value->as.list.count && !findings_full(reader->findings); i++) {
		struct spotted item = spotted_item(reader, &list, i);

		read_one(reader, &item, file);
	}
}

/* Of a group that is written twice the members are those of both; who is in it twice is a slip. */
static void
refuse_doubled(const struct spotted_reader *reader, const struct directory_facts *facts)
{
	for (size_t i = 1; i < facts->count && !findings_full(reader->findings); i++)
		if (directory_compare(&facts->items[i - 1], &facts->items[i]) == 0)
			spotted_refuse(reader, &facts->items[i].place, "duplicate_id",
				       "is said more than once");
}

static void
read_head(const struct spotted_reader *reader, const struct spotted *whole, struct directory_file *file)
{
	struct spotted format = spotted_member(reader, whole, "countersign"),
		       tenant = spotted_member(reader, whole, "tenant");
	const char *text = format.value ? spotted_text(reader, &format) : NULL;

	if (!format.value || (text && strcmp(text, "directory/v1") != 0)) {
		format.spot = format.value ? format.spot : whole->spot;
		spotted_refuse(reader, &format, format.value ? "bad_value" : "missing_key",
			       "must be directory/v1");
	}
	if (!tenant.value)
		return;
	file->tenant = spotted_text(reader, &tenant);
	if (file->tenant && !request_tenant_valid(file->tenant, strlen(file->tenant)))
		spotted_refuse(reader, &tenant, "bad_value", "must be 1 to 64 of a-z 0-9 _ -");
}

bool
directory_read(const struct spotted_reader *reader, const struct document *document, struct directory_file *file)
{
	static const char *const known[] = {"countersign", "tenant", "groups", "agents", "keys", NULL};
	const struct spotted whole = {document->value, document->spot, ""};

	*file = (struct directory_file){.facts.arena = reader->arena};
	if (!spotted_check_map(reader, &whole, known))
		return false;
	read_head(reader, &whole, file);
	read_section(reader, &whole, "groups", &file->holds[DIRECTORY_MEMBER], read_group, file);
	read_section(reader, &whole, "agents", &file->holds[DIRECTORY_AGENT], read_agent, file);
	read_section(reader, &whole, "keys", &file->holds[DIRECTORY_KEY], read_key, file);
	directory_sort(&file->facts);
	refuse_doubled(reader, &file->facts);
	return reader->findings->count == 0;
}
