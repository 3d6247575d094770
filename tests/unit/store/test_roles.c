/* SPDX-License-Identifier: Apache-2.0 */
/* test_roles.c - what each role may and what it must not, on a real database; and that every column says what it is. */
#include "scratch.h"

static const char no_rights[] = "42501";

/* Tries a statement as a role and takes it back; gives the SQLSTATE. */
static const char *
try_as(struct scratch *scratch, const char *role, const char *sql)
{
	static char sqlstate[6];
	PGconn *raw = scratch_raw(scratch);

	scratch_run(raw, "BEGIN");
	scratch_run(raw, arena_format(scratch->arena, "SET LOCAL ROLE countersign_%s", role));
	snprintf(sqlstate, sizeof sqlstate, "%s", scratch_state(raw, sql));
	scratch_run(raw, "ROLLBACK");
	return sqlstate;
}

#define REQUEST                                                                                              \
	"INSERT INTO request (tenant, request_id, chain, valid, content_hash, origin_topic, "                \
	"origin_partition, origin_offset, received_at) "                                                     \
	"VALUES ('t', 'r2', 0, false, '', 'requests', 0, 2, now())"
#define DECISION                                                                                             \
	"INSERT INTO decision (tenant, request_id, n, verdict, reason_code, reason_text, rules, "            \
	"generation, engine_version, decided_at) "                                                           \
	"VALUES ('t', 'r1', 1, 'BLOCK', 'rule', 'x', '{}', 0, 'x', now())"
#define WORD                                                                                                 \
	"INSERT INTO authorization_status (tenant, request_id, status, event_id, decision, reason_code, "    \
	"reason_text, decided_at) "                                                                          \
	"VALUES ('t', 'r1', 'DENIED', gen_random_uuid(), 'BLOCK', 'rule', 'x', now())"
#define APPROVAL                                                                                             \
	"INSERT INTO approval (approval_id, tenant, request_id, state, request_digest, reason_text, "        \
	"valid_for_us, opened_at, deadline, notices) "                                                       \
	"VALUES (gen_random_uuid(), 't', 'r0', 'PENDING', 'd', 'x', 1, now(), now() + interval '1 hour', 1)"
#define RESPONSE                                                                                             \
	"INSERT INTO response (kid, response_id, tenant, request_id, responder, verdict, result, "           \
	"request_digest, issued_at, received_at, value, signature, origin_topic, origin_partition, "         \
	"origin_offset) "                                                                                    \
	"VALUES ('k', 'x', 't', 'r1', 'p', 'deny', 'late', 'd', now(), now(), '', '', 'responses', 0, 1)"
#define OUTCOME                                                                                              \
	"INSERT INTO outcome (tenant, outcome_id, request_id, status, request_digest, reported_by, "         \
	"occurred_at, judgement, content_hash, received_at, origin_topic, origin_partition, origin_offset) " \
	"VALUES ('t', 'o2', 'r1', 'started', 'd', 'x', now(), 'authorized', '', now(), 'outcomes', 0, 2)"
#define INCIDENT                                                                                             \
	"INSERT INTO incident VALUES (gen_random_uuid(), 't', 'r1', 'executed_twice', 'high', 'x', '{}', "   \
	"now())"
#define QUARANTINE                                                                                           \
	"INSERT INTO quarantine VALUES (gen_random_uuid(), 's', 'requests', 0, 99, NULL, NULL, 'c', '', "    \
	"'x', 'd', 1, now())"
#define RAW                                                                                                  \
	"INSERT INTO quarantine_raw VALUES ('00000000-0000-0000-0000-000000000003', 'k', 'v', '[]', now() "  \
	"+ interval '1 day')"
#define SHELF(service)                                                                                       \
	"INSERT INTO shelf VALUES ('responses', 0, 5, '" service "', 't', 'r9', NULL, '', '[]', NULL, "      \
	"now())"
#define POSITION(service) "INSERT INTO consumer_position VALUES ('2." service "', 't', 0, 0, 1, 'me', now())"
#define MOVE(service)                                                                                        \
	"UPDATE consumer_position SET next_offset = 1, owner_epoch = 2, owner = 'x', updated_at = now() "    \
	"WHERE consumer_group = '1." service "'"
