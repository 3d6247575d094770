/* SPDX-License-Identifier: Apache-2.0 */
/* channel_log.c - tells whoever reads the log: one line with the ids and the headline of the card. */
#include "services/notifier/targets.h"

#include "common/message/json.h"

#include <string.h>

static const char *const members[] = {NULL};

static bool
read_members(const struct targets_place *place, struct target *target, struct error *error)
{
	(void)place, (void)target, (void)error;
	return true;
}

static int64_t
longest(const struct channel_settings *settings)
{
	(void)settings;
	return 1000000;
}

/* The first line of the card, which is our own text. */
static const char *
headline(struct arena *arena, const struct channel_send *send)
{
	struct error ignored = {0};
	const struct value *body = json_parse(arena, send->body, send->length, &json_limits_event, &ignored);
	const char *text = value_get_string(value_get(body, "data"), "text");

	return text ? arena_copy(arena, text, strcspn(text, "\n")) : "";
}

static void
send_line(const struct channel_send *send, struct channel_result *result)
{
	struct arena *arena = arena_open();

	log_info(send->settings->log, "notice", log_text("kind", send->kind), log_text("tenant", send->tenant),
		 log_text("request_id", send->request_id), log_text("approval_id", send->approval_id),
		 log_text("delivery_id", send->delivery_id), log_text("headline", headline(arena, send)));
	arena_close(arena);
	channel_end(result, CHANNEL_SENT, "logged", "written to the log");
}

const struct channel channel_log = {
    .name = "log", .members = members, .read = read_members, .longest = longest, .send = send_line};
