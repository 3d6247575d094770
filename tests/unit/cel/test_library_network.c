/* SPDX-License-Identifier: Apache-2.0 */
/* test_library_network.c - addresses and networks in expressions. */
#include "tests/unit/cel/evaluate.h"

static void
reads_and_writes_addresses(void **state)
{
	(void)state;
	ALL_TRUE("string(ip('192.168.0.1')) == '192.168.0.1'", "string(ip('0.0.0.0')) == '0.0.0.0'",
		 "string(ip('::')) == '::'", "string(ip('::1')) == '::1'", "string(ip('1::')) == '1::'",
		 "string(ip('2001:DB8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
		 "string(ip('2001:db8:0:1:1:1:1:1')) == '2001:db8:0:1:1:1:1:1'",
		 "string(ip('1:0:0:2:0:0:0:3')) == '1:0:0:2::3'",
		 "string(ip('0:0:0:1:0:0:0:0')) == '0:0:0:1::'",
		 "string(ip('1:2:3:4:5:6:7::')) == '1:2:3:4:5:6:7:0'",
		 "string(ip('::2:3:4:5:6:7:8')) == '0:2:3:4:5:6:7:8'", "string(ip('0001:0020::')) == '1:20::'",
		 "string(ip('64:ff9b::1.2.3.4')) == '64:ff9b::102:304'",
		 "string(ip('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).size() == 39",
		 "ip('2001:db8::1') == ip('2001:DB8:0::1')", "ip('::1') != ip('0.0.0.1')",
		 "ip('::') != ip('0.0.0.0')");
	ALL_FAIL("conversion", "ip('')", "ip('1.2.3')", "ip('1.2.3.4.5')", "ip('1.2.3.')", "ip('.1.2.3')",
		 "ip('256.1.1.1')", "ip('01.2.3.4')", "ip('1.2.3.04')", "ip('1.2.3.4 ')", "ip('+1.2.3.4')",
		 "ip('1.2.3.-4')", "ip('0x1.2.3.4')", "ip('1.2.3.4\\x00')", "ip(':')", "ip(':::')",
		 "ip('1:2:3:4:5:6:7')", "ip('1:2:3:4:5:6:7:8:9')", "ip('1:2:3:4:5:6:7:8::')",
		 "ip('1::2:3:4:5:6:7:8')", "ip('1::2::3')", "ip(':1:2:3:4:5:6:7:8')", "ip('1:2:3:4:5:6:7:')",
		 "ip('12345::')", "ip('g::')", "ip('::1.2.3')", "ip('::1.2.3.4.5')", "ip('1.2.3.4::')",
		 "ip('1:2:3:4:5:6:7:1.2.3.4')", "ip('[::1]')", "ip('fe80::1%en0')", "ip('fe80::1%')",
		 "ip('1.2.3.4%en0')", "ip('10.0.0.0/8')", "ip('localhost')");
	ALL_TRUE("isIP('192.168.0.1')", "isIP('::1')", "!isIP('192.168.0.256')", "!isIP('')",
		 "!isIP('fe80::1%en0')");
	ALL_FAIL("no_such_overload", "ip(dyn(1))", "isIP(dyn(cidr('10.0.0.0/8')))");
}

static void
an_ipv4_address_within_ipv6_is_that_address_or_refused(void **state)
{
	(void)state;
	ALL_TRUE("ip('::ffff:c0a8:1') == ip('192.168.0.1')", "ip('::ffff:c0a8:1') != ip('192.168.10.1')",
		 "ip('::ffff:c0a8:1').family() == 4", "ip('::ffff:7f00:1').isLoopback()",
		 "cidr('127.0.0.0/8').containsIP(ip('::ffff:7f00:1'))", "!ip.isCanonical('::ffff:c0a8:1')",
		 "!isIP('::ffff:192.168.0.1')", "!isCIDR('::ffff:c0a8:1/120')");
	ALL_FAIL("conversion", "ip('::ffff:192.168.0.1')", "cidr('::ffff:192.168.0.1/120')",
		 "cidr('::ffff:c0a8:1/24')", "cidr('10.0.0.0/8').containsIP('::ffff:10.0.0.1')");
}

static void
knows_the_canonical_text(void **state)
{
	(void)state;
	ALL_TRUE("ip.isCanonical('127.0.0.1')", "ip.isCanonical('2001:db8::1')",
		 "!ip.isCanonical('2001:DB8::1')", "!ip.isCanonical('2001:db8:0:0:0:0:0:1')",
		 "!ip.isCanonical('2001:db8::0001')");
	ALL_FAIL("conversion", "ip.isCanonical('127.0.0.1.0')");
}

