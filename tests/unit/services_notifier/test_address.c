/* SPDX-License-Identifier: Apache-2.0 */
/* test_address.c - which addresses may be called: one row an address, whatever way it is written. */
#include "services/notifier/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct address
address_from(const char *text)
{
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct address address;

	if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
		assert_true(address_of((struct sockaddr *)&four, &address));
	else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1)
		assert_true(address_of((struct sockaddr *)&six, &address));
	else
		fail_msg("%s is no address", text);
	return address;
}

/* what NULL: it may be called. */
static const struct row {
	const char *address, *what;
} rows[] = {
    {"1.1.1.1", NULL},
    {"8.8.8.8", NULL},
    {"100.63.255.255", NULL},
    {"100.128.0.0", NULL},
    {"172.15.255.255", NULL},
    {"172.32.0.0", NULL},
    {"192.167.255.255", NULL},
    {"192.169.0.0", NULL},
    {"198.17.255.255", NULL},
    {"198.20.0.0", NULL},
    {"223.255.255.255", NULL},
    {"168.63.129.15", NULL},
    {"11.0.0.0", NULL},
    {"2606:4700:4700::1111", NULL},
    {"2a00:1450:4001::1", NULL},
    {"::ffff:1.1.1.1", NULL},
    {"64:ff9b::1.1.1.1", NULL},
    {"0.0.0.0", "this network"},
    {"0.255.255.255", "this network"},
    {"10.0.0.1", "private"},
    {"10.255.255.255", "private"},
    {"100.64.0.1", "shared between carriers"},
    {"100.100.100.200", "shared between carriers"},
    {"100.127.255.255", "shared between carriers"},
    {"127.0.0.1", "loopback"},
    {"127.255.255.254", "loopback"},
    {"168.63.129.16", "metadata of a cloud"},
    {"169.254.169.254", "link-local"},
    {"169.254.0.1", "link-local"},
    {"172.16.0.1", "private"},
    {"172.31.255.255", "private"},
    {"192.0.0.192", "protocol assignments"},
    {"192.0.2.1", "documentation"},
    {"192.88.99.1", "6to4 relay"},
    {"192.168.1.1", "private"},
    {"198.18.0.1", "benchmarking"},
    {"198.19.255.255", "benchmarking"},
    {"198.51.100.7", "documentation"},
    {"203.0.113.9", "documentation"},
    {"224.0.0.1", "multicast"},
    {"239.255.255.255", "multicast"},
    {"240.0.0.1", "reserved"},
    {"255.255.255.255", "reserved"},
    {"::", "unspecified"},
    {"::1", "loopback"},
    {"::127.0.0.1", "not global"},
    {"::ffff:127.0.0.1", "loopback"},
    {"::ffff:10.1.2.3", "private"},
    {"::ffff:169.254.169.254", "link-local"},
    {"::ffff:0:127.0.0.1", "not global"},
    {"64:ff9b::127.0.0.1", "loopback"},
    {"64:ff9b::a9fe:a9fe", "link-local"},
    {"64:ff9b:1::1", "local translation"},
    {"100::1", "discarded"},
    {"2001::1", "protocol assignments"},
    {"2001:db8::1", "documentation"},
    {"2002:7f00:1::", "6to4"},
    {"3fff::1", "documentation"},
    {"4000::1", "not global"},
    {"5f00::1", "segment routing"},
    {"fc00::1", "private"},
    {"fd00:ec2::254", "private"},
    {"fe80::1", "link-local"},
    {"febf::1", "link-local"},
    {"fec0::1", "site-local"},
    {"ff02::1", "multicast"},
};

static void
only_what_belongs_to_the_internet_may_be_called(void **state)
{
	const struct address_list nothing = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct address address = address_from(rows[i].address);
		const char *what = address_refusal(&address, &nothing, false);

		if (!what != !rows[i].what || (what && strcmp(what, rows[i].what) != 0))
			fail_msg("%s: %s, expected %s", rows[i].address, what ? what : "may be called",
				 rows[i].what ? rows[i].what : "may be called");
		assert_string_equal(address_refusal(&address, &nothing, true),
				    "not on the list of allowed networks");
	}
}

