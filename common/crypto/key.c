/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - Ed25519: keys from and to files, signing, verifying, thumbprints. The error queue of OpenSSL is left as it was
 * found. libsodium signs: the signature of a key over bytes is one and the same (RFC 8032), and it needs half the time.
 */
#include "common/crypto/crypto.h"
#include "common/crypto/owner.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEM_MAX = 16 * 1024 };

struct crypto_key {
	uint8_t *secret; /* seed and public half, in memory that is locked, guarded and wiped */
	uint8_t public[CRYPTO_ED25519_PUBLIC_SIZE];
	char thumbprint[CRYPTO_THUMBPRINT_SIZE];
};

void
crypto_thumbprint(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], char thumbprint[CRYPTO_THUMBPRINT_SIZE])
{
	struct arena *arena = arena_open();
	uint8_t digest[CRYPTO_SHA256_SIZE];
	const char *x = crypto_base64url_format(arena, public_key, CRYPTO_ED25519_PUBLIC_SIZE);
	const char *jwk = arena_format(arena, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"%s\"}", x);

	crypto_sha256(jwk, strlen(jwk), digest);
	memcpy(thumbprint, crypto_base64url_format(arena, digest, sizeof digest), CRYPTO_THUMBPRINT_SIZE);
	arena_close(arena);
}

/* Instead of OpenSSL's own, which would ask on the terminal. */
static int
no_passphrase(char *buffer, int size, int writing, void *context)
{
	(void)buffer, (void)size, (void)writing, (void)context;
	return -1;
}

/* The seed of the pair, and what libsodium makes of it, which must be the same key. */
static bool
take_secret(struct crypto_key *key, const EVP_PKEY *pair)
{
	uint8_t seed[crypto_sign_SEEDBYTES], public[CRYPTO_ED25519_PUBLIC_SIZE];
	size_t size = sizeof seed;
	bool ok = sodium_init() >= 0;

	key->secret = ok ? sodium_malloc(crypto_sign_SECRETKEYBYTES) : NULL;
	ok = key->secret && EVP_PKEY_get_raw_private_key(pair, seed, &size) == 1 && size == sizeof seed
	     && crypto_sign_seed_keypair(public, key->secret, seed) == 0
	     && memcmp(public, key->public, sizeof public) == 0;
	OPENSSL_cleanse(seed, sizeof seed);
	return ok;
}

/* NULL when the pair is not Ed25519. */
static struct crypto_key *
key_of(const EVP_PKEY *pair)
{
	struct crypto_key *key = memory_take(sizeof *key);
	size_t size = sizeof key->public;

	if (!pair || !EVP_PKEY_is_a(pair, "ED25519")
	    || EVP_PKEY_get_raw_public_key(pair, key->public, &size) != 1 || size != sizeof key->public
	    || !take_secret(key, pair)) {
		crypto_key_close(key);
		return NULL;
	}
	crypto_thumbprint(key->public, key->thumbprint);
	return key;
}

static bool
refuse_file(struct error *error, const char *path, const char *reason)
{
	return error_set(error, ERROR_BROKEN, "key_file", "%s: %s", path, reason);
}

/* A private key that others can read is not ours alone. */
static bool
check_owner_only(int fd, const char *path, struct error *error)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return refuse_file(error, path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return refuse_file(error, path, "not a regular file");
	if (!crypto_owner_alone(fd, status.st_mode, geteuid()))
		return refuse_file(error, path,
				   "a private key must be readable by its owner alone (chmod 600)");
	return true;
}

/* All of the file, at most PEM_MAX bytes. */
static bool
read_all(int fd, char *bytes, size_t *length, const char *path, struct error *error)
{
	*length = 0;
	while (*length < PEM_MAX) {
		ssize_t count = read(fd, bytes + *length, PEM_MAX - *length);

		if (count == 0)
			return true;
		if (count < 0 && errno != EINTR)
			return refuse_file(error, path, strerror(errno));
		if (count > 0)
			*length += (size_t)count;
	}
	return refuse_file(error, path, "too large for a key file");
}

