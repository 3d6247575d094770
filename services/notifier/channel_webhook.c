/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_webhook.c - one signed POST. Where it goes is looked up here, every address is looked at before anything is sent and
 * once more when a socket is made for it; nothing that the receiver answers can send us elsewhere or keep us busy.
 */
#include "services/notifier/targets.h"

#include "common/clock/clock.h"
#include "common/service/service.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
enum { ANSWER_MAX = 64 * 1024, CONNECT_MAX_MS = 10000, ADDRESSES_MAX = 16 };

/* One POST. */
struct post {
	const struct channel_send *send;
	struct channel_result *result;
	struct arena *arena;
	int64_t deadline; /* by CLOCK_MONOTONIC */
	CURL *curl;
	struct curl_slist *headers, *pinned; /* pinned: NULL when the URL has an address and no name */
	size_t answered;		     /* bytes of the answer's body */
	bool is_cut;
	const char *refused; /* what the address is that we were about to connect to; NULL: none was refused */
};

/* ------------------------------------------------------------------ the targets file */

static const char *const members[] = {"url", "secret_file", "ca_file", "allow_http", NULL};

static bool
check_url(const struct targets_place *place, struct target *target, const char *text, struct error *error)
{
	struct error why = {0};
	bool listed;

	if (!webhook_url_parse(place->arena, text, &target->url, &why))
		return targets_refuse(place, "url", error, "%s", why.text);
	if (!target->url.is_https && !target->allow_http)
		return targets_refuse(place, "url", error, "must begin with https:// (or set allow_http)");
	if (!webhook_port_listed(place->rules->ports, target->url.port, &listed, &why))
		return error_set(error, ERROR_BROKEN, "config", "webhook.ports: %s", why.text);
	if (!listed)
		return targets_refuse(place, "url", error, "port %d is not among webhook.ports",
				      (int)target->url.port);
	return true;
}

static bool
check_secrets(const struct targets_place *place, struct target *target, const char *text, struct error *error)
{
	struct error why = {0};

	return webhook_secrets_parse(place->arena, text, &target->secrets, &why)
	       || targets_refuse(place, "secret_file", error, "%s", why.text);
}

static bool
check_ca_file(const struct targets_place *place, const struct target *target, struct error *error)
{
	return !target->ca_file || access(target->ca_file, R_OK) == 0
	       || targets_refuse(place, "ca_file", error, "%s", strerror(errno));
}

static bool
read_members(const struct targets_place *place, struct target *target, struct error *error)
{
	const char *url, *secrets;

	return targets_flag(place, "allow_http", &target->allow_http, error)
	       && targets_string(place, "url", true, &url, error) && check_url(place, target, url, error)
	       && targets_secret(place, "secret_file", &secrets, error)
	       && check_secrets(place, target, secrets, error)
	       && targets_string(place, "ca_file", false, &target->ca_file, error)
	       && check_ca_file(place, target, error);
}

static int64_t
longest(const struct channel_settings *settings)
{
	return settings->webhook_timeout;
}

/* ------------------------------------------------------------------ addresses */

static const char *
judge(const struct post *post, const struct sockaddr *sockaddr)
{
	struct address address;

	if (!address_of(sockaddr, &address))
		return "not of the internet";
	return address_refusal(&address, &post->send->settings->allow_private,
			       !post->send->target->url.is_https);
}

/* All of them must be fit to be called: a name that leads elsewhere too leads there some day. */
static bool
check_addresses(struct post *post, const struct addrinfo *found)
{
	for (const struct addrinfo *one = found; one; one = one->ai_next) {
		const char *what = judge(post, one->ai_addr);

		if (what) {
			channel_end(post->result, CHANNEL_RETRY, "address_refused",
				    "its name leads to an address that is %s", what);
			return false;
		}
	}
	return true;
}

