/* SPDX-License-Identifier: Apache-2.0 */
/* test_channel_webhook.c - real connections to a receiver on loopback: what it is sent, and what it can't do to us. */
#include "services/notifier/sender.h"
#include "services/notifier/targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)

static atomic_bool abandoned;
static const uint8_t key[24] = "a secret of 24 bytes ...";
static struct webhook_secret secret = {key, sizeof key};

static int64_t
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------ a receiver */

struct receiver {
	int socket;
	uint16_t port;
	pthread_t thread;
	const char *answer; /* NULL: says nothing and waits until the other side hangs up */
	int most;	    /* calls until it ends */
	atomic_int calls;
	char request[32768]; /* the last one */
};

static void
read_request(struct receiver *receiver, int client)
{
	size_t length = 0, wanted = sizeof receiver->request - 1;

	while (length < wanted) {
		ssize_t count = recv(client, receiver->request + length, wanted - length, 0);

		if (count <= 0)
			break;
		length += (size_t)count;
		receiver->request[length] = '\0';

		const char *head = strstr(receiver->request, "\r\n\r\n");
		const char *size = strcasestr(receiver->request, "\r\ncontent-length: ");

		if (head && size)
			wanted = (size_t)(head - receiver->request) + 4 + strtoul(size + 18, NULL, 10);
	}
}

static void *
serve(void *context)
{
	struct receiver *receiver = context;

	for (int n = 0; n < receiver->most; n++) {
		int client = accept(receiver->socket, NULL, NULL);
		char rest[16];

		if (client < 0)
			break;
		read_request(receiver, client);
		atomic_fetch_add(&receiver->calls, 1);
		if (receiver->answer)
			send(client, receiver->answer, strlen(receiver->answer), MSG_NOSIGNAL);
		else
			while (recv(client, rest, sizeof rest, 0) > 0)
				;
		close(client);
	}
	return NULL;
}

static void
open_receiver(struct receiver *receiver, const char *answer, int most)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;

	*receiver = (struct receiver){.answer = answer, .most = most};
	receiver->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(receiver->socket, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(receiver->socket, 64), 0);
	assert_int_equal(getsockname(receiver->socket, (struct sockaddr *)&address, &size), 0);
	receiver->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&receiver->thread, NULL, serve, receiver), 0);
}

static void
close_receiver(struct receiver *receiver)
{
	shutdown(receiver->socket, SHUT_RDWR);
	pthread_join(receiver->thread, NULL);
	close(receiver->socket);
}

/* ------------------------------------------------------------------ a target */

struct desk {
	struct arena *arena;
	struct target target;
	struct channel_settings settings;
};

static void
open_desk(struct desk *desk, const char *host, uint16_t port, const char *allowed)
{
	struct error error = {0};

	*desk = (struct desk){.arena = arena_open()};
	desk->target = (struct target){.name = "bot", .channel = &channel_webhook, .allow_http = true};
	desk->target.secrets = (struct webhook_secrets){&secret, 1};
	assert_true(webhook_url_parse(desk->arena,
				      arena_format(desk->arena, "http://%s:%d/hook?sig=1", host, (int)port),
				      &desk->target.url, &error));
	desk->settings = (struct channel_settings){.webhook_timeout = 5 * SECOND, .abandoned = &abandoned};
	assert_true(address_list_parse(desk->arena, allowed, &desk->settings.allow_private, &error));
}

static struct channel_result
post(const struct desk *desk)
{
	const struct channel_send send = {.settings = &desk->settings,
					  .target = &desk->target,
					  .delivery_id = "id-1",
					  .body = "{\"a\":1}",
					  .length = 7};
	struct channel_result result = {0};

	channel_webhook.send(&send, &result);
	return result;
}

static struct channel_result
post_once(struct receiver *receiver, const char *answer)
{
	struct channel_result result;
	struct desk desk;

	open_receiver(receiver, answer, 1);
	open_desk(&desk, "127.0.0.1", receiver->port, "127.0.0.1/32");
	result = post(&desk);
	close_receiver(receiver);
	arena_close(desk.arena);
	return result;
}

/* ------------------------------------------------------------------ stories */

static const char *
header(const struct receiver *receiver, const char *name)
{
	const char *at = strcasestr(receiver->request, name);

	return at ? at + strlen(name) : NULL;
}

