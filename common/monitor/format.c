/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - what is answered: Prometheus' text format 0.0.4, and the list of readiness conditions. */
#include "common/monitor/monitor_private.h"
#include "common/value/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char REPLACEMENT[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* One bad byte would make a reader refuse the whole answer, so bytes that are not UTF-8 are replaced. */
static void
format_text(struct buffer *buffer, const char *text, size_t length, bool quotes)
{
	uint32_t point;

	while (length > 0) {
		size_t taken = value_utf8_decode(text, length, &point);

		if (taken == 0) {
			taken = 1;
			buffer_add_text(buffer, REPLACEMENT);
		} else if (point == '\\' || (quotes && point == '"')) {
			buffer_add_byte(buffer, '\\');
			buffer_add(buffer, text, taken);
		} else if (point == '\n') {
			buffer_add_text(buffer, "\\n");
		} else if (point < 0x20) { /* JSON knows no such character, and nobody misses it */
			buffer_add_byte(buffer, ' ');
		} else {
			buffer_add(buffer, text, taken);
		}
		text += taken;
		length -= taken;
	}
}

void
monitor_format_quoted(struct buffer *buffer, const char *text, size_t length)
{
	format_text(buffer, text, length, true);
}

/* The shortest of the usual two lengths that reads back as the same number. */
void
monitor_format_number(struct buffer *buffer, double number)
{
	char text[40];

	if (isnan(number)) {
		buffer_add_text(buffer, "NaN");
	} else if (isinf(number)) {
		buffer_add_text(buffer, number > 0 ? "+Inf" : "-Inf");
	} else {
		snprintf(text, sizeof text, "%.15g", number);
		if (strtod(text, NULL) != number)
			snprintf(text, sizeof text, "%.17g", number);
		buffer_add_text(buffer, text);
	}
}

/* ------------------------------------------------------------------ metrics */

/* {class="production",verdict="allow"} */
static void
format_labels(struct buffer *buffer, const char *labels, const char *values)
{
	const char *before = "{";

	if (!*labels)
		return;
	while (*labels) {
		size_t name = strcspn(labels, ","), value = strcspn(values, "\n");

		buffer_add_text(buffer, before);
		buffer_add(buffer, labels, name);
		buffer_add_text(buffer, "=\"");
		monitor_format_quoted(buffer, values, value);
		buffer_add_byte(buffer, '"');
		labels += name + (labels[name] == ',');
		values += value + (values[value] == '\n');
		before = ",";
	}
	buffer_add_byte(buffer, '}');
}

static void
format_head(struct buffer *buffer, const char *name, const char *help, const char *type)
{
	buffer_add_format(buffer, "# HELP %s ", name);
	format_text(buffer, help, strlen(help), false);
	buffer_add_format(buffer, "\n# TYPE %s %s\n", name, type);
}

static void
format_family(struct buffer *buffer, const struct monitor_family *family)
{
	char name[256];

	snprintf(name, sizeof name, "countersign_%s", family->name);
	format_head(buffer, name, family->help, family->counts ? "counter" : "gauge");
	for (size_t i = 0; i < family->count; i++) {
		const struct monitor_series *series = &family->series[i];

		buffer_add_text(buffer, name);
		format_labels(buffer, family->labels, series->label_values);
		buffer_add_byte(buffer, ' ');
		if (family->counts)
			buffer_add_format(buffer, "%lld", (long long)series->count);
		else
			monitor_format_number(buffer, series->value);
		buffer_add_byte(buffer, '\n');
	}
}

/* A version "0.1.0+3f2a" has its revision after the plus. */
static void
format_build_info(struct buffer *buffer, const struct monitor *monitor)
{
	size_t version = strcspn(monitor->version, "+");
	const char *revision = monitor->version + version + (monitor->version[version] == '+');

	format_head(buffer, "countersign_build_info", "What runs here; always 1.", "gauge");
	buffer_add_text(buffer, "countersign_build_info{service=\"");
	monitor_format_quoted(buffer, monitor->service, strlen(monitor->service));
	buffer_add_text(buffer, "\",version=\"");
	monitor_format_quoted(buffer, monitor->version, version);
	buffer_add_text(buffer, "\",revision=\"");
	monitor_format_quoted(buffer, revision, strlen(revision));
	buffer_add_text(buffer, "\"} 1\n");
}

void
monitor_format_metrics(struct monitor *monitor, struct buffer *buffer)
{
	pthread_mutex_lock(&monitor->lock);
	format_build_info(buffer, monitor);
	for (size_t i = 0; i < monitor->family_count; i++)
		format_family(buffer, &monitor->families[i]);
	pthread_mutex_unlock(&monitor->lock);
	monitor_format_process(buffer);
}

/* ------------------------------------------------------------------ readiness */

static void
format_condition(struct buffer *buffer, const struct monitor_condition *condition)
{
	buffer_add_text(buffer, "{\"name\":\"");
	monitor_format_quoted(buffer, condition->name, strlen(condition->name));
	buffer_add_format(buffer, "\",\"ready\":%s", condition->good ? "true" : "false");
	if (*condition->why) {
		buffer_add_text(buffer, ",\"why\":\"");
		monitor_format_quoted(buffer, condition->why, strlen(condition->why));
		buffer_add_byte(buffer, '"');
	}
	buffer_add_byte(buffer, '}');
}

bool
monitor_format_conditions(struct monitor *monitor, struct buffer *buffer)
{
	bool ready;

	pthread_mutex_lock(&monitor->lock);
	ready = monitor->condition_count > 0; /* nothing was looked at yet: not ready */
	buffer_add_byte(buffer, '[');
	for (size_t i = 0; i < monitor->condition_count; i++) {
		buffer_add_text(buffer, i ? ",\n " : "");
		format_condition(buffer, &monitor->conditions[i]);
		ready = ready && monitor->conditions[i].good;
	}
	buffer_add_text(buffer, "]\n");
	pthread_mutex_unlock(&monitor->lock);
	return ready;
}
