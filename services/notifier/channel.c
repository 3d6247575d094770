/* SPDX-License-Identifier: Apache-2.0 */
/* channel.c - how every channel says how its attempt ended. */
#include "services/notifier/channel.h"

#include <stdarg.h>
#include <stdio.h>

void
channel_end(struct channel_result *result, enum channel_verdict verdict, const char *code, const char *format,
	    ...)
{
	va_list arguments;

	result->verdict = verdict;
	snprintf(result->code, sizeof result->code, "%s", code);
	va_start(arguments, format);
	vsnprintf(result->text, sizeof result->text, format, arguments);
	va_end(arguments);
}