static void
the_request_is_this(void **state)
{
	struct receiver receiver;
	struct channel_result result = post_once(&receiver, "HTTP/1.1 202 Fine\r\nContent-Length: 0\r\n\r\n");
	struct arena *arena = arena_open();
	const char *stamp = header(&receiver, "\r\nwebhook-timestamp: ");
	const char *signature = header(&receiver, "\r\nwebhook-signature: ");

	(void)state;
	assert_int_equal(result.verdict, CHANNEL_SENT);
	assert_string_equal(result.code, "http_202");
	assert_int_equal(strncmp(receiver.request, "POST /hook?sig=1 HTTP/1.1\r\n", 27), 0);
	assert_int_equal(strncmp(header(&receiver, "\r\nwebhook-id: "), "id-1\r\n", 6), 0);
	assert_int_equal(strncmp(header(&receiver, "\r\ncontent-type: "), "application/json\r\n", 18), 0);
	assert_int_equal(strncmp(header(&receiver, "\r\nuser-agent: "), "countersign/", 12), 0);
	assert_null(header(&receiver, "\r\nexpect:"));
	assert_null(header(&receiver, "\r\naccept-encoding:"));
	assert_null(header(&receiver, "\r\nauthorization:"));
	assert_string_equal(strstr(receiver.request, "\r\n\r\n"), "\r\n\r\n{\"a\":1}");

	const struct webhook_secrets secrets = {&secret, 1};
	const char *expected =
	    webhook_signature(arena, &secrets, "id-1", strtoll(stamp, NULL, 10), "{\"a\":1}", 7);

	assert_int_equal(strncmp(signature, expected, strlen(expected)), 0);
	arena_close(arena);
}