static struct crypto_key *
key_parse(const char *pem, size_t length)
{
	BIO *bio = BIO_new_mem_buf(pem, (int)length);
	EVP_PKEY *pair;
	struct crypto_key *key;

	ERR_set_mark();
	pair = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
	key = key_of(pair);
	ERR_pop_to_mark();
	EVP_PKEY_free(pair); /* cleanses */
	BIO_free(bio);
	return key;
}

struct crypto_key *
crypto_key_load(const char *path, struct error *error)
{
	struct crypto_key *key = NULL;
	char pem[PEM_MAX];
	size_t length = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC
				| O_NONBLOCK); /* a FIFO must not block the start; it is refused below */

	if (fd < 0) {
		refuse_file(error, path, strerror(errno));
		return NULL;
	}
	if (check_owner_only(fd, path, error) && read_all(fd, pem, &length, path, error)) {
		key = key_parse(pem, length);
		if (!key)
			refuse_file(error, path, "not an unencrypted Ed25519 private key in PKCS#8 PEM");
	}
	OPENSSL_cleanse(pem, sizeof pem);
	close(fd);
	return key;
}

static bool
write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t count = write(fd, bytes, length);

		if (count < 0 && errno != EINTR)
			return false;
		if (count > 0) {
			bytes += count;
			length -= (size_t)count;
		}
	}
	return fsync(fd) == 0;
}

static bool
write_key(int fd, const EVP_PKEY *pair)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	char *pem = NULL;
	bool ok = bio && PEM_write_bio_PKCS8PrivateKey(bio, pair, NULL, NULL, 0, NULL, NULL) == 1;

	if (ok) {
		long length = BIO_get_mem_data(bio, &pem);

		ok = length > 0 && write_all(fd, pem, (size_t)length);
	}
	BIO_free(bio); /* cleanses */
	return ok;
}

/* Writes the pair into the new file; a file that is not whole is removed again. */
static bool
keep_key(const EVP_PKEY *pair, const char *path, struct error *error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	bool ok;

	if (fd < 0)
		return refuse_file(error, path, strerror(errno));
	ok = write_key(fd, pair) || refuse_file(error, path, strerror(errno));
	if (close(fd) != 0 && ok)
		ok = refuse_file(error, path, strerror(errno));
	if (!ok)
		unlink(path);
	return ok;
}

struct crypto_key *
crypto_key_generate(const char *path, struct error *error)
{
	EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	struct crypto_key *key = key_of(pair);

	if (!key)
		abort(); /* no random bytes, or an OpenSSL without Ed25519 */
	if (!keep_key(pair, path, error)) {
		crypto_key_close(key);
		key = NULL;
	}
	EVP_PKEY_free(pair);
	return key;
}

void
crypto_key_close(struct crypto_key *key)
{
	if (!key)
		return;
	sodium_free(key->secret); /* wipes */
	free(key);
}

const uint8_t *
crypto_key_public(const struct crypto_key *key)
{
	return key->public;
}

const char *
crypto_key_thumbprint(const struct crypto_key *key)
{
	return key->thumbprint;
}

void
crypto_key_sign(const struct crypto_key *key, const void *bytes, size_t length,
		uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE])
{
	if (crypto_sign_detached(signature, NULL, length ? bytes : "", length, key->secret) != 0)
		abort();
}

/*
 * The y coordinates of the points of small order, canonical or not (little endian, sign bit clear). For such a "public key"
 * anybody can make a signature that fits many messages, and OpenSSL accepts it.
 */
static const uint8_t small_order[][CRYPTO_ED25519_PUBLIC_SIZE] = {
    {0x00},
    {0x01},
    {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
     0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
     0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
};

static bool
has_small_order(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE])
{
	uint8_t y[CRYPTO_ED25519_PUBLIC_SIZE];

	memcpy(y, public_key, sizeof y);
	y[sizeof y - 1] &= 0x7f;
	for (size_t i = 0; i < sizeof small_order / sizeof *small_order; i++)
		if (memcmp(y, small_order[i], sizeof y) == 0)
			return true;
	return false;
}

