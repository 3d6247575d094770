/* SPDX-License-Identifier: Apache-2.0 */
/* test_key.c - RFC 8032 and RFC 8037 by their published values; key files that are taken, made, and refused by name. */
#include "common/crypto/crypto.h"
#include "common/crypto/owner.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <cmocka.h>

/* RFC 8037 A.1: d and x of the key that A.2 to A.4 go on with (RFC 8032 7.1, test 1). */
static const char private_d[] = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
static const char public_x[] = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
static const char thumbprint[] = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
static const char public_pem[] = "-----BEGIN PUBLIC KEY-----\n"
				 "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
				 "-----END PUBLIC KEY-----\n";

/* A folder of the test's own, and an arena. */
struct desk {
	char folder[32];
	struct arena *arena;
};

static int
open_desk(void **state)
{
	struct desk *desk = memory_take(sizeof *desk);

	strcpy(desk->folder, "/tmp/countersign-XXXXXX");
	assert_non_null(mkdtemp(desk->folder));
	desk->arena = arena_open();
	*state = desk;
	return 0;
}

static int
close_desk(void **state)
{
	struct desk *desk = *state;

	unlink(arena_format(desk->arena, "%s/key.pem", desk->folder));
	assert_int_equal(rmdir(desk->folder), 0);
	arena_close(desk->arena);
	free(desk);
	return 0;
}

static const char *
key_path(struct desk *desk)
{
	return arena_format(desk->arena, "%s/key.pem", desk->folder);
}

static const char *
write_file(struct desk *desk, const char *text, mode_t mode)
{
	const char *path = key_path(desk);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return path;
}

/* PKCS#8 of an Ed25519 seed is a fixed head and the seed. */
static const char *
private_pem(struct arena *arena)
{
	static const uint8_t head[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
				       0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
	uint8_t document[sizeof head + 32];
	size_t length;
	const uint8_t *seed = crypto_base64url_parse(arena, private_d, strlen(private_d), &length);

	assert_int_equal(length, 32);
	memcpy(document, head, sizeof head);
	memcpy(document + sizeof head, seed, 32);
	return arena_format(arena, "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n",
			    crypto_base64_format(arena, document, sizeof document));
}

static struct crypto_key *
load_sample(struct desk *desk)
{
	struct error error = {0};
	struct crypto_key *key = crypto_key_load(write_file(desk, private_pem(desk->arena), 0600), &error);

	if (!key)
		fail_msg("%s", error.text);
	return key;
}

static void
rfc8037_a1_and_a2_the_public_half_comes_out(void **state)
{
	struct desk *desk = *state;
	struct crypto_key *key = load_sample(desk);

	assert_string_equal(
	    crypto_base64url_format(desk->arena, crypto_key_public(key), CRYPTO_ED25519_PUBLIC_SIZE), public_x);
	crypto_key_close(key);
}

static void
rfc8037_a3_the_thumbprint_comes_out(void **state)
{
	struct desk *desk = *state;
	struct crypto_key *key = load_sample(desk);

	assert_string_equal(crypto_key_thumbprint(key), thumbprint);
	crypto_key_close(key);
}

/* The signature of A.4, over the signing input that it prints. */
static void
rfc8037_a4_the_signature_comes_out_and_verifies(void **state)
{
	static const char input[] = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
	struct desk *desk = *state;
	struct crypto_key *key = load_sample(desk);
	uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE];

	crypto_key_sign(key, input, strlen(input), signature);
	assert_string_equal(
	    crypto_base64url_format(desk->arena, signature, sizeof signature),
	    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
	assert_true(crypto_verify(crypto_key_public(key), input, strlen(input), signature));
	crypto_key_close(key);
}

/* RFC 8032 7.1, test 1. */
static void
nothing_can_be_signed_too(void **state)
{
	struct desk *desk = *state;
	struct crypto_key *key = load_sample(desk);
	uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE];

	crypto_key_sign(key, NULL, 0, signature);
	assert_string_equal(
	    crypto_base64url_format(desk->arena, signature, sizeof signature),
	    "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw");
	assert_true(crypto_verify(crypto_key_public(key), NULL, 0, signature));
	crypto_key_close(key);
}