#define DELIVERY                                                                                             \
	"INSERT INTO delivery (delivery_id, approval_id, tenant, request_id, channel, target, kind, state, " \
	"next_attempt_at, body, created_at) "                                                                \
	"VALUES (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 't', 'r1', 'log', 'x', "         \
	"'approval.changed.1', 'pending', now(), '', now())"
#define EVENT(topic)                                                                                         \
	"INSERT INTO ledger_event VALUES (0, 100, gen_random_uuid(), '" topic "', 'k', '[]', '{}', now())"
#define BATCH "INSERT INTO ledger_batch VALUES (0, 100, 100, sha256('x'), sha256('y'), now())"
#define HEAD "UPDATE ledger_head SET sequence = sequence, hash = hash WHERE chain = 0"
#define LOCK_HEAD "SELECT FROM ledger_head WHERE chain = 0 FOR UPDATE"
#define CHECKPOINT "INSERT INTO checkpoint VALUES (0, 100, '', now(), 101, 'x')"
#define POLICY                                                                                               \
	"INSERT INTO policy (policy_id, version, digest, document, tenants, generation, activated_at) "      \
	"VALUES ('p', 2, 'd', '{}', '{*}', 2, now())"

/* One row of everything, so that no statement is refused for another reason. */
static const char rows[] =
    "INSERT INTO request (tenant, request_id, chain, valid, content_hash, origin_topic, origin_partition, "
    "origin_offset, received_at) "
    "VALUES ('t', 'r0', 0, false, '', 'requests', 0, 0, now()), ('t', 'r1', 0, false, '', 'requests', 0, 1, "
    "now());"
    "INSERT INTO approval (approval_id, tenant, request_id, state, request_digest, reason_text, "
    "valid_for_us, opened_at, deadline, notices) "
    "VALUES ('00000000-0000-0000-0000-000000000001', 't', 'r1', 'PENDING', 'd', 'x', 1, now(), now() + "
    "interval '1 hour', 1);"
    "INSERT INTO signing_key (kid, tenant, owner, kind, public_key, registered_at) VALUES ('k', 't', 'o', "
    "'person', sha256('k'), now());"
    "INSERT INTO quarantine VALUES ('00000000-0000-0000-0000-000000000002', 's', 'requests', 0, 7, NULL, "
    "NULL, 'c', '', 'x', 'd', 1, now()), "
    "('00000000-0000-0000-0000-000000000003', 's', 'requests', 0, 8, NULL, NULL, 'c', '', 'x', 'd', 1, "
    "now()), "
    "('00000000-0000-0000-0000-000000000004', 's', 'requests', 0, 9, NULL, NULL, 'c', '', 'x', 'd', 1, "
    "now());"
    "INSERT INTO quarantine_raw VALUES ('00000000-0000-0000-0000-000000000002', 'k', 'secret', '[]', now() - "
    "interval '1 day'), "
    "('00000000-0000-0000-0000-000000000004', 'k', 'secret', '[]', now() + interval '1 day');"
    "INSERT INTO consumer_position SELECT '1.' || service, 't', 0, 0, 1, 'me', now() "
    "FROM unnest(ARRAY['evaluator', 'resolver', 'recorder', 'notifier', 'relay']) AS service;"
    "INSERT INTO limit_counter (counter, policy_id, limit_id, fields, measure, key, window_kind, max_amount, "
    "per_us, at, over_at, held_until) "
    "SELECT sha256(name), 'p', encode(name, 'escape'), 'tenant', '', '[]', 'sliding', 1, 1, now(), now() + "
    "over, "
    "now() + held FROM (VALUES ('over'::bytea, interval '-1 day', interval '-1 day'), "
    "('live', '1 day', '-1 day'), ('held', '-1 day', '1 day')) AS row (name, over, held);"
    "INSERT INTO limit_use VALUES (sha256('live'), 't', 'r1', 1, now());"
    "INSERT INTO agent VALUES ('t', 'a', 'o', now()); INSERT INTO group_member VALUES ('t', 'g', 'p', now())";

static int
setup(void **state)
{
	scratch_setup(state);
	scratch_run(scratch_raw(*state), rows);
	return 0;
}

/* ------------------------------------------------------------------ the table */

#define CONSUMERS "evaluator resolver recorder notifier"
#define WRITERS CONSUMERS " relay"
#define EVERYBODY WRITERS " operator auditor"

