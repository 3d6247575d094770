/* SPDX-License-Identifier: Apache-2.0 */
/* regex.cc - RE2 behind plain C. What it throws when memory ends becomes the end of the process, as everywhere in the house. */
extern "C" {
#include "common/regex/regex.h"
}
#include <cstdlib>
#include <re2/re2.h>
#include <string>

struct regex {
	re2::RE2 compiled;

	regex(const std::string &pattern, const re2::RE2::Options &options) : compiled(pattern, options)
	{
	}
};

static re2::RE2::Options
options(void)
{
	re2::RE2::Options options;

	options.set_max_mem(REGEX_MEMORY_MAX);
	options.set_log_errors(false);
	options.set_never_capture(true); /* only whether it matches is asked */
	return options;
}

/* RE2 quotes the pattern in what it says: one line of it, without control characters. */
static std::string
one_line(std::string text)
{
	for (char &byte : text)
		if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f)
			byte = '?';
	return text;
}

extern "C" struct regex *
regex_open(const char *pattern, size_t length, struct error *error)
{
	try {
		struct regex *regex = new struct regex(std::string(pattern, length), options());

		if (regex->compiled.ok())
			return regex;
		error_set(error, ERROR_INVALID, "regex", "%s", one_line(regex->compiled.error()).c_str());
		delete regex;
		return nullptr;
	} catch (...) {
		std::abort();
	}
}

extern "C" void
regex_close(struct regex *regex)
{
	delete regex;
}

extern "C" bool
regex_search(const struct regex *regex, const char *text, size_t length)
{
	try {
		return regex->compiled.Match({length ? text : "", length}, 0, length, re2::RE2::UNANCHORED,
					     nullptr, 0);
	} catch (...) {
		std::abort();
	}
}