/* HOST:PORT:ADDRESS,ADDRESS…: curl looks nothing up itself. */
static bool
pin(struct post *post, const struct addrinfo *found)
{
	const struct webhook_url *url = &post->send->target->url;
	struct buffer entry = {.arena = post->arena};
	size_t count = 0;

	if (url->is_numeric)
		return true;
	buffer_add_format(&entry, "%s:%d:", url->host, (int)url->port);
	for (const struct addrinfo *one = found; one && count < ADDRESSES_MAX; one = one->ai_next, count++) {
		char text[INET6_ADDRSTRLEN];

		if (getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) == 0)
			buffer_add_format(&entry, one->ai_family == AF_INET6 ? "%s[%s]" : "%s%s",
					  count > 0 ? "," : "", text);
	}
	post->pinned = curl_slist_append(NULL, entry.bytes);
	return post->pinned != NULL;
}

/* A name server that takes its time takes it from this attempt: after the deadline nothing is sent. */
static bool
resolve(struct post *post)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	int fault = getaddrinfo(post->send->target->url.host, NULL, &hints, &found);
	bool ok = false;

	if (fault != 0)
		channel_end(post->result, CHANNEL_RETRY, "resolve", "its name can't be looked up: %s",
			    gai_strerror(fault));
	else if (clock_monotonic() >= post->deadline)
		channel_end(post->result, CHANNEL_RETRY, "timeout", "looking up its name took too long");
	else
		ok = check_addresses(post, found) && pin(post, found);
	if (found)
		freeaddrinfo(found);
	return ok;
}

/* ------------------------------------------------------------------ what curl calls */

static curl_socket_t
open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct post *post = context;
	const char *what = judge(post, &address->addr);

	(void)purpose;
	if (what) {
		post->refused = what;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Nothing of it is kept; who answers without end is cut off. */
static size_t
take_answer(char *bytes, size_t size, size_t count, void *context)
{
	struct post *post = context;

	(void)bytes;
	post->answered += size * count;
	post->is_cut = post->answered > ANSWER_MAX;
	return post->is_cut ? CURL_WRITEFUNC_ERROR : size * count;
}

static int
look_up(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
	struct post *post = context;

	(void)down_total, (void)down, (void)up_total, (void)up;
	return atomic_load(post->send->settings->abandoned);
}

/* ------------------------------------------------------------------ the request */

static bool
add_header(struct post *post, const char *name, const char *value)
{
	struct curl_slist *longer =
	    curl_slist_append(post->headers, arena_format(post->arena, "%s: %s", name, value));

	if (longer)
		post->headers = longer;
	return longer != NULL;
}

static bool
add_headers(struct post *post)
{
	const struct channel_send *send = post->send;
	int64_t now = time(NULL);

	return add_header(post, "content-type", "application/json")
	       && add_header(post, "user-agent", "countersign/" CS_VERSION)
	       && add_header(post, "webhook-id", send->delivery_id)
	       && add_header(post, "webhook-timestamp", arena_format(post->arena, "%" PRId64, now))
	       && add_header(post, "webhook-signature",
			     webhook_signature(post->arena, &send->target->secrets, send->delivery_id, now,
					       send->body, send->length))
	       && (post->headers = curl_slist_append(post->headers, "Expect:")) != NULL;
}

#define set(option, value) (curl_easy_setopt(post->curl, option, value) == CURLE_OK)

static bool
set_request(struct post *post)
{
	const struct channel_send *send = post->send;

	return set(CURLOPT_URL, send->target->url.text) && set(CURLOPT_HTTPHEADER, post->headers)
	       && set(CURLOPT_POST, 1L) && set(CURLOPT_POSTFIELDS, send->body)
	       && set(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)send->length)
	       && set(CURLOPT_WRITEFUNCTION, take_answer) && set(CURLOPT_WRITEDATA, post);
}

