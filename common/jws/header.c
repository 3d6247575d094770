/* SPDX-License-Identifier: Apache-2.0 */
/* header.c - a strict reader for the three strings of our JWS headers. No JSON library: what it does not know it refuses. */
#include "common/jws/header.h"

#include <assert.h>
#include <string.h>

struct reader {
	const char *at;
	const char *end;
};

static void
skip_space(struct reader *reader)
{
	while (reader->at < reader->end
	       && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r'))
		reader->at++;
}

/* The next token is this one character. */
static bool
take(struct reader *reader, char token)
{
	skip_space(reader);
	if (reader->at == reader->end || *reader->at != token)
		return false;
	reader->at++;
	return true;
}

static bool
is_plain(char character)
{
	return character >= ' ' && character <= '~' && character != '"' && character != '\\';
}

/* A string token of plain characters that fits into size bytes with its NUL. */
static bool
take_string(struct reader *reader, char *text, size_t size)
{
	size_t length = 0;

	if (!take(reader, '"'))
		return false;
	while (reader->at < reader->end && is_plain(*reader->at) && length + 1 < size)
		text[length++] = *reader->at++;
	text[length] = '\0';
	return reader->at < reader->end && *reader->at++ == '"'; /* no white space inside: not take() */
}

/* One `"name":"value"`, into the field of that name, which must still be empty and may not stay so. */
static bool
take_member(struct reader *reader, struct jws_header *header)
{
	const struct {
		const char *name;
		char *value;
		size_t size;
	} fields[] = {
	    {"alg", header->alg, sizeof header->alg},
	    {"kid", header->kid, sizeof header->kid},
	    {"typ", header->typ, sizeof header->typ},
	};
	char name[sizeof "alg"];

	if (!take_string(reader, name, sizeof name) || !take(reader, ':'))
		return false;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(name, fields[i].name) == 0)
			return fields[i].value[0] == '\0'
			       && take_string(reader, fields[i].value, fields[i].size)
			       && fields[i].value[0] != '\0';
	return false;
}

bool
jws_header_parse(const char *text, size_t length, struct jws_header *header)
{
	struct reader reader = {text, text + length};

	*header = (struct jws_header){0};
	if (!take(&reader, '{') || !take_member(&reader, header) || !take(&reader, ',')
	    || !take_member(&reader, header) || !take(&reader, ',') || !take_member(&reader, header)
	    || !take(&reader, '}'))
		return false;
	skip_space(&reader);
	return reader.at == reader.end;
}

char *
jws_header_format(struct arena *arena, const char *kid, const char *typ)
{
	for (const char *at = typ; *at; at++)
		assert(is_plain(*at));
	assert(*typ && strlen(typ) < sizeof((struct jws_header *)NULL)->typ);
	return arena_format(arena, "{\"alg\":\"EdDSA\",\"kid\":\"%s\",\"typ\":\"%s\"}", kid, typ);
}
