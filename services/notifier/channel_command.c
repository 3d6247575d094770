/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_command.c - a program of the operator's: the body on its stdin, no shell, nothing of ours but that. Exit 0 is sent, 100 is
 * never, anything else is try again; the first line that it writes is its reference.
 */
#include "services/notifier/targets.h"
#include "common/clock/clock.h"
#include "common/visible/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
#define GRACE (2 * SECOND) /* between SIGTERM and SIGKILL */
enum { SLICE_MS = 20, LINE_MAX_BYTES = 256, EXIT_NEVER = 100 };

struct program {
	const struct channel_send *send;
	pid_t pid;   /* of the program and of its group */
	int in, out; /* our ends; -1: closed */
	size_t written;
	char line[LINE_MAX_BYTES];
	size_t length;
	bool has_line; /* the first line is over */
};

/* ------------------------------------------------------------------ the targets file */

static const char *const members[] = {"argv", NULL};

static bool
read_members(const struct targets_place *place, struct target *target, struct error *error)
{
	return targets_strings(place, "argv", true, &target->argv, error)
	       && (target->argv[0][0] == '/'
		   || targets_refuse(place, "argv", error, "must begin with an absolute path"));
}

static int64_t
longest(const struct channel_settings *settings)
{
	return settings->command_timeout + GRACE;
}

/* ------------------------------------------------------------------ beginning */

static void
close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool
set_up(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions, int in, int out)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
							| POSIX_SPAWN_SETSIGDEF)
		   == 0
	       && posix_spawnattr_setpgroup(attributes, 0) == 0
	       && posix_spawnattr_setsigmask(attributes, &none) == 0
	       && posix_spawnattr_setsigdefault(attributes, &all) == 0
	       && posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO) == 0
	       && posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO) == 0
	       && posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0
	       && posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1) == 0;
}

static int
spawn(struct program *program, int in, int out)
{
	static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", NULL};
	const char *const *argv = program->send->target->argv;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int fault = ENOMEM;

	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_init(&actions);
	if (set_up(&attributes, &actions, in, out))
		fault = posix_spawn(&program->pid, argv[0], &actions, &attributes, (char *const *)argv,
				    (char *const *)environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return fault;
}

/* 0, or why there is no program. */
static int
begin(struct program *program)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	int fault = 0;

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || fcntl(in[1], F_SETFL, O_NONBLOCK) != 0
	    || fcntl(out[0], F_SETFL, O_NONBLOCK) != 0)
		fault = errno;
	else
		fault = spawn(program, in[0], out[1]);
	close_end(&in[0]);
	close_end(&out[1]);
	program->in = in[1];
	program->out = out[0];
	return fault;
}

/* ------------------------------------------------------------------ talking */

static void
write_body(struct program *program)
{
	const struct channel_send *send = program->send;
	ssize_t count =
	    write(program->in, (const char *)send->body + program->written, send->length - program->written);

	if (count > 0)
		program->written += (size_t)count;
	/* who does not want to read it to its end need not */
	if (program->written == send->length || (count < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&program->in);
}

/* All that it writes is read, so that it is not held up; the first line is kept. */
static void
read_line(struct program *program)
{
	char bytes[4096];
	ssize_t count = read(program->out, bytes, sizeof bytes);

	for (ssize_t i = 0; i < count && !program->has_line; i++) {
		program->has_line = bytes[i] == '\n' || program->length == sizeof program->line;
		if (!program->has_line)
			program->line[program->length++] = bytes[i];
	}
	if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&program->out);
}

static void
talk(struct program *program, int wait_ms)
{
	struct pollfd ends[] = {{.fd = program->in, .events = POLLOUT}, {.fd = program->out, .events = POLLIN}};

	if (poll(ends, 2, wait_ms) <= 0)
		return;
	if (ends[0].revents != 0)
		write_body(program);
	if (ends[1].revents != 0)
		read_line(program);
}

/* ------------------------------------------------------------------ ending */

/* Its id stays its own until it is waited for. */
static bool
has_ended(const struct program *program)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)program->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

static bool
ended_by(struct program *program, int64_t until, const atomic_bool *abandoned)
{
	while (!has_ended(program)) {
		if (clock_monotonic() >= until || (abandoned && atomic_load(abandoned)))
			return false;
		talk(program, SLICE_MS);
	}
	return true;
}

/* With all that it has started and that stayed in its group. */
static void
stop(struct program *program)
{
	kill(-program->pid, SIGTERM);
	if (!ended_by(program, clock_monotonic() + GRACE, NULL))
		kill(program->pid, SIGKILL);
	kill(-program->pid, SIGKILL);
}

static void
set_reference(const struct program *program, struct channel_result *result)
{
	struct arena *arena = arena_open();
	struct buffer text = {.arena = arena};

	visible_add(&text, program->line, program->length);
	snprintf(result->reference, sizeof result->reference, "%s", text.bytes);
	arena_close(arena);
}

static void
judge(const struct program *program, int status, struct channel_result *result)
{
	int number = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	char code[CHANNEL_CODE_SIZE];

	snprintf(code, sizeof code, WIFEXITED(status) ? "exit_%d" : "signal_%d", number);
	if (!WIFEXITED(status))
		channel_end(result, CHANNEL_RETRY, code, "the program was ended by signal %d", number);
	else if (number == 0)
		channel_end(result, CHANNEL_SENT, code, "the program took it");
	else
		channel_end(result, number == EXIT_NEVER ? CHANNEL_REFUSED : CHANNEL_RETRY, code,
			    "the program ended with %d", number);
	if (result->verdict == CHANNEL_SENT)
		set_reference(program, result);
}

static void
run(struct program *program, struct channel_result *result)
{
	const struct channel_settings *settings = program->send->settings;
	bool in_time = ended_by(program, clock_monotonic() + settings->command_timeout, settings->abandoned);
	int status = 0;

	if (!in_time)
		stop(program);
	while (program->out >= 0 && in_time && !program->has_line) {
		size_t before = program->length;

		talk(program, 0); /* what was written before it ended */
		if (program->length == before)
			break;
	}
	waitpid(program->pid, &status, 0);
	if (in_time)
		judge(program, status, result);
	else if (atomic_load(settings->abandoned))
		channel_end(result, CHANNEL_UNTRIED, "abandoned", "the notifier was stopped");
	else
		channel_end(result, CHANNEL_RETRY, "timeout", "the program took too long and was ended");
}

static void
run_program(const struct channel_send *send, struct channel_result *result)
{
	struct program program = {.send = send, .in = -1, .out = -1};
	int fault = begin(&program);

	if (fault == 0)
		run(&program, result);
	else
		channel_end(result, CHANNEL_RETRY, "spawn", "the program can't be started: %s",
			    strerror(fault));
	close_end(&program.in);
	close_end(&program.out);
}

const struct channel channel_command = {
    .name = "command", .members = members, .read = read_members, .longest = longest, .send = run_program};