/* Who may do it; all others must be refused. */
static const struct right {
	const char *sql, *roles;
} rights[] = {
    /* what everybody needs to start */
    {"SELECT chains, kafka_cluster FROM installation", EVERYBODY},
    {"SELECT version, checksum FROM schema_migration", EVERYBODY},
    /* consumers */
    {POSITION("evaluator"), "evaluator"},
    {POSITION("resolver"), "resolver"},
    {POSITION("recorder"), "recorder"},
    {POSITION("notifier"), "notifier"},
    {POSITION("relay"), ""},
    {MOVE("evaluator"), "evaluator"},
    {MOVE("resolver"), "resolver"},
    {MOVE("recorder"), "recorder"},
    {MOVE("notifier"), "notifier"},
    {MOVE("relay"), ""},
    {"UPDATE consumer_position SET topic = 'x'", ""},
    {"DELETE FROM consumer_position", ""},
    {QUARANTINE, CONSUMERS},
    {RAW, CONSUMERS},
    {"UPDATE quarantine SET code = 'x'", ""},
    {"DELETE FROM quarantine", ""},
    {"SELECT value FROM quarantine_raw", "operator"},
    {"SELECT keep_until FROM quarantine_raw", "operator recorder"},
    {"UPDATE quarantine_raw SET keep_until = now()", ""},
    {"DELETE FROM quarantine_raw WHERE keep_until <= now()", "recorder"},
    /* the ledger */
    {LOCK_HEAD, WRITERS " operator"},
    {HEAD, WRITERS " operator"},
    {"UPDATE ledger_head SET chain = 5 WHERE chain = 0", ""},
    {"INSERT INTO ledger_head VALUES (9, 0, sha256('x'))", ""},
    {"DELETE FROM ledger_head", ""},
    {BATCH, WRITERS " operator"},
    {"UPDATE ledger_batch SET hash = sha256('x')", ""},
    {"DELETE FROM ledger_batch", ""},
    {"UPDATE ledger_event SET payload = 'x'", ""},
    {"DELETE FROM ledger_event", ""},
    {"TRUNCATE ledger_event", ""},
    {"SELECT payload FROM ledger_event", "relay operator auditor"},
    {"INSERT INTO ledger_writer VALUES ('countersign_notifier', 'authorizations')", ""},
    {"UPDATE ledger_writer SET topic = 'authorizations'", ""},
    {"DELETE FROM ledger_writer", ""},
    {"ALTER TABLE ledger_event DISABLE TRIGGER guard", ""},
    {"DROP TRIGGER guard ON ledger_event", ""},
    {EVENT("authorizations"), "evaluator resolver"},
    {EVENT("approvals"), "evaluator resolver"},
    {EVENT("incidents"), "evaluator resolver recorder"},
    {EVENT("quarantine"), CONSUMERS},
    {EVENT("checkpoints"), "relay"},
    {EVENT("directory"), "operator"},
    {EVENT("requests"), ""},
    {EVENT("responses"), ""},
    {EVENT("outcomes"), ""},
    {"UPDATE relay_position SET next_sequence = 2, owner = 'x', owner_epoch = 1, lease_until = now()",
     "relay"},
    {"UPDATE relay_position SET chain = 5", ""},
    {"INSERT INTO relay_position VALUES (9, 1, '', 0, now())", ""},
    {"DELETE FROM relay_position", ""},
    {CHECKPOINT, "relay"},
    {"UPDATE checkpoint SET token = 'x'", ""},
    {"DELETE FROM checkpoint", ""},
    /* requests, decisions, words */
    {REQUEST, "evaluator"},
    {"UPDATE request SET agent_id = 'x'", ""},
    {"DELETE FROM request", ""},
    {DECISION, "evaluator resolver"},
    {"UPDATE decision SET verdict = 'ALLOW'", ""},
    {"DELETE FROM decision", ""},
    {WORD, "evaluator resolver"},
    {"UPDATE authorization_status SET status = 'GRANTED'", ""},
    {"DELETE FROM authorization_status", ""},
    {APPROVAL, "evaluator"},
    {"UPDATE approval SET state = 'DENIED', closed_at = now(), notices = 2, refusals = 1", "resolver"},
    {"SELECT FROM approval FOR UPDATE", "resolver"},
    {"UPDATE approval SET deadline = now() + interval '2 hours', reminded_at = now(), steps_taken = 1, asked "
     "= 3, "
     "next_at = now()",
     "resolver"},
    {"UPDATE approval SET opened_at = now()", ""},
    {"UPDATE approval SET latest = now()", ""},
    {"UPDATE approval SET hold_for_us = 0", ""},
    {"UPDATE approval SET request_digest = 'x'", ""},
    {"UPDATE approval SET valid_for_us = 1", ""},
    {"DELETE FROM approval", ""},
    {"INSERT INTO approval_requirement (approval_id, n, profile, group_name, quorum, demand, stage) "
     "VALUES ('00000000-0000-0000-0000-000000000001', 5, 'p', 'g', 1, 0, 0)",
     "evaluator resolver"},
    {"INSERT INTO approval_step (approval_id, n, demand, how, group_name, at) "
     "VALUES ('00000000-0000-0000-0000-000000000001', 5, 0, 'notify', 'g', now())",
     "evaluator resolver"},
    {"UPDATE approval_step SET stage = 0", "resolver"},
    {"UPDATE approval_step SET at = now()", ""},
    {"DELETE FROM approval_step", ""},
    {"UPDATE approval_requirement SET quorum = 1", ""},
    {"DELETE FROM approval_requirement", ""},
    {RESPONSE, "resolver"},
    {"UPDATE response SET result = 'counted'", ""},
    {"DELETE FROM response", ""},
    /* what is open */
    {"INSERT INTO open_approval VALUES ('t', 'x', '00000000-0000-0000-0000-000000000001', 'a', 'c')",
     "evaluator"},
    {"UPDATE open_approval SET class_id = 'x'", ""},
    {"DELETE FROM open_approval", ""},
    {"INSERT INTO open_ask VALUES (gen_random_uuid(), 'g', 't')", ""},
    {"DELETE FROM open_ask", ""},
    {"SELECT agent_id FROM open_approval", "evaluator operator auditor"},
    {"SELECT group_name FROM open_ask", "evaluator operator auditor"},
    /* limits */
    {"INSERT INTO limit_counter (counter, policy_id, limit_id, fields, measure, key, window_kind, "
     "max_amount, per_us, at, over_at) "
     "VALUES (sha256('x'), 'p', 'l', 'tenant', '', '[]', 'sliding', 1, 1, now(), now())",
     "evaluator resolver recorder"},
    {"UPDATE limit_counter SET used = 0, over_at = now(), held_until = now()", "evaluator resolver recorder"},
    {"UPDATE limit_counter SET over_at = now()", "evaluator resolver recorder"},
    {"UPDATE limit_counter SET limit_id = 'x'", ""},
    {"SELECT FROM limit_counter FOR UPDATE", "evaluator resolver recorder"},
    {"DELETE FROM limit_counter WHERE over_at <= now()", "recorder"},
    {"SELECT used FROM limit_counter", "evaluator resolver recorder operator auditor"},
    {"INSERT INTO limit_use VALUES (sha256('live'), 't', 'r0', 1, now())", "evaluator resolver recorder"},
    {"UPDATE limit_use SET amount = 2, at = now(), held_until = now()", "evaluator resolver recorder"},
    {"UPDATE limit_use SET request_id = 'r2'", ""},
    {"DELETE FROM limit_use", "evaluator resolver recorder"},
    {"SELECT amount FROM limit_use", "evaluator resolver recorder operator auditor"},
    {"SELECT used FROM limit_usage", "operator auditor"},
    /* outcomes */
    {OUTCOME, "recorder"},
    {"UPDATE outcome SET judgement = 'authorized'", ""},
    {"DELETE FROM outcome", ""},
    {INCIDENT, "evaluator recorder"},
    {"UPDATE incident SET severity = 'low'", ""},
    {"DELETE FROM incident", ""},
    {SHELF("resolver"), "resolver recorder"},
    {"DELETE FROM shelf", "resolver recorder"},
    {"UPDATE shelf SET request_id = 'x'", ""},
    /* directory and policies */
    {"INSERT INTO agent VALUES ('t', 'b', 'o', now())", "operator"},
    {"UPDATE agent SET owner = 'x'", "operator"},
    {"DELETE FROM agent", "operator"},
    {"INSERT INTO group_member VALUES ('t', 'g', 'q', now())", "operator"},
    {"UPDATE group_member SET person = 'x'", ""},
    {"DELETE FROM group_member", "operator"},
    {"INSERT INTO signing_key (kid, tenant, owner, kind, public_key, registered_at) VALUES ('l', 't', 'o', "
     "'person', sha256('l'), now())",
     "operator"},
    {"UPDATE signing_key SET revoked_at = now()", "operator"},
    {"UPDATE signing_key SET speaks_for_groups = '{}', agents = '{}'", "operator"},
    {"UPDATE signing_key SET public_key = sha256('m')", ""},
    {"UPDATE signing_key SET owner = 'x'", ""},
    {"DELETE FROM signing_key", ""},
    {"SELECT public_key FROM signing_key", "evaluator resolver recorder operator auditor"},
    {"SELECT person FROM group_member", "evaluator resolver recorder notifier operator auditor"},
    {"INSERT INTO directory_history (relation, operation) VALUES ('agent', 'DELETE')", ""},
    {"UPDATE directory_history SET by_role = 'x'", ""},
    {"DELETE FROM directory_history", ""},
    {"SELECT new_row FROM directory_history", "operator auditor"},
    {POLICY, "operator"},
    {"INSERT INTO policy (policy_id, version, digest, document, tenants, generation, activated_at, "
     "activated_by) VALUES ('p', 2, 'd', '{}', '{*}', 2, now(), 'x')",
     ""},
    {"UPDATE policy SET document = '{}'", ""},
    {"DELETE FROM policy", ""},
    {"SELECT document FROM policy", "evaluator resolver operator auditor"},
    {"UPDATE policy_generation SET generation = generation + 1", "operator"},
    {"DELETE FROM policy_generation", ""},
    {"UPDATE installation SET kafka_cluster = 'x'", "operator"},
    {"UPDATE installation SET chains = 1", ""},
    {"INSERT INTO installation VALUES (true, 1)", ""},
    {"DELETE FROM installation", ""},
    {"INSERT INTO schema_migration VALUES (99, 'x', 'x')", ""},
    {"UPDATE schema_migration SET checksum = 'x'", ""},
    {"DELETE FROM schema_migration", ""},
    /* deliveries */
    {DELIVERY, "notifier"},
    {"UPDATE delivery SET state = 'pending', attempts = 0, next_attempt_at = now(), lease_until = NULL, "
     "lease_epoch = 1, finished_at = NULL",
     "notifier operator"},
    {"UPDATE delivery SET last_code = 'x', last_error = 'x', reference = 'x'", "notifier"},
    {"UPDATE delivery SET body = 'x'", ""},
    {"DELETE FROM delivery", ""},
    {"INSERT INTO delivery_target VALUES ('log', 'x', now(), 'gone')", "notifier operator"},
    {"DELETE FROM delivery_target", "operator"},
    {"UPDATE delivery_target SET reason = 'x'", ""},
    /* the schema itself */
    {"CREATE TABLE countersign.mine (x int)", ""},
    {"CREATE FUNCTION countersign.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", ""},
    {"DROP TABLE incident", ""},
    {"CREATE TEMP TABLE t (x int); CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION "
     "directory_remember()",
     ""},
};