/* What the receiver, the environment and the libraries' defaults could change about where it goes and for how long. */
static bool
set_limits(struct post *post)
{
	int64_t left = (post->deadline - clock_monotonic()) / 1000;
	const char *scheme = post->send->target->url.is_https ? "https" : "http";

	left = left > 1 ? left : 1;
	return set(CURLOPT_PROTOCOLS_STR, scheme) && set(CURLOPT_REDIR_PROTOCOLS_STR, scheme)
	       && set(CURLOPT_FOLLOWLOCATION, 0L) && set(CURLOPT_PROXY, "") && set(CURLOPT_NOPROXY, "*")
	       && set(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) && set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L)
	       && set(CURLOPT_RESOLVE, post->pinned) && set(CURLOPT_OPENSOCKETFUNCTION, open_socket)
	       && set(CURLOPT_OPENSOCKETDATA, post) && set(CURLOPT_NOSIGNAL, 1L)
	       && set(CURLOPT_TIMEOUT_MS, (long)left)
	       && set(CURLOPT_CONNECTTIMEOUT_MS, (long)(left < CONNECT_MAX_MS ? left : CONNECT_MAX_MS))
	       && set(CURLOPT_NOPROGRESS, 0L) && set(CURLOPT_XFERINFOFUNCTION, look_up)
	       && set(CURLOPT_XFERINFODATA, post);
}

/* A CA file of the target's own counts alone. */
static bool
set_tls(struct post *post)
{
	const char *ca_file = post->send->target->ca_file;

	return set(CURLOPT_SSL_VERIFYPEER, 1L) && set(CURLOPT_SSL_VERIFYHOST, 2L)
	       && set(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2)
	       && (!ca_file || (set(CURLOPT_CAINFO, ca_file) && set(CURLOPT_CAPATH, NULL)));
}

/* ------------------------------------------------------------------ how it ended */

static void
read_retry_after(struct post *post)
{
	struct curl_header *header;

	if (curl_easy_header(post->curl, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
		post->result->retry_after = webhook_retry_after(header->value, time(NULL));
}

static enum channel_verdict
verdict_of(long status)
{
	if (status >= 200 && status <= 299)
		return CHANNEL_SENT;
	if (status == 410)
		return CHANNEL_GONE;
	if (status == 429 || status == 502 || status == 503 || status == 504)
		return CHANNEL_BUSY;
	return CHANNEL_RETRY;
}

static void
answered(struct post *post)
{
	char code[CHANNEL_CODE_SIZE];
	long status = 0;

	curl_easy_getinfo(post->curl, CURLINFO_RESPONSE_CODE, &status);
	snprintf(code, sizeof code, "http_%ld", status);
	channel_end(post->result, verdict_of(status), code, "HTTP %ld%s", status,
		    post->is_cut ? ", its answer was cut" : "");
	if (post->result->verdict != CHANNEL_SENT)
		read_retry_after(post);
}

static const char *
code_of(CURLcode fault)
{
	switch (fault) {
	case CURLE_OPERATION_TIMEDOUT:
		return "timeout";
	case CURLE_COULDNT_CONNECT:
		return "connect";
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CACERT_BADFILE:
		return "tls";
	case CURLE_ABORTED_BY_CALLBACK:
		return "abandoned";
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
		return "connection_lost";
	default:
		return "http";
	}
}

static void
perform(struct post *post)
{
	CURLcode fault = curl_easy_perform(post->curl);

	if (fault == CURLE_OK || (fault == CURLE_WRITE_ERROR && post->is_cut))
		answered(post);
	else if (post->refused)
		channel_end(post->result, CHANNEL_RETRY, "address_refused",
			    "it would have been connected to an address that is %s", post->refused);
	else
		channel_end(post->result, fault == CURLE_ABORTED_BY_CALLBACK ? CHANNEL_UNTRIED : CHANNEL_RETRY,
			    code_of(fault), "%s", curl_easy_strerror(fault));
}

static void
send_post(const struct channel_send *send, struct channel_result *result)
{
	struct post post = {
	    .send = send,
	    .result = result,
	    .arena = arena_open(),
	    .deadline = clock_monotonic() + send->settings->webhook_timeout,
	};

	channel_end(result, CHANNEL_RETRY, "curl", "curl can't do what is asked of it");
	if (resolve(&post)) {
		post.curl = curl_easy_init();
		if (post.curl && add_headers(&post) && set_request(&post) && set_limits(&post) && set_tls(&post))
			perform(&post);
	}
	curl_easy_cleanup(post.curl);
	curl_slist_free_all(post.headers);
	curl_slist_free_all(post.pinned);
	arena_close(post.arena);
}

const struct channel channel_webhook = {
    .name = "webhook", .members = members, .read = read_members, .longest = longest, .send = send_post};
