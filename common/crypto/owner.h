/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h - who else can read an open file: for keys and other secrets. */
#ifndef COUNTERSIGN_CRYPTO_OWNER_H
#define COUNTERSIGN_CRYPTO_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * True when neither a group nor others have any right on the file, and no user but its owner and `user`. With an access
 * list the group bits of the mode are its mask and say nothing: so systemd hands out credentials (mode 0440, "user:…:r").
 */
bool crypto_owner_alone(int fd, mode_t mode, uid_t user);

/* The same of an access list as the kernel keeps it (system.posix_acl_access). False when it is malformed. */
bool crypto_acl_alone(const unsigned char *list, size_t length, uid_t user);

#endif
