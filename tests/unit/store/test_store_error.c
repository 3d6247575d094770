/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_error.c - which SQLSTATE asks for which reaction, and that no value of a message gets into an error. */
#include "common/store/store_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void
each_sqlstate_has_its_reaction(void **state)
{
	static const struct {
		const char *sqlstate;
		enum error_kind kind;
	} cases[] = {
	    {"40001", ERROR_UNAVAILABLE}, /* serialisation failure */
	    {"40P01", ERROR_UNAVAILABLE}, /* deadlock */
	    {"55P03", ERROR_UNAVAILABLE}, /* lock time-out */
	    {"57014", ERROR_UNAVAILABLE}, /* statement time-out */
	    {"57P01", ERROR_UNAVAILABLE}, /* shutdown */
	    {"57P02", ERROR_UNAVAILABLE}, /* crash */
	    {"57P03", ERROR_UNAVAILABLE}, /* starting up */
	    {"53100", ERROR_UNAVAILABLE}, /* disk full */
	    {"53200", ERROR_UNAVAILABLE}, /* out of memory */
	    {"53300", ERROR_UNAVAILABLE}, /* too many connections */
	    {"08006", ERROR_UNAVAILABLE}, /* connection failure */
	    {"25006", ERROR_UNAVAILABLE}, /* a standby */
	    {"25P03", ERROR_UNAVAILABLE}, /* idle in transaction for too long */
	    {"58030", ERROR_UNAVAILABLE}, /* I/O error */
	    {NULL, ERROR_UNAVAILABLE},	  /* the connection itself */
	    {"22021", ERROR_INVALID},	  /* not UTF-8 */
	    {"22P02", ERROR_INVALID},	  /* not of that type */
	    {"22P05", ERROR_INVALID},	  /* no such character */
	    {"22003", ERROR_INVALID},	  /* number out of range */
	    {"22008", ERROR_INVALID},	  /* time out of range */
	    {"54000", ERROR_INVALID},	  /* too large */
	    {"54001", ERROR_INVALID},	  /* too deep */
	    {"23514", ERROR_INVALID},	  /* check constraint */
	    {"23503", ERROR_INVALID},	  /* foreign key */
	    {"23502", ERROR_INVALID},	  /* not null */
	    {"23000", ERROR_INVALID},	  /* set once */
	    {"23505", ERROR_CONFLICT},	  /* unique */
	    {"42501", ERROR_BROKEN},	  /* no rights */
	    {"42P01", ERROR_BROKEN},	  /* no such table */
	    {"42703", ERROR_BROKEN},	  /* no such column */
	    {"28P01", ERROR_BROKEN},	  /* wrong password */
	    {"28000", ERROR_BROKEN},	  /* no such role */
	    {"3D000", ERROR_BROKEN},	  /* no such database */
	    {"08P01", ERROR_BROKEN},	  /* our own wrong message */
	    {"22P03", ERROR_BROKEN},	  /* our own wrong binary format */
	    {"0A000", ERROR_BROKEN},	  /* not supported */
	    {"25P02", ERROR_BROKEN},	  /* went on in a failed transaction */
	    {"21000", ERROR_BROKEN},	  /* our own wrong statement */
	    {"XX000", ERROR_BROKEN},	  /* the server's own fault */
	    {"XX001", ERROR_BROKEN},	  /* damaged data */
	    {"P0001", ERROR_BROKEN},	  /* raised by a function */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *code = NULL;

		if (store_sqlstate_kind(cases[i].sqlstate, &code) != cases[i].kind)
			fail_msg("%s is not %s", cases[i].sqlstate, error_kind_name(cases[i].kind));
		assert_non_null(code);
	}
}

static void
a_result_without_a_sqlstate_is_a_lost_connection(void **state)
{
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_FATAL_ERROR);
	struct error error = {0};

	(void)state;
	assert_true(store_result_fatal(result));
	assert_false(store_error_result(&error, "statement x", result));
	assert_int_equal(error.kind, ERROR_UNAVAILABLE);
	assert_string_equal(error.code, "connection_lost");
	PQclear(result);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_sqlstate_has_its_reaction),
	    cmocka_unit_test(a_result_without_a_sqlstate_is_a_lost_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
