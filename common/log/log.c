/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - puts one line together on the stack and hands it to write(2). What others wrote can't start a line or a field. */
#include "common/log/log.h"
#include "common/value/value.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * LINE_SIZE is PIPE_BUF on Linux: up to it a write to a pipe is never mixed with another's.
 * LINE_END bytes of it are kept for the quote, the mark and the line feed of a line that was cut.
 */
enum { LINE_SIZE = LOG_PAGE_SIZE, LINE_END = 16, TIME_SIZE = 40 };

struct line {
	char bytes[LINE_SIZE];
	size_t length;
	bool cut; /* something did not fit; nothing more is added */
};

/* All of it or nothing, so that no escape and no character is cut in two. */
static void
put(struct line *line, const char *bytes, size_t length)
{
	if (length > LINE_SIZE - LINE_END - line->length)
		line->cut = true;
	if (line->cut)
		return;
	memcpy(line->bytes + line->length, bytes, length);
	line->length += length;
}

static void
put_text(struct line *line, const char *text)
{
	put(line, text, strlen(text));
}

/* Characters that a terminal or a reader of lines would obey instead of show: C0, DEL, C1, line separators, bidi controls. */
static bool
is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x061C
	       || (point >= 0x200B && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E)
	       || (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF
	       || (point >= 0xE0000 && point <= 0xE007F);
}

static bool
is_plain(const char *text)
{
	const char *at = text;

	for (; *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '"' || *at == '='
		    || *at == '\\') /* not ASCII is quoted too */
			return false;
	return at > text;
}

static void
put_escape(struct line *line, uint32_t point)
{
	char escape[16];
	const char *letter = escape;

	switch (point) {
	case '\n':
		letter = "\\n";
		break;
	case '\r':
		letter = "\\r";
		break;
	case '\t':
		letter = "\\t";
		break;
	case '"':
		letter = "\\\"";
		break;
	case '\\':
		letter = "\\\\";
		break;
	default:
		snprintf(escape, sizeof escape, point > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)point);
		break;
	}
	put_text(line, letter);
}

static void
put_quoted(struct line *line, const char *text)
{
	size_t length = strlen(text);
	uint32_t point;

	put(line, "\"", 1);
	if (line->cut)
		return;
	while (length > 0 && !line->cut) {
		size_t taken = value_utf8_decode(text, length, &point);

		if (taken == 0) {
			taken = 1;
			put_escape(line, 0xFFFD);
		} else if (point == '"' || point == '\\' || is_control(point)) {
			put_escape(line, point);
		} else {
			put(line, text, taken);
		}
		text += taken;
		length -= taken;
	}
	line->bytes[line->length++] = '"'; /* room is kept for it */
}

static void
put_value(struct line *line, const char *text)
{
	size_t length = strlen(text), room = LINE_SIZE - LINE_END - line->length;

	if (!is_plain(text)) {
		put_quoted(line, text);
		return;
	}
	put(line, text, length < room ? length : room);
	line->cut = line->cut || length > room;
}

static void
put_field(struct line *line, const char *name, const char *text)
{
	put(line, " ", 1);
	put_text(line, name);
	put(line, "=", 1);
	if (!line->cut)
		put_value(line, text);
}

static void
put_number(struct line *line, const char *name, int64_t number)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)number);
	put_field(line, name, text);
}

static void
put_time(struct line *line)
{
	struct timespec now;
	struct tm utc;
	char text[TIME_SIZE], fraction[24];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(text, sizeof text, "time=%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(fraction, sizeof fraction, ".%06ldZ", now.tv_nsec / 1000);
	put_text(line, text);
	put_text(line, fraction);
}

static void
put_end(struct line *line)
{
	if (line->cut) {
		memcpy(line->bytes + line->length, " cut=true", 9);
		line->length += 9;
	}
	line->bytes[line->length++] = '\n';
}

static const char *const level_names[] = {"error", "warn", "info", "debug"};

static void
put_line(struct line *line, const struct log *log, enum log_level level, const char *event, va_list fields)
{
	struct log_field field;

	put_time(line);
	put_field(line, "level", level_names[level]);
	put_field(line, "service", log->service);
	put_field(line, "event", event);
	while ((field = va_arg(fields, struct log_field)).name)
		field.text ? put_field(line, field.name, field.text)
			   : put_number(line, field.name, field.number);
	put_end(line);
}

static void
hand_over(const char *bytes, size_t length)
{
	int saved = errno;
	ssize_t written = write(STDERR_FILENO, bytes, length);

	(void)written; /* a log that can't be written has nobody to be told to */
	errno = saved;
}

void
log_event(const struct log *log, enum log_level level, const char *event, ...)
{
	struct line line = {.length = 0};
	va_list fields;

	if (level > log->level)
		return;
	va_start(fields, event);
	put_line(&line, log, level, event, fields);
	va_end(fields);
	hand_over(line.bytes, line.length);
}

void
log_page_add(struct log_page *page, const struct log *log, enum log_level level, const char *event, ...)
{
	struct line line = {.length = 0};
	va_list fields;

	if (level > log->level)
		return;
	va_start(fields, event);
	put_line(&line, log, level, event, fields);
	va_end(fields);
	if (page->length + line.length > sizeof page->bytes)
		log_page_write(page);
	memcpy(page->bytes + page->length, line.bytes, line.length);
	page->length += line.length;
}

void
log_page_write(struct log_page *page)
{
	if (page->length)
		hand_over(page->bytes, page->length);
	page->length = 0;
}

int
log_level_parse(const char *text)
{
	for (int level = LOG_ERROR; level <= LOG_DEBUG; level++)
		if (strcmp(text, level_names[level]) == 0)
			return level;
	return -1;
}
