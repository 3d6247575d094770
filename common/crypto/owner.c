/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c - reads the mode and, where there is one, the POSIX access list of a file. */
#include "common/crypto/owner.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* linux/posix_acl_xattr.h: a version and then entries, all little endian. */
enum { ACL_VERSION = 2, ACL_MAX = 4096 };
enum { ACL_USER_OBJ = 0x01, ACL_USER = 0x02, ACL_MASK = 0x10 }; /* the others are groups and everybody else */

struct acl_entry {
	uint16_t tag;
	uint16_t rights;
	uint32_t id;
};

static struct acl_entry
entry_at(const unsigned char *bytes)
{
	struct acl_entry entry;

	memcpy(&entry, bytes, sizeof entry);
	return (struct acl_entry){le16toh(entry.tag), le16toh(entry.rights), le32toh(entry.id)};
}

/* Rights that the mask would take away are counted too: nobody means to give them to a private key. */
static bool
is_ours(struct acl_entry entry, uid_t user)
{
	if (entry.tag == ACL_USER_OBJ || entry.tag == ACL_MASK || entry.rights == 0)
		return true;
	return entry.tag == ACL_USER && entry.id == user;
}

bool
crypto_acl_alone(const unsigned char *list, size_t length, uid_t user)
{
	uint32_t version;

	if (length < sizeof version || (length - sizeof version) % sizeof(struct acl_entry) != 0)
		return false;
	memcpy(&version, list, sizeof version);
	if (le32toh(version) != ACL_VERSION)
		return false;
	for (size_t at = sizeof version; at < length; at += sizeof(struct acl_entry))
		if (!is_ours(entry_at(list + at), user))
			return false;
	return true;
}

bool
crypto_owner_alone(int fd, mode_t mode, uid_t user)
{
	unsigned char list[ACL_MAX];
	ssize_t length = fgetxattr(fd, "system.posix_acl_access", list, sizeof list);

	if (length < 0)
		return (errno == ENODATA || errno == ENOTSUP) && (mode & (S_IRWXG | S_IRWXO)) == 0;
	return crypto_acl_alone(list, (size_t)length, user) && (mode & S_IRWXO) == 0;
}
