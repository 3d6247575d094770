/* SPDX-License-Identifier: Apache-2.0 */
/* characters.c - the ranges behind characters.h. */
#include "common/visible/characters.h"

#include <stddef.h>

bool
character_is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7F && point <= 0x9F);
}

bool
character_breaks_line(uint32_t point)
{
	return character_is_control(point) || point == 0x2028 || point == 0x2029;
}

bool
character_disguises(uint32_t point)
{
	/* DerivedCoreProperties.txt, Default_Ignorable_Code_Point; with U+2028-2029 and U+FFF9-FFFB. In ascending order. */
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0x00AD, 0x00AD},	{0x034F, 0x034F},   {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
	    {0x180B, 0x180F},	{0x200B, 0x200F},   {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
	    {0xFE00, 0xFE0F},	{0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
	    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
	};

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges && ranges[i].first <= point; i++)
		if (point <= ranges[i].last)
			return true;
	return false;
}