static void
knows_what_an_address_is(void **state)
{
	(void)state;
	ALL_TRUE("ip('1.2.3.4').family() == 4", "ip('::').family() == 6", "ip('0.0.0.0').isUnspecified()",
		 "ip('::').isUnspecified()", "!ip('0.0.0.1').isUnspecified()",
		 "ip('127.255.0.1').isLoopback()", "ip('::1').isLoopback()", "!ip('::2').isLoopback()",
		 "!ip('128.0.0.1').isLoopback()", "!ip('7f00::1').isLoopback()",
		 "ip('169.254.0.1').isLinkLocalUnicast()", "!ip('169.253.0.1').isLinkLocalUnicast()",
		 "ip('febf::1').isLinkLocalUnicast()", "!ip('fec0::1').isLinkLocalUnicast()",
		 "ip('224.0.0.255').isLinkLocalMulticast()", "!ip('224.0.1.0').isLinkLocalMulticast()",
		 "ip('ff02::1').isLinkLocalMulticast()", "ip('ff12::1').isLinkLocalMulticast()",
		 "!ip('ff05::1').isLinkLocalMulticast()", "!ip('e000::1').isLinkLocalMulticast()",
		 "ip('192.168.0.1').isGlobalUnicast()", "ip('8.8.8.8').isGlobalUnicast()",
		 "ip('fd00::1').isGlobalUnicast()", "!ip('0.0.0.0').isGlobalUnicast()",
		 "!ip('255.255.255.255').isGlobalUnicast()", "!ip('127.0.0.1').isGlobalUnicast()",
		 "!ip('239.1.1.1').isGlobalUnicast()", "!ip('169.254.1.1').isGlobalUnicast()",
		 "!ip('::').isGlobalUnicast()", "!ip('ff0e::1').isGlobalUnicast()",
		 "!ip('fe80::1').isGlobalUnicast()", "ip('240.0.0.1').isGlobalUnicast()");
}

static void
reads_and_writes_networks(void **state)
{
	(void)state;
	ALL_TRUE("string(cidr('192.168.0.1/24')) == '192.168.0.1/24'",
		 "string(cidr('2001:DB8::/32')) == '2001:db8::/32'", "cidr('0.0.0.0/0').prefixLength() == 0",
		 "cidr('::/128').prefixLength() == 128", "cidr('192.168.1.5/24').ip() == ip('192.168.1.5')",
		 "cidr('192.168.1.5/24').masked() == cidr('192.168.1.0/24')",
		 "cidr('255.255.255.255/0').masked() == cidr('0.0.0.0/0')",
		 "cidr('255.255.255.255/31').masked() == cidr('255.255.255.254/31')",
		 "cidr('ffff::ffff/17').masked() == cidr('ffff::/17')", "cidr('192.168.1.0/24').isMask()",
		 "!cidr('192.168.1.5/24').isMask()", "cidr('192.168.1.5/32').isMask()",
		 "cidr('10.0.0.0/8') != cidr('10.0.0.0/9')", "cidr('10.0.0.1/8') != cidr('10.0.0.0/8')",
		 "isCIDR('10.0.0.1/8')", "!isCIDR('10.0.0.1')", "type(cidr('10.0.0.0/8')) == net.CIDR");
	ALL_FAIL("conversion", "cidr('')", "cidr('/')", "cidr('/8')", "cidr('10.0.0.0')", "cidr('10.0.0.0/')",
		 "cidr('10.0.0.0/33')", "cidr('10.0.0.0/08')", "cidr('10.0.0.0/+8')", "cidr('10.0.0.0/-1')",
		 "cidr('10.0.0.0/8/8')", "cidr('10.0.0.0/ 8')", "cidr('10.0.0.0/8 ')", "cidr('10.0.0/8')",
		 "cidr('::/129')", "cidr('::/999999999999999999999')", "cidr('10.0.0.0/255.0.0.0')",
		 "cidr('fe80::1%en0/64')");
}

static void
tells_what_a_network_holds(void **state)
{
	(void)state;
	ALL_TRUE("cidr('192.168.0.0/24').containsIP(ip('192.168.0.255'))",
		 "!cidr('192.168.0.0/24').containsIP(ip('192.168.1.0'))",
		 "cidr('192.168.0.7/24').containsIP('192.168.0.1')",
		 "cidr('10.0.0.0/9').containsIP('10.127.255.255')",
		 "!cidr('10.0.0.0/9').containsIP('10.128.0.0')",
		 "cidr('0.0.0.0/0').containsIP('255.255.255.255')", "!cidr('0.0.0.0/0').containsIP('::1')",
		 "!cidr('::/0').containsIP('0.0.0.0')", "cidr('::/0').containsIP('ffff::')",
		 "cidr('1.2.3.4/32').containsIP('1.2.3.4')", "!cidr('1.2.3.4/32').containsIP('1.2.3.5')",
		 "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
		 "cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))",
		 "!cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')",
		 "!cidr('10.0.0.0/8').containsCIDR('11.0.0.0/16')", "!cidr('10.0.0.0/8').containsCIDR('::/16')",
		 "cidr('2001:db8::/32').containsCIDR('2001:db8::/33')");
	ALL_FAIL("conversion", "cidr('10.0.0.0/8').containsIP('10.0.0')",
		 "cidr('10.0.0.0/8').containsIP('10.0.0.0/8')", "cidr('10.0.0.0/8').containsCIDR('10.0.0.1')");
	ALL_FAIL("no_such_overload", "cidr('10.0.0.0/8').containsIP(dyn(cidr('10.0.0.0/8')))",
		 "cidr('10.0.0.0/8').containsCIDR(dyn(ip('10.0.0.1')))", "dyn(ip('10.0.0.1')).prefixLength()");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_and_writes_addresses),
	    cmocka_unit_test(an_ipv4_address_within_ipv6_is_that_address_or_refused),
	    cmocka_unit_test(knows_the_canonical_text),
	    cmocka_unit_test(knows_what_an_address_is),
	    cmocka_unit_test(reads_and_writes_networks),
	    cmocka_unit_test(tells_what_a_network_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