bool
crypto_public_usable(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE])
{
	return !has_small_order(public_key);
}

bool
crypto_verify(const uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE], const void *bytes, size_t length,
	      const uint8_t signature[CRYPTO_ED25519_SIGNATURE_SIZE])
{
	EVP_PKEY *key = NULL;
	EVP_MD_CTX *context = NULL;
	bool ok = false;

	if (has_small_order(public_key))
		return false;
	ERR_set_mark();
	key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, CRYPTO_ED25519_PUBLIC_SIZE);
	context = EVP_MD_CTX_new();
	if (!key || !context)
		goto out;
	ok = EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1
	     && EVP_DigestVerify(context, signature, CRYPTO_ED25519_SIGNATURE_SIZE, length ? bytes : "", length)
		    == 1;
out:
	ERR_pop_to_mark();
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
	return ok;
}

static bool
is_blank(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t\r\n", bytes[i]) || bytes[i] == '\0')
			return false;
	return true;
}

static const char pem_begin[] = "-----BEGIN PUBLIC KEY-----";
static const char pem_end[] = "\n-----END PUBLIC KEY-----";

/* The letters between the two lines, line ends left out; false when they are more than a key of ours has. */
static bool
pem_letters(const char *pem, size_t length, char *letters, size_t room, size_t *count)
{
	const char *at = pem + sizeof pem_begin - 1, *whole = pem + length;
	const char *end = memmem(at, (size_t)(whole - at), pem_end, sizeof pem_end - 1);
	const char *behind = end ? end + sizeof pem_end - 1 : NULL;

	*count = 0;
	if (!end || !is_blank(behind, (size_t)(whole - behind)) || (*at != '\n' && *at != '\r'))
		return false;
	for (; at < end; at++) {
		if (*at == '\n' || *at == '\r')
			continue;
		if (*count == room)
			return false;
		letters[(*count)++] = *at;
	}
	return true;
}

/*
 * The raw key of a PEM text that holds one public key and nothing else. Read here, letter by letter: OpenSSL passes over
 * lines and bytes that it does not know, so that others may read another key in the same text.
 */
static bool
public_read(const char *pem, size_t length, uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE])
{
	static const uint8_t head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
				       0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}; /* RFC 8410 */
	char letters[(sizeof head + CRYPTO_ED25519_PUBLIC_SIZE) / 3 * 4 + 4];
	size_t count, size = 0;

	if (!pem_letters(pem, length, letters, sizeof letters, &count))
		return false;

	struct arena *arena = arena_open();
	const uint8_t *document = crypto_base64_parse(arena, letters, count, &size);
	bool ok = document && size == sizeof head + CRYPTO_ED25519_PUBLIC_SIZE
		  && memcmp(document, head, sizeof head) == 0;

	if (ok)
		memcpy(public_key, document + sizeof head, CRYPTO_ED25519_PUBLIC_SIZE);
	arena_close(arena);
	return ok;
}

bool
crypto_public_parse(const char *pem, size_t length, uint8_t public_key[CRYPTO_ED25519_PUBLIC_SIZE],
		    struct error *error)
{
	if (length > PEM_MAX || length < sizeof pem_begin - 1
	    || memcmp(pem, pem_begin, sizeof pem_begin - 1) != 0)
		return error_set(error, ERROR_INVALID, "public_key", "not a PEM text that begins with \"%s\"",
				 pem_begin);
	if (!public_read(pem, length, public_key))
		return error_set(error, ERROR_INVALID, "public_key", "not an Ed25519 public key in PEM");
	if (has_small_order(public_key))
		return error_set(error, ERROR_INVALID, "public_key",
				 "a point of small order: anybody could sign for it");
	return true;
}
