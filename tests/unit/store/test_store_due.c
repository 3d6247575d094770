/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_due.c - what services ask again and again, how much is due by now, costs what is due and not what is open. */
#include "tests/unit/store/scratch.h"

static const char *
plan_of(struct scratch *scratch, enum statement statement)
{
	PGconn *raw = scratch_raw(scratch);
	const char *name = store_statement_name(statement);
	PGresult *result = PQprepare(raw, name, store_statement_text(statement), 0, NULL);
	struct buffer call = {.arena = scratch->arena}, plan = {.arena = scratch->arena};
	int parameters;

	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		fail_msg("%s: %s", name, PQerrorMessage(raw));
	PQclear(result);
	result = PQdescribePrepared(raw, name);
	parameters = PQnparams(result);
	PQclear(result);
	buffer_add_format(&call, "EXPLAIN (COSTS off) EXECUTE %s", name);
	for (int i = 0; i < parameters; i++)
		buffer_add_text(&call, i ? ", NULL" : " (NULL");
	buffer_add_text(&call, parameters ? ")" : "");
	result = PQexec(raw, call.bytes);
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		fail_msg("%s: %s", call.bytes, PQerrorMessage(raw));
	for (int i = 0; i < PQntuples(result); i++)
		buffer_add_format(&plan, "%s\n", PQgetvalue(result, i, 0));
	PQclear(result);
	return plan.bytes;
}

/* The generic plan is of any parameters; without the sequential scans it is that of large tables. */
static void
what_is_due_is_searched_for_in_an_index_by_its_time(void **state)
{
	static const struct {
		enum statement statement;
		const char *search;
	} asked[] = {
	    {STATEMENT_RESOLVER_OVERDUE, "Index Cond: (next_at <= "},
	    {STATEMENT_NOTIFIER_CLAIM, "Index Cond: (next_attempt_at <= "},
	    {STATEMENT_RECORDER_UNREPORTED, "Index Cond: ((expires_at > "},
	};
	struct scratch *scratch = *state;

	scratch_run(scratch_raw(scratch), "SET plan_cache_mode = force_generic_plan");
	scratch_run(scratch_raw(scratch), "SET enable_seqscan = off");
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		const char *plan = plan_of(scratch, asked[i].statement);

		if (!strstr(plan, asked[i].search))
			fail_msg("%s is not by %s:\n%s", store_statement_name(asked[i].statement),
				 asked[i].search, plan);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_due_is_searched_for_in_an_index_by_its_time),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