/* Whatever getaddrinfo makes of it is what is looked at. */
static void
numbers_in_any_form_are_the_addresses_they_stand_for(void **state)
{
	static const char *const forms[] = {"127.1",	  "2130706433", "0x7f000001",  "0177.0.0.1",
					    "0x7f.0.0.1", "127.0.1",	"017700000001"};
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	const struct address_list nothing = {0};

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct addrinfo *found;
		struct address address;

		assert_int_equal(getaddrinfo(forms[i], NULL, &hints, &found), 0);
		assert_true(address_of(found->ai_addr, &address));
		assert_string_equal(address_refusal(&address, &nothing, false), "loopback");
		freeaddrinfo(found);
	}
}

static void
what_is_listed_may_be_called_and_nothing_beside_it(void **state)
{
	struct arena *arena = arena_open();
	struct error error = {0};
	struct address_list list;
	static const struct {
		const char *address;
		bool listed;
	} asked[] = {
	    {"10.1.0.0", true},	     {"10.1.255.255", true},	{"10.2.0.0", false},
	    {"10.0.255.255", false}, {"::ffff:10.1.0.7", true}, {"127.0.0.1", true},
	    {"127.0.0.2", false},    {"fd00:1::ffff", true},	{"fd00:1:0:1::", false},
	    {"1.1.1.1", false},	     {"192.168.3.128", true},	{"192.168.3.127", false},
	    {"::1", true},
	};

	(void)state;
	assert_true(address_list_parse(arena, " 10.1.0.0/16, 127.0.0.1 ,fd00:1::/64,192.168.3.128/25, ::1 ",
				       &list, &error));
	assert_int_equal(list.count, 5);
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct address address = address_from(asked[i].address);

		if (address_listed(&address, &list) != asked[i].listed)
			fail_msg("%s", asked[i].address);
		assert_int_equal(!address_refusal(&address, &list, true), asked[i].listed);
	}
	arena_close(arena);
}

static void
a_list_that_is_none_is_refused(void **state)
{
	static const char *const bad[] = {"10.1.0.1/16", "10.0.0.0/33", "10.0.0.0/",   "10.0.0/8",
					  "a",		 "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0 /8",
					  "10.0.0.0/8;", "fd00::1/64",	"fd00::/129",  "10.0.0.0/8 a",
					  ",10.0.0.0/8", "10.0.0.0/1e"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct arena *arena = arena_open();
		struct error error = {0};
		struct address_list list;

		if (address_list_parse(arena, bad[i], &list, &error))
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(error.kind, ERROR_INVALID);
		arena_close(arena);
	}
}

static void
an_empty_list_allows_nothing(void **state)
{
	struct arena *arena = arena_open();
	struct error error = {0};
	struct address_list list;

	(void)state;
	assert_true(address_list_parse(arena, "", &list, &error));
	assert_int_equal(list.count, 0);
	arena_close(arena);
}

static void
other_families_have_no_address(void **state)
{
	struct sockaddr local = {.sa_family = AF_UNIX};
	struct address address;

	(void)state;
	assert_false(address_of(&local, &address));
}

static void
addresses_are_shown_as_people_know_them(void **state)
{
	struct address four = address_from("::ffff:10.1.2.3"), six = address_from("fd00:0:0::1");
	char text[ADDRESS_TEXT_SIZE];

	(void)state;
	address_text(&four, text);
	assert_string_equal(text, "10.1.2.3");
	address_text(&six, text);
	assert_string_equal(text, "fd00::1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_what_belongs_to_the_internet_may_be_called),
	    cmocka_unit_test(numbers_in_any_form_are_the_addresses_they_stand_for),
	    cmocka_unit_test(what_is_listed_may_be_called_and_nothing_beside_it),
	    cmocka_unit_test(a_list_that_is_none_is_refused),
	    cmocka_unit_test(an_empty_list_allows_nothing),
	    cmocka_unit_test(other_families_have_no_address),
	    cmocka_unit_test(addresses_are_shown_as_people_know_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
