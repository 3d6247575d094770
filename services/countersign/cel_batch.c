/* SPDX-License-Identifier: Apache-2.0 */
/* cel_batch.c - lines in, lines out: many expressions in one process. */
#include "services/countersign/cel_batch.h"
#include "common/message/json.h"
#include "services/countersign/cel_codec.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct json_limits line_limits = {.bytes = CEL_BATCH_LINE_MAX,
					       .depth = 128,
					       .keys = 1024,
					       .items = 65536,
					       .string = CEL_BATCH_LINE_MAX,
					       .key = 1024,
					       .nul = true};

static bool
bad(struct error *error, const char *member, const char *what)
{
	return error_set_field(error, ERROR_INVALID, "bad_line", member, "\"%s\" is %s", member, what);
}

/* The variable of this name, made when there is none. */
static struct cel_variable *
variable(struct cel_trial *trial, const char *name)
{
	for (size_t i = 0; i < trial->variable_count; i++)
		if (!strcmp(trial->variables[i].name, name))
			return &trial->variables[i];
	trial->variables[trial->variable_count].name = name;
	return &trial->variables[trial->variable_count++];
}

static bool
read_bindings(struct arena *arena, const struct value *bindings, struct cel_trial *trial, struct error *error)
{
	for (size_t i = 0; bindings && i < bindings->as.map.count; i++) {
		const struct value_member *member = &bindings->as.map.members[i];

		if (!cel_codec_read(arena, member->value, &variable(trial, member->name.bytes)->value, error))
			return error_wrap(error, "%s", member->name.bytes);
	}
	return true;
}

static bool
read_types(const struct value *types, struct cel_trial *trial, struct error *error)
{
	for (size_t i = 0; types && i < types->as.map.count; i++) {
		const struct value_member *member = &types->as.map.members[i];

		if (member->value->kind != VALUE_STRING)
			return bad(error, "types", "an object of names and types");
		variable(trial, member->name.bytes)->type = member->value->as.string.bytes;
	}
	return true;
}

static bool
read_functions(struct arena *arena, const struct value *functions, struct cel_trial *trial, struct error *error)
{
	struct cel_signature *signatures = NULL;

	for (size_t i = 0; functions && i < functions->as.map.count; i++) {
		const struct value_member *member = &functions->as.map.members[i];
		size_t count = member->value->kind == VALUE_LIST ? member->value->as.list.count : 0;
		struct cel_signature *grown =
		    arena_take_array(arena, trial->signature_count + count + 1, sizeof *grown);

		if (trial->signature_count)
			memcpy(grown, signatures, trial->signature_count * sizeof *grown);
		signatures = grown;
		for (size_t k = 0; k < count; k++) {
			const struct value *item = member->value->as.list.items[k];

			if (item->kind != VALUE_STRING)
				return bad(error, "functions", "an object of names and lists of signatures");
			signatures[trial->signature_count++] =
			    (struct cel_signature){member->name.bytes, item->as.string.bytes};
		}
		trial->signatures = signatures;
	}
	return true;
}

static bool
read_stop(const struct value *stop, struct cel_trial *trial, struct error *error)
{
	const char *word = stop ? stop->as.string.bytes : "";

	trial->last = !strcmp(word, "parse")   ? CEL_STAGE_PARSE
		      : !strcmp(word, "check") ? CEL_STAGE_CHECK
					       : CEL_STAGE_VALUE;
	return !stop || trial->last != CEL_STAGE_VALUE || bad(error, "stop", "neither \"parse\" nor \"check\"");
}

static const struct {
	const char *name;
	enum value_kind kind;
	const char *what;
} members[] = {
    {"expr", VALUE_STRING, "no string"},
    {"bindings", VALUE_MAP, "no object"},
    {"types", VALUE_MAP, "no object"},
    {"functions", VALUE_MAP, "no object"},
    {"container", VALUE_STRING, "no string"},
    {"check", VALUE_BOOL, "neither true nor false"},
    {"macros", VALUE_BOOL, "neither true nor false"},
    {"stop", VALUE_STRING, "no string"},
    {"tree", VALUE_BOOL, "neither true nor false"},
};

static bool
check_members(const struct value *json, struct error *error)
{
	for (size_t i = 0; i < json->as.map.count; i++) {
		const struct value_member *member = &json->as.map.members[i];
		size_t k = 0;

		while (k < sizeof members / sizeof *members && strcmp(members[k].name, member->name.bytes))
			k++;
		if (k == sizeof members / sizeof *members)
			return error_set_field(error, ERROR_INVALID, "bad_line", member->name.bytes,
					       "there is no such member");
		if (member->value->kind != members[k].kind)
			return bad(error, members[k].name, members[k].what);
	}
	return value_get(json, "expr") || bad(error, "expr", "missing");
}

static bool
flag(const struct value *json, const char *name, bool fallback)
{
	const struct value *member = value_get(json, name);

	return member ? member->as.boolean : fallback;
}

bool
cel_batch_read(struct arena *arena, const char *line, size_t length, const struct cel_trial *defaults,
	       struct cel_trial *trial, bool *with_tree, struct error *error)
{
	const struct value *json = json_parse(arena, line, length, &line_limits, error);

	if (!json)
		return false;
	if (json->kind != VALUE_MAP)
		return error_set(error, ERROR_INVALID, "bad_line", "a line holds one object");
	if (!check_members(json, error))
		return false;

