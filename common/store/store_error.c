/* SPDX-License-Identifier: Apache-2.0 */
/* store_error.c - from SQLSTATE to what the caller is to do. Texts of the server are used only where they can't hold values. */
#include "common/store/store_private.h"

#include <string.h>

struct reaction {
	const char *prefix; /* of the SQLSTATE; the first that fits counts */
	enum error_kind kind;
	const char *code;
};

static const struct reaction reactions[] = {
    {"08P01", ERROR_BROKEN, "protocol"},	   /* we spoke wrongly */
    {"08", ERROR_UNAVAILABLE, "connection_lost"},  /* the connection itself */
    {"22P03", ERROR_BROKEN, "protocol"},	   /* binary parameters are our own making */
    {"22", ERROR_INVALID, "not_storable"},	   /* not UTF-8, out of range */
    {"23505", ERROR_CONFLICT, "not_unique"},	   /* outside of ON CONFLICT */
    {"23", ERROR_INVALID, "constraint"},	   /* check, foreign key, null */
    {"25006", ERROR_UNAVAILABLE, "read_only"},	   /* a standby */
    {"25P03", ERROR_UNAVAILABLE, "idle_too_long"}, /* in a transaction */
    {"28", ERROR_BROKEN, "login_refused"},	   /* password, role, pg_hba */
    {"3D", ERROR_BROKEN, "no_database"},	   /* not made yet */
    {"40", ERROR_UNAVAILABLE, STORE_RUN_AGAIN},	   /* deadlock, serialisation */
    {"42501", ERROR_BROKEN, "no_rights"},	   /* of the role */
    {"42", ERROR_BROKEN, "schema"},		   /* no such table or column */
    {"53", ERROR_UNAVAILABLE, "no_resources"},	   /* disk full, too many connections */
    {"54", ERROR_INVALID, "not_storable"},	   /* too large */
    {"55", ERROR_UNAVAILABLE, STORE_RUN_AGAIN},	   /* lock time-out */
    {"57014", ERROR_UNAVAILABLE, STORE_RUN_AGAIN}, /* statement time-out */
    {"57", ERROR_UNAVAILABLE, "connection_lost"},  /* shutdown, crash, starting up */
    {"58", ERROR_UNAVAILABLE, "server_trouble"},   /* its disk */
};

enum error_kind
store_sqlstate_kind(const char *sqlstate, const char **code)
{
	if (!sqlstate) {
		*code = "connection_lost";
		return ERROR_UNAVAILABLE;
	}
	for (size_t i = 0; i < sizeof reactions / sizeof *reactions; i++) {
		if (strncmp(sqlstate, reactions[i].prefix, strlen(reactions[i].prefix)) == 0) {
			*code = reactions[i].code;
			return reactions[i].kind;
		}
	}
	*code = "unexpected";
	return ERROR_BROKEN;
}

bool
store_result_fatal(const PGresult *result)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

	return !PQresultErrorField(result, PG_DIAG_SQLSTATE)
	       || (severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0));
}

/* Class 42 speaks of names and syntax only. Others may quote what was to be stored. */
static const char *
harmless_message(const PGresult *result, const char *sqlstate)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	return message && strncmp(sqlstate, "42", 2) == 0 ? message : "";
}

static const char *
field_or_empty(const PGresult *result, int field)
{
	const char *text = PQresultErrorField(result, field);

	return text ? text : "";
}

bool
store_error_result(struct error *error, const char *what, const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *constraint = field_or_empty(result, PG_DIAG_CONSTRAINT_NAME), *code;
	enum error_kind kind = store_sqlstate_kind(sqlstate, &code);

	if (!sqlstate)
		return error_set(error, kind, code, "%s: the connection was lost", what);

	const char *message = harmless_message(result, sqlstate);

	return error_set(error, kind, code, "%s: SQLSTATE %s%s%s%s%s", what, sqlstate,
			 *constraint ? ", constraint " : "", constraint, *message ? ", " : "", message);
}
