/* SPDX-License-Identifier: Apache-2.0 */
/* header.h - the protected header of a JWS as text. Private to the room jws. */
#ifndef COUNTERSIGN_JWS_HEADER_H
#define COUNTERSIGN_JWS_HEADER_H

#include "common/jws/jws.h"

/*
 * Reads one flat JSON object whose members are exactly alg, kid and typ, each once, in any order, with plain strings
 * of printable ASCII that fit; nothing before or behind it but JSON's white space. No escapes: none of ours needs any, and a
 * name that can be spelled in two ways is one that two readers may understand in two ways.
 */
bool jws_header_parse(const char *text, size_t length, struct jws_header *header) CS_MUST_CHECK;

/* {"alg":"EdDSA","kid":…,"typ":…}, in the arena. */
char *jws_header_format(struct arena *arena, const char *kid, const char *typ);

#endif