/* Is the word in the list of words? */
static bool
is_in(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

static const char *const roles[] = {"evaluator", "resolver", "recorder", "notifier",
				    "relay",	 "operator", "auditor"};

static void
each_role_may_what_it_needs_and_nothing_else(void **state)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
		for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
			const char *sqlstate = try_as(*state, roles[r], rights[i].sql);
			bool may = is_in(rights[i].roles, roles[r]);

			if (strcmp(sqlstate, may ? "" : no_rights) != 0) {
				print_error("%s %s: [%s] %s\n", roles[r], may ? "may" : "must not", sqlstate,
					    rights[i].sql);
				wrong++;
			}
		}
	}
	assert_int_equal(wrong, 0);
}

static void
the_auditor_reads_everything_but_raw_bytes_and_the_operator_those_too(void **state)
{
	struct scratch *scratch = *state;
	PGresult *tables = PQexec(scratch_raw(scratch), "SELECT relname FROM pg_class WHERE relnamespace = "
							"'countersign'::regnamespace AND relkind = 'r'");

	assert_true(PQntuples(tables) > 20);
	for (int i = 0; i < PQntuples(tables); i++) {
		const char *table = PQgetvalue(tables, i, 0),
			   *sql = arena_format(scratch->arena, "SELECT * FROM %s", table);

		assert_string_equal(try_as(scratch, "operator", sql), "");
		assert_string_equal(try_as(scratch, "auditor", sql),
				    strcmp(table, "quarantine_raw") == 0 ? no_rights : "");
	}
	PQclear(tables);
}

