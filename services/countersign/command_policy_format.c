/* SPDX-License-Identifier: Apache-2.0 */
/* command_policy_format.c - a policy in its one layout, in either form; what comes out is read again before anybody gets it. */
#include "services/countersign/policy_file.h"
#include "services/countersign/policy_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text says the same as the file, or nothing comes of it. */
static bool
check_same(struct cli *cli, const struct policy_file *file, enum document_form form,
	   const struct buffer *text, struct error *error)
{
	struct findings findings = findings_open(cli->arena, 1);
	struct document document;
	struct policy_document again = {0};
	const char *name = form == DOCUMENT_YAML ? "layout.yaml" : "layout.json";

	if (!document_policy(cli->arena, name, text->bytes, text->length, &document, &again, &findings)
	    || strcmp(again.digest_text, file->policy.digest_text) != 0)
		return error_set(
		    error, ERROR_BROKEN, "layout",
		    "%s: its layout would not be the same policy: this is a fault of countersign",
		    file->document.name);
	return true;
}

static bool
lay_out(struct cli *cli, const struct policy_file *file, enum document_form form, struct buffer *text,
	struct error *error)
{
	*text = (struct buffer){.arena = cli->arena};
	policy_layout(cli->arena, file->document.value, form, text);
	return check_same(cli, file, form, text, error);
}

static enum document_form
form_of(const struct policy_file *file)
{
	const struct text *source = &file->document.source;

	return document_form(file->document.name, source->bytes, source->length);
}

static bool
write_all(int descriptor, const struct buffer *text)
{
	for (size_t at = 0; at < text->length;) {
		ssize_t written = write(descriptor, text->bytes + at, text->length - at);

		if (written < 0 && errno != EINTR)
			return false;
		at += written > 0 ? (size_t)written : 0;
	}
	return true;
}

/* All of the new text or all of the old one, whatever happens. */
static bool
replace_file(struct cli *cli, const char *name, const struct buffer *text, struct error *error)
{
	char *path = realpath(name, NULL); /* what a link leads to is replaced, not the link */
	char *other = arena_format(cli->arena, "%s.XXXXXX", path ? path : name);
	int descriptor = path ? mkstemp(other) : -1;
	struct stat status;
	bool good = descriptor >= 0 && stat(path, &status) == 0
		    && fchmod(descriptor, status.st_mode & 07777) == 0 && write_all(descriptor, text)
		    && fsync(descriptor) == 0 && rename(other, path) == 0;

	if (!good)
		error_set(error, ERROR_UNAVAILABLE, "file", "write %s: %s", name, strerror(errno));
	if (!good && descriptor >= 0)
		unlink(other);
	if (descriptor >= 0)
		close(descriptor);
	free(path);
	return good;
}

static bool
is_same(const struct text *source, const struct buffer *text)
{
	return source->length == text->length && memcmp(source->bytes, text->bytes, text->length) == 0;
}

static int
print(const struct policy_file *file, const struct buffer *text)
{
	if (document_has_comments(&file->document))
		cli_say("%s: its comments are not in what is printed", file->document.name);
	fwrite(text->bytes, 1, text->length, stdout);
	return CLI_OK;
}

int
command_policy_fmt(struct cli *cli)
{
	struct error error = {0};
	struct policy_file file;
	struct buffer text;
	const char *path = cli->arguments[0];
	int result;

	if (cli_option(cli, "write") && strcmp(path, "-") == 0)
		return cli_usage(cli, "--write needs a file");
	result = policy_file_read(cli, path, &file);
	if (result != CLI_OK)
		return result;
	if (!lay_out(cli, &file, form_of(&file), &text, &error))
		return cli_fail(&error);
	if (!cli_option(cli, "write"))
		return print(&file, &text);
	if (document_has_comments(&file.document)) {
		cli_say("%s: it has comments, which would be lost: it stays as it is", path);
		return CLI_FAILED;
	}
	return is_same(&file.document.source, &text) || replace_file(cli, path, &text, &error)
		   ? CLI_OK
		   : cli_fail(&error);
}

int
command_policy_convert(struct cli *cli)
{
	struct error error = {0};
	struct policy_file file;
	struct buffer text;
	const char *to = cli_option(cli, "to");
	int result;

	if (!to || (strcmp(to, "json") != 0 && strcmp(to, "yaml") != 0))
		return cli_usage(cli, "--to is json or yaml");
	result = policy_file_read(cli, cli->arguments[0], &file);
	if (result != CLI_OK)
		return result;
	if (!lay_out(cli, &file, strcmp(to, "yaml") == 0 ? DOCUMENT_YAML : DOCUMENT_JSON, &text, &error))
		return cli_fail(&error);
	return print(&file, &text);
}