static void
a_signature_fits_neither_other_bytes_nor_another_key(void **state)
{
	struct desk *desk = *state;
	struct crypto_key *key = load_sample(desk);
	uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE], public_key[CRYPTO_ED25519_PUBLIC_SIZE];

	crypto_key_sign(key, "approve", 7, signature);
	memcpy(public_key, crypto_key_public(key), sizeof public_key);
	assert_false(crypto_verify(public_key, "approvE", 7, signature));
	assert_false(crypto_verify(public_key, "approve", 6, signature));
	for (size_t bit = 0; bit < 8 * sizeof signature; bit++) {
		signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(crypto_verify(public_key, "approve", 7, signature));
		signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * sizeof public_key; bit++) {
		public_key[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(crypto_verify(public_key, "approve", 7, signature));
		public_key[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_true(crypto_verify(public_key, "approve", 7, signature));
	crypto_key_close(key);
}

/* With the neutral point as key, R the neutral point and S zero satisfy the equation for every message. */
static void
keys_of_small_order_verify_nothing(void **state)
{
	uint8_t neutral[CRYPTO_ED25519_PUBLIC_SIZE] = {1}, signature[CRYPTO_ED25519_SIGNATURE_SIZE] = {1};

	(void)state;
	assert_false(crypto_verify(neutral, "anything", 8, signature));
	neutral[31] = 0x80;
	assert_false(crypto_verify(neutral, "anything", 8, signature));
}

/* Other libraries in the thread look into the same queue. */
static void
a_failed_verification_leaves_no_error_of_openssl(void **state)
{
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE] = {2}, signature[CRYPTO_ED25519_SIGNATURE_SIZE] = {0};
	struct error error = {0};

	(void)state;
	ERR_clear_error();
	assert_false(crypto_verify(public_key, "x", 1, signature));
	assert_false(crypto_public_parse("-----BEGIN PUBLIC KEY-----\nAAAA\n", 32, public_key, &error));
	assert_int_equal(ERR_peek_error(), 0);
}

static void
a_generated_key_is_written_for_its_owner_alone_and_loads(void **state)
{
	struct desk *desk = *state;
	struct error error = {0};
	mode_t mask = umask(0);
	struct crypto_key *made = crypto_key_generate(key_path(desk), &error);
	struct crypto_key *loaded = crypto_key_load(key_path(desk), &error);
	struct stat status;

	umask(mask);
	assert_non_null(made);
	assert_non_null(loaded);
	assert_int_equal(stat(key_path(desk), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_string_equal(crypto_key_thumbprint(made), crypto_key_thumbprint(loaded));
	crypto_key_close(made);
	crypto_key_close(loaded);
}

static void
two_generated_keys_differ(void **state)
{
	struct desk *desk = *state;
	struct error error = {0};
	struct crypto_key *one = crypto_key_generate(key_path(desk), &error);

	unlink(key_path(desk));
	struct crypto_key *other = crypto_key_generate(key_path(desk), &error);

	assert_string_not_equal(crypto_key_thumbprint(one), crypto_key_thumbprint(other));
	crypto_key_close(one);
	crypto_key_close(other);
}

static void
a_key_is_never_written_over_a_file(void **state)
{
	struct desk *desk = *state;
	struct error error = {0};
	const char *path = write_file(desk, "precious", 0600);
	char text[16] = "";
	int fd;

	assert_null(crypto_key_generate(path, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "key_file");
	assert_non_null(strstr(error.text, path));
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof text), 8);
	close(fd);
	assert_string_equal(text, "precious");
}

static void
check_refused(const char *path, const char *because)
{
	struct error error = {0};

	assert_null(crypto_key_load(path, &error));
	assert_int_equal(error.kind, ERROR_BROKEN);
	assert_string_equal(error.code, "key_file");
	if (!strstr(error.text, path) || !strstr(error.text, because))
		fail_msg("not \"%s\": %s", because, error.text);
}

static void
unusable_key_files_are_refused_by_name_and_reason(void **state)
{
	struct desk *desk = *state;
	const char *pem = private_pem(desk->arena);
	char *large = arena_take(desk->arena, 20000);

	check_refused(key_path(desk), "No such file");
	check_refused(desk->folder, "not a regular file");
	check_refused("/dev/zero", "not a regular file");
	check_refused(write_file(desk, pem, 0640), "owner alone");
	check_refused(write_file(desk, pem, 0604), "owner alone");
	check_refused(write_file(desk, pem, 0620), "owner alone");
	check_refused(write_file(desk, "", 0600), "not an unencrypted Ed25519");
	check_refused(write_file(desk, "hello\n", 0600), "not an unencrypted Ed25519");
	check_refused(write_file(desk, public_pem, 0600), "not an unencrypted Ed25519");
	memset(large, 'x', 19999);
	check_refused(write_file(desk, large, 0600), "too large");
}

/* An access list as the kernel keeps it: the owner reads, then two entries, the mask, and others may do nothing. */
static void
set_acl(const char *path, uint16_t tag, uint32_t id, uint16_t group_rights)
{
	struct {
		uint16_t tag, rights;
		uint32_t id;
	} entries[] = {{0x01, 4, ~0u}, {tag, 4, id}, {0x04, group_rights, ~0u}, {0x10, 4, ~0u}, {0x20, 0, ~0u}};
	unsigned char list[4 + sizeof entries] = {2};

	if (tag == 0x08) { /* a group's entry stands behind the owning group's */
		entries[1] = entries[2];
		entries[2].tag = tag;
		entries[2].rights = 4;
		entries[2].id = id;
	}
	memcpy(list + 4, entries, sizeof entries);
	assert_int_equal(setxattr(path, "system.posix_acl_access", list, sizeof list, 0), 0);
}

/* So systemd hands a credential to a service: the file belongs to root, and a list lets the service's user read it. */
static void
an_access_list_for_us_alone_is_taken_although_the_mode_shows_its_mask(void **state)
{
	struct desk *desk = *state;
	const char *path = write_file(desk, private_pem(desk->arena), 0400);
	struct error error = {0};
	struct crypto_key *key;
	struct stat status;

	set_acl(path, 0x02, geteuid(), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0440);
	key = crypto_key_load(path, &error);
	if (!key)
		fail_msg("%s", error.text);
	crypto_key_close(key);
}

static void
an_access_list_for_anybody_else_is_refused(void **state)
{
	struct desk *desk = *state;
	const char *path = write_file(desk, private_pem(desk->arena), 0400);

	set_acl(path, 0x02, geteuid() + 1, 0);
	check_refused(path, "owner alone");
	set_acl(path, 0x02, geteuid(), 4);
	check_refused(path, "owner alone");
	set_acl(path, 0x08, geteuid(), 0); /* a group of the same number */
	check_refused(path, "owner alone");
}

static void
a_list_that_is_none_lets_nobody_be_alone(void **state)
{
	static const unsigned char owner_only[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255};

	(void)state;
	assert_true(crypto_acl_alone(owner_only, sizeof owner_only, 0));
	assert_false(crypto_acl_alone(owner_only, sizeof owner_only - 1, 0));
	assert_false(crypto_acl_alone(owner_only, 3, 0));
	assert_false(crypto_acl_alone((const unsigned char[]){3, 0, 0, 0}, 4, 0));
}

/* The key as PKCS#8 PEM, under a passphrase where there is one; or its public half. */
static const char *
pem_of(struct desk *desk, EVP_PKEY *key, const char *passphrase, bool public_half)
{
	BIO *bio = BIO_new(BIO_s_mem());
	const EVP_CIPHER *cipher = passphrase ? EVP_aes_256_cbc() : NULL;
	char *text;
	long length;

	if (public_half)
		assert_int_equal(PEM_write_bio_PUBKEY(bio, key), 1);
	else
		assert_int_equal(PEM_write_bio_PKCS8PrivateKey(bio, key, cipher, NULL, 0, NULL,
							       (void *)(uintptr_t)passphrase),
				 1);
	length = BIO_get_mem_data(bio, &text);
	text = arena_copy(desk->arena, text, (size_t)length);
	BIO_free(bio);
	return text;
}

/* OpenSSL must not ask for the passphrase on the terminal. */
static void
keys_of_another_kind_are_refused(void **state)
{
	struct desk *desk = *state;
	EVP_PKEY *p256 = EVP_EC_gen("P-256"), *ed25519 = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");

	check_refused(write_file(desk, pem_of(desk, p256, NULL, false), 0600), "not an unencrypted Ed25519");
	check_refused(write_file(desk, pem_of(desk, ed25519, "secret", false), 0600),
		      "not an unencrypted Ed25519");
	EVP_PKEY_free(p256);
	EVP_PKEY_free(ed25519);
}

static void
a_public_key_is_read_from_pem(void **state)
{
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	char text[CRYPTO_THUMBPRINT_SIZE];
	struct error error = {0};

	(void)state;
	assert_true(crypto_public_parse(public_pem, strlen(public_pem), public_key, &error));
	crypto_thumbprint(public_key, text);
	assert_string_equal(text, thumbprint);
}

static void
check_public_refused(const char *pem, const char *because)
{
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	struct error error = {0};

	if (crypto_public_parse(pem, strlen(pem), public_key, &error))
		fail_msg("taken, although %s", because);
	assert_int_equal(error.kind, ERROR_INVALID);
	assert_string_equal(error.code, "public_key");
	if (!strstr(error.text, because))
		fail_msg("not \"%s\": %s", because, error.text);
}

static void
other_texts_are_no_public_key(void **state)
{
	struct desk *desk = *state;
	EVP_PKEY *p256 = EVP_EC_gen("P-256");

	check_public_refused("", "begins with");
	check_public_refused("hello", "begins with");
	check_public_refused(arena_format(desk->arena, "a comment\n%s", public_pem), "begins with");
	check_public_refused(private_pem(desk->arena), "begins with");
	check_public_refused("-----BEGIN PUBLIC KEY-----\n", "not an Ed25519");
	check_public_refused("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
			     "not an Ed25519");
	check_public_refused(arena_format(desk->arena, "%s%s", public_pem, public_pem), "not an Ed25519");
	check_public_refused(arena_format(desk->arena, "-----BEGIN PUBLIC KEY-----\nComment: mine\n\n%s",
					  strchr(public_pem, '\n') + 1),
			     "not an Ed25519");
	check_public_refused(pem_of(desk, p256, NULL, true), "not an Ed25519");
	EVP_PKEY_free(p256);
}

/* OpenSSL reads a key in each of these. */
static void
what_others_may_read_otherwise_is_no_public_key(void **state)
{
	struct desk *desk = *state;
	const char *end = strstr(public_pem, "\n-----END");
	int head = (int)(end - public_pem);

	check_public_refused(arena_format(desk->arena, "%.*s\n-a line of its own%s", head, public_pem, end),
			     "not an Ed25519");
	check_public_refused(arena_format(desk->arena, "%.*s\n-----END PUBLIC KEY-----\x8a", head, public_pem),
			     "not an Ed25519");
}

static void
lines_may_end_and_break_otherwise(void **state)
{
	struct desk *desk = *state;
	uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE];
	char text[CRYPTO_THUMBPRINT_SIZE];
	const char *line = strchr(public_pem, '\n') + 1;
	const char *pem = arena_format(
	    desk->arena, "-----BEGIN PUBLIC KEY-----\r\n%.20s\r\n%.40s\r\n-----END PUBLIC KEY-----\r\n \n",
	    line, line + 20);
	struct error error = {0};

	assert_true(crypto_public_parse(pem, strlen(pem), public_key, &error));
	crypto_thumbprint(public_key, text);
	assert_string_equal(text, thumbprint);
}

/* All eight points, and the spellings of them that exceed the field. */
static void
points_of_small_order_are_no_public_key(void **state)
{
	static const char *const keys[] = {
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
	    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "7P///////////////////////////////////////38=",
	    "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=", "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU=",
	    "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=", "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
	    "7f///////////////////////////////////////38=", "7v///////////////////////////////////////38=",
	};
	static const uint8_t head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
				       0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		uint8_t document[sizeof head + 32];
		size_t length;
		const uint8_t *key = crypto_base64_parse(desk->arena, keys[i], strlen(keys[i]), &length);

		assert_non_null(key);
		assert_int_equal(length, 32);
		memcpy(document, head, sizeof head);
		memcpy(document + sizeof head, key, 32);
		check_public_refused(
		    arena_format(desk->arena, "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n",
				 crypto_base64_format(desk->arena, document, sizeof document)),
		    "small order");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(rfc8037_a1_and_a2_the_public_half_comes_out, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(rfc8037_a3_the_thumbprint_comes_out, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(rfc8037_a4_the_signature_comes_out_and_verifies, open_desk,
					    close_desk),
	    cmocka_unit_test_setup_teardown(nothing_can_be_signed_too, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(a_signature_fits_neither_other_bytes_nor_another_key, open_desk,
					    close_desk),
	    cmocka_unit_test(keys_of_small_order_verify_nothing),
	    cmocka_unit_test(a_failed_verification_leaves_no_error_of_openssl),
	    cmocka_unit_test_setup_teardown(a_generated_key_is_written_for_its_owner_alone_and_loads,
					    open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(two_generated_keys_differ, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(a_key_is_never_written_over_a_file, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(unusable_key_files_are_refused_by_name_and_reason, open_desk,
					    close_desk),
	    cmocka_unit_test_setup_teardown(
		an_access_list_for_us_alone_is_taken_although_the_mode_shows_its_mask, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(an_access_list_for_anybody_else_is_refused, open_desk, close_desk),
	    cmocka_unit_test(a_list_that_is_none_lets_nobody_be_alone),
	    cmocka_unit_test_setup_teardown(keys_of_another_kind_are_refused, open_desk, close_desk),
	    cmocka_unit_test(a_public_key_is_read_from_pem),
	    cmocka_unit_test_setup_teardown(other_texts_are_no_public_key, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(what_others_may_read_otherwise_is_no_public_key, open_desk,
					    close_desk),
	    cmocka_unit_test_setup_teardown(lines_may_end_and_break_otherwise, open_desk, close_desk),
	    cmocka_unit_test_setup_teardown(points_of_small_order_are_no_public_key, open_desk, close_desk),
	};

	return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