static void
several_topics_in_one_statement_are_refused_for_the_one_that_is_foreign(void **state)
{
	static const char both[] =
	    "INSERT INTO ledger_event VALUES (0, 100, gen_random_uuid(), 'quarantine', 'k', '[]', '', now()),"
	    " (0, 101, gen_random_uuid(), 'authorizations', 'k', '[]', '', now())";

	assert_string_equal(try_as(*state, "evaluator", both), "");
	assert_string_equal(try_as(*state, "notifier", both), no_rights);
	assert_string_equal(try_as(*state, "notifier", "COPY ledger_event FROM PROGRAM 'true'"), no_rights);
}

/* The text with the login for each $. */
static const char *
with_login(struct arena *arena, const char *text, const char *login)
{
	struct buffer buffer = {.arena = arena};

	for (; *text; text++)
		*text == '$' ? buffer_add_text(&buffer, login) : buffer_add_byte(&buffer, *text);
	return buffer.bytes;
}

/* Sets a login up, becomes it, tries a statement, and takes all of it back. */
static const char *
try_login(struct scratch *scratch, const char *set_up, const char *sql)
{
	static char sqlstate[6];
	const char *login = arena_format(scratch->arena, "%s_login", scratch->name);
	PGconn *raw = scratch_raw(scratch);

	scratch_run(raw, arena_format(scratch->arena, "BEGIN; CREATE ROLE %s", login));
	scratch_run(raw, with_login(scratch->arena, set_up, login));
	scratch_run(raw, arena_format(scratch->arena, "SET LOCAL ROLE %s", login));
	snprintf(sqlstate, sizeof sqlstate, "%s", scratch_state(raw, sql));
	scratch_run(raw, "ROLLBACK");
	return sqlstate;
}

