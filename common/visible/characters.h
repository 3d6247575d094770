/* SPDX-License-Identifier: Apache-2.0 */
/* characters.h - which characters may stand in what people compare by eye and what is printed on one line. Pure. */
#ifndef COUNTERSIGN_CHARACTERS_H
#define COUNTERSIGN_CHARACTERS_H

#include <stdbool.h>
#include <stdint.h>

/* C0, DEL and C1. */
bool character_is_control(uint32_t point);

/* Control characters and the two Unicode separators that some programs take for a line feed. */
bool character_breaks_line(uint32_t point);

/*
 * What is not seen or turns what is seen around: Unicode's Default_Ignorable_Code_Point (zero-width, bidi, tags, variation
 * selectors …), separators and annotations. With them two different names look the same.
 */
bool character_disguises(uint32_t point);

#endif
