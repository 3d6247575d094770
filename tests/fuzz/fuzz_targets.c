/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_targets.c - the notifier's targets file. What is taken is found by its name and nowhere else; every refusal names the
 * file. SECRET stands for a file with a secret in it; files in /dev and /proc are not opened for the sake of a test.
 */
#include "services/notifier/targets.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Made once in a folder of its own, removed at the end. */
static char secret_path[] = "/tmp/countersign-fuzz-secret-XXXXXX";

static void
remove_secret(void)
{
	unlink(secret_path);
}

static void
make_secret(void)
{
	static const char text[] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
	static bool made;
	int fd = made ? -1 : mkstemp(secret_path);

	if (fd < 0)
		return;
	made = true;
	if (fchmod(fd, S_IRUSR | S_IWUSR) != 0 || write(fd, text, sizeof text - 1) < 0)
		abort();
	close(fd);
	atexit(remove_secret);
}

static struct text
with_secret(struct arena *arena, struct text text)
{
	struct buffer out = {.arena = arena};
	const char *at;

	buffer_add_text(&out, "");
	while (text.length && (at = memmem(text.bytes, text.length, "SECRET", 6))) {
		size_t before = (size_t)(at - text.bytes);

		buffer_add(&out, text.bytes, before);
		buffer_add_text(&out, secret_path);
		text.bytes += before + 6;
		text.length -= before + 6;
	}
	buffer_add(&out, text.bytes, text.length);
	return (struct text){out.bytes, out.length};
}

static bool
may_name_devices(struct text text)
{
	return text.length
	       && (memmem(text.bytes, text.length, "dev", 3) || memmem(text.bytes, text.length, "proc", 4)
		   || memmem(text.bytes, text.length, "\\u", 2));
}

static void
check_taken(const struct targets *targets)
{
	static const char *const group[] = {"managers"};

	assert(targets->count <= TARGETS_MAX);
	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->items[i];

		assert(target->name[0] && strlen(target->name) <= 64 && target->channel);
		assert(targets_find(targets, target->channel->name, target->name) == (int)i);
		for (size_t before = 0; before < i; before++)
			assert(strcmp(targets->items[before].name, target->name) != 0);
		assert(target->events && !(target->events & ~15u));
		if (target->channel == &channel_webhook)
			assert(target->url.host && target->url.port && target->secrets.count
			       && (target->url.is_https || target->allow_http));
		if (target->channel == &channel_command)
			assert(target->argv[0][0] == '/');
		if (!target->groups && !target->tenants)
			assert(targets_wants(target, "default", group, 1, TARGET_OPENED)
			       == ((target->events & TARGET_OPENED) != 0));
	}
}

int
FUZZ_TARGET(targets)(const uint8_t *bytes, size_t length)
{
	static const struct targets_rules rules = {.ports = "443,8443"};
	struct text text = {(const char *)bytes, length};
	struct arena *arena = arena_open();
	struct error error = {0};
	struct targets targets;

	make_secret();
	if (!may_name_devices(text)) {
		text = with_secret(arena, text);
		if (targets_parse("t.json", text.bytes, text.length, &rules, &targets, &error)) {
			check_taken(&targets);
			targets_close(&targets);
		} else {
			fuzz_refused(&error, ERROR_BROKEN);
			assert(strncmp(error.text, "t.json", 6) == 0);
		}
	}
	arena_close(arena);
	return 0;
}