/* A login that is a member of a role is that role to the guard; whoever owns the table may append everything. */
static void
the_guard_knows_members_and_the_owner(void **state)
{
	static const char member[] = "GRANT countersign_relay TO $";
	static const char reader[] =
	    "GRANT USAGE ON SCHEMA countersign TO $; GRANT SELECT ON ledger_writer TO $";
	static const char inserter[] = "GRANT USAGE ON SCHEMA countersign TO $; GRANT SELECT ON "
				       "ledger_writer TO $; GRANT INSERT ON ledger_event TO $";
	static const char owner[] = "GRANT USAGE ON SCHEMA countersign TO $; GRANT SELECT ON ledger_writer "
				    "TO $; ALTER TABLE ledger_event OWNER TO $";
	struct scratch *scratch = *state;

	assert_string_equal(try_login(scratch, member, EVENT("checkpoints")), "");
	assert_string_equal(try_login(scratch, member, EVENT("authorizations")), no_rights);
	assert_string_equal(try_login(scratch, reader, EVENT("checkpoints")), no_rights);
	assert_string_equal(try_login(scratch, inserter, EVENT("checkpoints")), no_rights);
	assert_string_equal(try_login(scratch, owner, EVENT("authorizations")), "");
	assert_string_equal(
	    scratch_state(scratch_raw(scratch), "BEGIN; " EVENT("authorizations") "; ROLLBACK"), "");
}

static void
the_recorder_forgets_only_what_is_over(void **state)
{
	PGconn *raw = scratch_raw(*state);

	scratch_run(raw, "BEGIN; SET LOCAL ROLE countersign_recorder");
	scratch_run(raw, "DELETE FROM quarantine_raw");
	scratch_run(raw, "DELETE FROM limit_counter");
	scratch_run(raw, "RESET ROLE");
	assert_string_equal(
	    scratch_text(raw, "SELECT string_agg(limit_id, ' ' ORDER BY limit_id) FROM limit_counter"),
	    "held live");
	assert_string_equal(
	    scratch_text(raw, "SELECT string_agg(right(quarantine_id::text, 1), '') FROM quarantine_raw"), "4");
	scratch_run(raw, "ROLLBACK");
}