static void
each_status_has_its_verdict(void **state)
{
	static const struct {
		int status;
		enum channel_verdict verdict;
	} rows[] = {
	    {200, CHANNEL_SENT},  {204, CHANNEL_SENT},	{299, CHANNEL_SENT},  {301, CHANNEL_RETRY},
	    {307, CHANNEL_RETRY}, {400, CHANNEL_RETRY}, {404, CHANNEL_RETRY}, {410, CHANNEL_GONE},
	    {429, CHANNEL_BUSY},  {500, CHANNEL_RETRY}, {502, CHANNEL_BUSY},  {503, CHANNEL_BUSY},
	    {504, CHANNEL_BUSY},  {599, CHANNEL_RETRY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct receiver receiver;
		char answer[200];
		struct channel_result result;

		snprintf(answer, sizeof answer,
			 "HTTP/1.1 %d X\r\nLocation: http://127.0.0.1:1/\r\nRetry-After: 7\r\n"
			 "Content-Length: 0\r\n\r\n",
			 rows[i].status);
		result = post_once(&receiver, answer);
		assert_int_equal(result.verdict, rows[i].verdict);
		assert_int_equal(result.retry_after, result.verdict == CHANNEL_SENT ? 0 : 7 * SECOND);
		assert_int_equal(atomic_load(&receiver.calls), 1);
	}
}

static void
what_is_no_http_is_tried_again(void **state)
{
	static const char *const answers[] = {"", "hello\r\n", "SSH-2.0-x\r\n",
					      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"};

	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		struct receiver receiver;
		struct channel_result result = post_once(&receiver, answers[i]);

		assert_int_equal(result.verdict, CHANNEL_RETRY);
		assert_null(strstr(result.text, "sig"));
	}
}

static void
an_address_that_is_not_listed_is_not_called(void **state)
{
	static const char *const lists[] = {"", "127.0.0.2/32", "10.0.0.0/8, ::1"};

	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (int https = 0; https < 2; https++) {
			struct receiver receiver;
			struct desk desk;
			struct channel_result result;

			open_receiver(&receiver, "HTTP/1.1 200 OK\r\n\r\n", 1);
			open_desk(&desk, "127.0.0.1", receiver.port, lists[i]);
			desk.target.url.is_https = https == 1;
			result = post(&desk);
			close_receiver(&receiver);
			assert_int_equal(result.verdict, CHANNEL_RETRY);
			assert_string_equal(result.code, "address_refused");
			assert_non_null(strstr(result.text, https ? "loopback" : "not on the list"));
			assert_int_equal(atomic_load(&receiver.calls), 0);
			arena_close(desk.arena);
		}
}

/* The name of a URL and the URL itself agree by construction; should they not, the socket is not made. */
static void
the_address_is_looked_at_once_more_when_it_is_connected_to(void **state)
{
	struct receiver receiver;
	struct desk desk;
	struct channel_result result;

	(void)state;
	open_receiver(&receiver, "HTTP/1.1 200 OK\r\n\r\n", 1);
	open_desk(&desk, "127.0.0.1", receiver.port, "127.0.0.9/32");
	desk.target.url.host = "127.0.0.9";
	result = post(&desk);
	close_receiver(&receiver);
	assert_string_equal(result.code, "address_refused");
	assert_non_null(strstr(result.text, "would have been connected"));
	assert_int_equal(atomic_load(&receiver.calls), 0);
	arena_close(desk.arena);
}

static void
a_name_is_called_at_an_address_that_was_looked_at(void **state)
{
	struct receiver receiver;
	struct channel_result result;
	struct desk desk;

	(void)state;
	open_receiver(&receiver, "HTTP/1.1 204 OK\r\n\r\n", 1);
	open_desk(&desk, "localhost", receiver.port, "127.0.0.0/8, ::1");
	result = post(&desk);
	close_receiver(&receiver);
	assert_string_equal(result.code, "http_204");
	assert_non_null(strcasestr(receiver.request, "\r\nhost: localhost:"));
	arena_close(desk.arena);
}

static void
proxies_of_the_environment_are_not_asked(void **state)
{
	struct receiver receiver;
	struct channel_result result;

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	result = post_once(&receiver, "HTTP/1.1 204 OK\r\n\r\n");
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	assert_string_equal(result.code, "http_204");
}

static void
a_name_that_nobody_knows_is_tried_again(void **state)
{
	struct channel_result result;
	struct desk desk;

	(void)state;
	open_desk(&desk, "nowhere.invalid", 80, "127.0.0.1/32");
	result = post(&desk);
	assert_int_equal(result.verdict, CHANNEL_RETRY);
	assert_true(strcmp(result.code, "resolve") == 0 || strcmp(result.code, "timeout") == 0);
	arena_close(desk.arena);
}

static void
a_closed_port_is_tried_again(void **state)
{
	struct channel_result result;
	struct desk desk;

	(void)state;
	open_desk(&desk, "127.0.0.1", 1, "127.0.0.1/32");
	result = post(&desk);
	assert_int_equal(result.verdict, CHANNEL_RETRY);
	assert_string_equal(result.code, "connect");
	arena_close(desk.arena);
}

static void
silence_meets_the_deadline(void **state)
{
	struct receiver receiver;
	struct channel_result result;
	struct desk desk;
	int64_t begun = milliseconds();

	(void)state;
	open_receiver(&receiver, NULL, 1);
	open_desk(&desk, "127.0.0.1", receiver.port, "127.0.0.1/32");
	desk.settings.webhook_timeout = SECOND / 3;
	result = post(&desk);
	close_receiver(&receiver);
	assert_string_equal(result.code, "timeout");
	assert_true(milliseconds() - begun >= 330 && milliseconds() - begun < 1500);
	arena_close(desk.arena);
}

static struct attempt *
attempt_of(const struct desk *desk, int n)
{
	struct arena *arena = arena_open();
	struct attempt *attempt = arena_take(arena, sizeof *attempt);

	attempt->arena = arena;
	attempt->channel = &channel_webhook;
	attempt->send = (struct channel_send){.settings = &desk->settings,
					      .target = &desk->target,
					      .delivery_id = arena_format(arena, "id-%d", n),
					      .body = "{}",
					      .length = 2};
	return attempt;
}

static void
many_at_once_do_not_meet(void **state)
{
	struct sender *sender = sender_open(1, 16);
	struct receiver receiver;
	struct desk desk;
	int sent = 0;

	(void)state;
	open_receiver(&receiver, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 64);
	open_desk(&desk, "127.0.0.1", receiver.port, "127.0.0.1/32");
	for (int n = 0; n < 64 || sender_running(sender) > 0;) {
		while (n < 64 && sender_room(sender, 0) > 0)
			sender_start(sender, attempt_of(&desk, n++));
		sender_wait(sender, SECOND);
		for (struct attempt *one = sender_steal(sender), *next; one; one = next) {
			next = one->next;
			sent += one->result.verdict == CHANNEL_SENT;
			attempt_close(one);
		}
	}
	assert_int_equal(sent, 64);
	assert_true(sender_close(sender));
	close_receiver(&receiver);
	assert_int_equal(atomic_load(&receiver.calls), 64);
	arena_close(desk.arena);
}

static void
it_ends_soon_when_the_notifier_does(void **state)
{
	struct sender *sender = sender_open(1, 1);
	struct receiver receiver;
	struct desk desk;
	struct attempt *attempt;
	int64_t begun;

	(void)state;
	open_receiver(&receiver, NULL, 1);
	open_desk(&desk, "127.0.0.1", receiver.port, "127.0.0.1/32");
	desk.settings.webhook_timeout = 60 * SECOND;
	sender_start(sender, attempt_of(&desk, 1));
	while (atomic_load(&receiver.calls) == 0)
		usleep(1000);
	begun = milliseconds();
	atomic_store(&abandoned, true);
	sender_wait(sender, 10 * SECOND);
	atomic_store(&abandoned, false);
	attempt = sender_steal(sender);
	assert_non_null(attempt);
	assert_string_equal(attempt->result.code, "abandoned");
	assert_int_equal(attempt->result.verdict, CHANNEL_UNTRIED);
	assert_true(milliseconds() - begun < 2000);
	attempt_close(attempt);
	assert_true(sender_close(sender));
	close_receiver(&receiver);
	arena_close(desk.arena);
}

static int
prepare(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : -1;
}

static int
clean_up(void **state)
{
	(void)state;
	curl_global_cleanup();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_request_is_this),
	    cmocka_unit_test(each_status_has_its_verdict),
	    cmocka_unit_test(what_is_no_http_is_tried_again),
	    cmocka_unit_test(an_address_that_is_not_listed_is_not_called),
	    cmocka_unit_test(the_address_is_looked_at_once_more_when_it_is_connected_to),
	    cmocka_unit_test(a_name_is_called_at_an_address_that_was_looked_at),
	    cmocka_unit_test(proxies_of_the_environment_are_not_asked),
	    cmocka_unit_test(a_name_that_nobody_knows_is_tried_again),
	    cmocka_unit_test(a_closed_port_is_tried_again),
	    cmocka_unit_test(silence_meets_the_deadline),
	    cmocka_unit_test(many_at_once_do_not_meet),
	    cmocka_unit_test(it_ends_soon_when_the_notifier_does),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