	const struct value *expression = value_get(json, "expr"), *bindings = value_get(json, "bindings"),
			   *types = value_get(json, "types");
	size_t room = 1 + (bindings ? bindings->as.map.count : 0) + (types ? types->as.map.count : 0);

	*trial = *defaults;
	trial->source = expression->as.string.bytes;
	trial->length = expression->as.string.length;
	trial->container = value_get_string(json, "container");
	trial->unchecked = !flag(json, "check", true);
	trial->flags = flag(json, "macros", true) ? 0 : CEL_WITHOUT_MACROS;
	trial->variables = arena_take_array(arena, room, sizeof *trial->variables);
	*with_tree = flag(json, "tree", false);
	return read_types(types, trial, error) && read_bindings(arena, bindings, trial, error)
	       && read_functions(arena, value_get(json, "functions"), trial, error)
	       && read_stop(value_get(json, "stop"), trial, error);
}

static void
answer_fault(struct buffer *out, const struct cel_fault *fault)
{
	buffer_add_text(out, "\"error\":");
	cel_codec_quote(out, fault->text, strlen(fault->text));
	buffer_add_format(
	    out, ",\"code\":\"%s\",\"position\":%" PRIu32 ",\"line\":%" PRIu32 ",\"column\":%" PRIu32,
	    cel_code_name(fault->code), fault->position, fault->line, fault->column);
}

static void
answer_faults(struct buffer *out, const struct cel_faults *faults)
{
	answer_fault(out, &faults->items[0]);
	if (faults->count < 2)
		return;
	buffer_add_text(out, ",\"more\":[");
	for (size_t i = 1; i < faults->count; i++) {
		buffer_add_text(out, i > 1 ? ",{" : "{");
		answer_fault(out, &faults->items[i]);
		buffer_add_byte(out, '}');
	}
	buffer_add_byte(out, ']');
}

void
cel_batch_answer(struct buffer *out, const struct cel_trial *trial, bool with_tree)
{
	buffer_add_byte(out, '{');
	if (trial->faults.count) {
		answer_faults(out, &trial->faults);
	} else if (trial->stage == CEL_STAGE_EVALUATE) {
		struct cel_fault fault = cel_trial_fault(trial);

		answer_fault(out, &fault);
	} else if (trial->stage == CEL_STAGE_VALUE) {
		buffer_add_text(out, "\"value\":");
		cel_codec_write(out, trial->value);
	} else {
		buffer_add_text(out, "\"ok\":true");
	}
	buffer_add_format(out, ",\"stage\":\"%s\"", cel_stage_name(trial->stage));
	if (trial->type) {
		buffer_add_text(out, ",\"type\":");
		const char *text = cel_type_text(out->arena, trial->type);
		cel_codec_quote(out, text, strlen(text));
	}
	if (trial->stage >= CEL_STAGE_EVALUATE)
		buffer_add_format(out, ",\"cost\":%" PRIu64, trial->cost);
	if (trial->stage >= CEL_STAGE_EVALUATE && !trial->unchecked && trial->bound != UINT64_MAX)
		buffer_add_format(out, ",\"bound\":%" PRIu64, trial->bound);
	if (with_tree && trial->tree) {
		buffer_add_text(out, ",\"tree\":");
		cel_batch_tree(out, trial->tree->root);
	}
	buffer_add_byte(out, '}');
}

static bool
answer_line(struct arena *arena, const char *line, size_t length, const struct cel_trial *defaults, FILE *out)
{
	struct buffer answer = {.arena = arena};
	struct cel_trial *trial = arena_take(arena, sizeof *trial);
	struct error error = {0};
	bool with_tree = false;

	if (length > CEL_BATCH_LINE_MAX)
		error_set(&error, ERROR_INVALID, "too_large", "a line is longer than %u bytes",
			  CEL_BATCH_LINE_MAX);
	if (error.kind == ERROR_NONE && cel_batch_read(arena, line, length, defaults, trial, &with_tree, &error)
	    && cel_try(arena, trial, &error)) {
		cel_batch_answer(&answer, trial, with_tree);
	} else {
		buffer_add_text(&answer, "{\"error\":");
		cel_codec_quote(&answer, error.text, strlen(error.text));
		buffer_add_format(&answer, ",\"code\":\"%s\",\"stage\":\"line\"}", error.code);
	}
	buffer_add_byte(&answer, '\n');
	fwrite(answer.bytes, 1, answer.length, out);
	fflush(out);
	return error.kind == ERROR_NONE;
}

/* A line into the room, which holds one byte more than a line may have; what is longer is read over. */
static bool
next_line(FILE *in, char *line, size_t *length)
{
	int character;

	*length = 0;
	while ((character = getc_unlocked(in)) != EOF && character != '\n')
		if (*length <= CEL_BATCH_LINE_MAX)
			line[(*length)++] = (char)character;
	return character != EOF || *length > 0;
}

bool
cel_batch_run(FILE *in, FILE *out, const struct cel_trial *defaults)
{
	struct arena *arena = arena_open();
	char *line = memory_take(CEL_BATCH_LINE_MAX + 1);
	size_t length;
	bool ok = true;

	while (!ferror(out) && next_line(in, line, &length)) {
		ok = answer_line(arena, line, length, defaults, out) && ok;
		arena_reset(arena);
	}
	free(line);
	arena_close(arena);
	return ok;
}