static void
changes_of_the_directory_are_remembered_under_the_sessions_name(void **state)
{
	PGconn *raw = scratch_raw(*state);

	scratch_run(raw, "BEGIN; SET LOCAL ROLE countersign_operator");
	scratch_run(raw, "UPDATE agent SET owner = 'new' WHERE agent_id = 'a'; DELETE FROM group_member "
			 "WHERE person = 'p'");
	assert_string_equal(scratch_text(raw, "SELECT string_agg(relation || ' ' || operation || ' ' || "
					      "coalesce(old_row->>'owner', old_row->>'person')"
					      " || ' ' || coalesce(new_row->>'owner', '-'), ', ' ORDER BY n) "
					      "FROM directory_history WHERE operation <> 'INSERT'"),
			    "agent UPDATE o new, group_member DELETE p -");
	assert_string_equal(
	    scratch_text(raw, "SELECT bool_and(by_role = session_user) FROM directory_history"), "t");
	scratch_run(raw, "ROLLBACK");
}

static void
what_is_set_once_stays_even_for_the_owner(void **state)
{
	static const char *const changes[][2] = {
	    {"UPDATE approval SET state = 'DENIED', closed_at = now()",
	     "UPDATE approval SET state = 'APPROVED'"},
	    {"UPDATE approval SET state = 'EXPIRED', closed_at = now()",
	     "UPDATE approval SET state = 'PENDING', closed_at = NULL"},
	    {"UPDATE signing_key SET revoked_at = now()", "UPDATE signing_key SET revoked_at = NULL"},
	    {"UPDATE signing_key SET revoked_at = now()",
	     "UPDATE signing_key SET revoked_at = now() + interval '1 second'"},
	    {"UPDATE installation SET kafka_cluster = 'one'",
	     "UPDATE installation SET kafka_cluster = 'two'"},
	    {"SELECT", "UPDATE installation SET chains = 8"},
	};
	PGconn *raw = scratch_raw(*state);

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		scratch_run(raw, "BEGIN");
		scratch_run(raw, changes[i][0]);
		assert_string_equal(scratch_state(raw, changes[i][1]), "23000");
		scratch_run(raw, "ROLLBACK");
	}
	scratch_run(raw, "BEGIN");
	scratch_run(raw,
		    "UPDATE approval SET state = 'DENIED', closed_at = now(); UPDATE approval SET "
		    "refusals = refusals + 1, notices = 3; UPDATE signing_key SET revoked_at = now(); UPDATE "
		    "signing_key SET revoked_at = now() - interval '1 second', speaks_for = speaks_for");
	scratch_run(raw, "ROLLBACK");
}

/* ------------------------------------------------------------------ the statements of each program */

/* Which roles run which statements, by the first word of their names. */
static const struct runner {
	const char *prefix, *roles;
} runners[] = {
    {"evaluator_", "evaluator"},
    {"resolver_", "resolver"},
    {"recorder_", "recorder"},
    {"notifier_", "notifier"},
    {"relay_", "relay"},
    {"cli_", "operator"},
    {"approvals_open", "evaluator"},
    {"approvals_", "evaluator resolver"},
    {"word_", "evaluator resolver"},
    {"snapshot_", "evaluator resolver"},
    {"keyring_", "evaluator resolver"},
    {"shelf_", "resolver recorder"},
    {"work_installation", EVERYBODY},
    {"work_", CONSUMERS},
    {"position_", CONSUMERS},
    {"ledger_", WRITERS},
};

static const char *
roles_of(const char *name)
{
	for (size_t i = 0; i < sizeof runners / sizeof *runners; i++)
		if (strncmp(name, runners[i].prefix, strlen(runners[i].prefix)) == 0)
			return runners[i].roles;
	return "";
}

/* EXPLAIN EXECUTE asks for the same rights as running it does. */
static const char *
explain_as(struct scratch *scratch, const char *role, const char *name, int parameters)
{
	struct buffer nulls = {.arena = scratch->arena};

	for (int i = 0; i < parameters; i++)
		buffer_add_text(&nulls, i ? ", NULL" : "(NULL");
	return try_as(scratch, role,
		      arena_format(scratch->arena, "EXPLAIN EXECUTE %s%s%s", name,
				   parameters ? nulls.bytes : "", parameters ? ")" : ""));
}

static void
every_statement_has_the_rights_of_the_programs_that_run_it(void **state)
{
	struct scratch *scratch = *state;
	PGconn *raw = scratch_raw(scratch);
	unsigned wrong = 0, tried = 0;

	for (int i = 0; i < STATEMENTS; i++) {
		const char *name = store_statement_name((enum statement)i);
		PGresult *prepared, *described;
		int parameters;

		if (!*roles_of(name))
			continue;
		prepared = PQprepare(raw, name, store_statement_text((enum statement)i), 0, NULL);
		if (PQresultStatus(prepared) != PGRES_COMMAND_OK)
			fail_msg("%s: %s", name, PQerrorMessage(raw));
		described = PQdescribePrepared(raw, name);
		parameters = PQnparams(described);
		for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
			if (is_in(roles_of(name), roles[r]) && ++tried
			    && strcmp(explain_as(scratch, roles[r], name, parameters), "") != 0) {
				print_error("%s can't run %s [%s]\n", roles[r], name,
					    explain_as(scratch, roles[r], name, parameters));
				wrong++;
			}
		}
		if (!is_in(roles_of(name), "auditor")
		    && !strncmp(name, "evaluator_request", 17)) /* that EXPLAIN asks at all */
			assert_string_equal(explain_as(scratch, "auditor", name, parameters), no_rights);
		PQclear(described);
		PQclear(prepared);
	}
	assert_int_equal(wrong, 0);
	assert_true(tried > 50);
}

/* What store_open does, for all of them at once: parameters and columns have types that have a format here. */
static void
every_statement_can_be_prepared_by_a_program(void **state)
{
	struct scratch *scratch = *state;
	struct store_options options = scratch_options(scratch->uri);
	struct error error = {0};
	struct store *store;

	for (int i = 0; i < STATEMENTS; i++) {
		enum statement statement = (enum statement)i;
		const char *name = store_statement_name(statement);

		if (strncmp(name, "migrate_", 8) == 0 || statement == STATEMENT_STORE_SESSION)
			continue; /* run as text */
		store = store_open(&options, &statement, 1, &error);
		if (!store)
			fail_msg("%s: %s", name, error.text);
		store_close(store);
	}
}

/* ------------------------------------------------------------------ comments */

static void
every_table_column_and_function_says_what_it_is(void **state)
{
	PGconn *raw = scratch_raw(*state);

	assert_string_equal(
	    scratch_text(raw, "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = "
			      "'countersign'::regnamespace"
			      " AND relkind IN ('r', 'v') AND obj_description(oid, 'pg_class') IS NULL"),
	    "");
	assert_string_equal(scratch_text(raw, "SELECT string_agg(attrelid::regclass || '.' || attname, ' ') "
					      "FROM pg_attribute JOIN pg_class c ON c.oid = attrelid"
					      " WHERE relnamespace = 'countersign'::regnamespace AND relkind "
					      "IN ('r', 'v') AND attnum > 0 AND NOT attisdropped"
					      " AND coalesce(col_description(attrelid, attnum), '') = ''"),
			    "");
	assert_string_equal(scratch_text(raw, "SELECT string_agg(proname, ' ') FROM pg_proc WHERE "
					      "pronamespace = 'countersign'::regnamespace"
					      " AND obj_description(oid, 'pg_proc') IS NULL"),
			    "");
	assert_string_not_equal(
	    scratch_text(raw,
			 "SELECT coalesce(obj_description('countersign'::regnamespace, 'pg_namespace'), '')"),
	    "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_role_may_what_it_needs_and_nothing_else),
	    cmocka_unit_test(the_auditor_reads_everything_but_raw_bytes_and_the_operator_those_too),
	    cmocka_unit_test(several_topics_in_one_statement_are_refused_for_the_one_that_is_foreign),
	    cmocka_unit_test(the_guard_knows_members_and_the_owner),
	    cmocka_unit_test(the_recorder_forgets_only_what_is_over),
	    cmocka_unit_test(changes_of_the_directory_are_remembered_under_the_sessions_name),
	    cmocka_unit_test(what_is_set_once_stays_even_for_the_owner),
	    cmocka_unit_test(every_statement_has_the_rights_of_the_programs_that_run_it),
	    cmocka_unit_test(every_statement_can_be_prepared_by_a_program),
	    cmocka_unit_test(every_table_column_and_function_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
