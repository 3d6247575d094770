-- SPDX-License-Identifier: Apache-2.0
-- Who may do what: one role per service, one for the operator's command line, one for auditors. They can't log in; a
-- login is made a member (GRANT countersign_evaluator TO …), or is given to them (ALTER ROLE … LOGIN). Roles belong to the
-- whole server, so they may be there already, and two databases may be migrated at the same time.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['evaluator', 'resolver', 'recorder', 'notifier', 'relay', 'operator', 'auditor'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_' || name);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', 'countersign_' || name);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- another database's migration was faster
        END;
    END LOOP;
END $$;

COMMENT ON SCHEMA countersign IS 'Countersign: requests, decisions, approvals, authorizations, outcomes, and the ledger of all of it.';
COMMENT ON TABLE schema_migration IS 'Migrations that this database has seen, written by `countersign migrate`.';
COMMENT ON COLUMN schema_migration.version IS 'Number of the file in sql/schema.';
COMMENT ON COLUMN schema_migration.name IS 'Name of the file.';
COMMENT ON COLUMN schema_migration.checksum IS 'sha-256 of the file: a program that was built with another one refuses to start.';
COMMENT ON COLUMN schema_migration.applied_at IS 'When.';

-- ---------------------------------------------------------------- everybody: which schema, which installation

GRANT USAGE ON SCHEMA countersign TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier,
    countersign_relay, countersign_operator, countersign_auditor;
GRANT SELECT ON schema_migration, installation TO countersign_evaluator, countersign_resolver, countersign_recorder,
    countersign_notifier, countersign_relay;

-- ---------------------------------------------------------------- consumers: their position, quarantine, the ledger

GRANT SELECT, INSERT, UPDATE (next_offset, owner_epoch, owner, updated_at) ON consumer_position
    TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier;
GRANT SELECT, INSERT ON quarantine TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier;
GRANT INSERT ON quarantine_raw TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier;

-- To lock a head takes the right to update one of its columns. The guard of ledger_event reads ledger_writer.
GRANT SELECT, UPDATE (sequence, hash) ON ledger_head
    TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier, countersign_relay;
GRANT INSERT ON ledger_event, ledger_batch
    TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier, countersign_relay;
GRANT SELECT ON ledger_writer
    TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier, countersign_relay;

-- ---------------------------------------------------------------- service by service

GRANT SELECT ON policy, policy_generation, agent, group_member TO countersign_evaluator;
GRANT SELECT, INSERT ON request, decision, approval, approval_requirement, authorization_status TO countersign_evaluator;

-- The last vote decides again, under the policy of that moment: a further decision and what it demands.
GRANT SELECT ON request, policy, policy_generation, agent, group_member, signing_key TO countersign_resolver;
GRANT SELECT, UPDATE (state, closed_at, notices, refusals) ON approval TO countersign_resolver;
GRANT SELECT, INSERT ON decision, approval_requirement, response, authorization_status TO countersign_resolver;
GRANT SELECT, INSERT, DELETE ON shelf TO countersign_resolver;

-- The recorder also forgets raw bytes whose time is over: it sees no more of them than their time.
GRANT SELECT ON request, approval, authorization_status TO countersign_recorder;
GRANT SELECT, INSERT ON outcome, incident TO countersign_recorder;
GRANT SELECT, INSERT, DELETE ON shelf TO countersign_recorder;
GRANT SELECT (quarantine_id, keep_until), DELETE ON quarantine_raw TO countersign_recorder;

GRANT SELECT ON approval, approval_requirement, request, response, decision, group_member, authorization_status
    TO countersign_notifier;
GRANT SELECT, INSERT, UPDATE (state, attempts, next_attempt_at, lease_until, lease_epoch, last_code, last_error, reference,
    finished_at) ON delivery TO countersign_notifier;
GRANT SELECT, INSERT ON delivery_target TO countersign_notifier;

GRANT SELECT ON ledger_event, ledger_batch TO countersign_relay;
GRANT SELECT, UPDATE (next_sequence, owner, owner_epoch, lease_until) ON relay_position TO countersign_relay;
GRANT SELECT, INSERT ON checkpoint TO countersign_relay;

-- ---------------------------------------------------------------- people

GRANT SELECT ON ALL TABLES IN SCHEMA countersign TO countersign_operator, countersign_auditor;
REVOKE SELECT ON quarantine_raw FROM countersign_auditor;

-- by_role of the history and activated_by are the session's, never the operator's own words
GRANT INSERT, UPDATE (owner, registered_at), DELETE ON agent TO countersign_operator;
GRANT INSERT, DELETE ON group_member TO countersign_operator;
GRANT INSERT, UPDATE (revoked_at, speaks_for) ON signing_key TO countersign_operator;
GRANT INSERT (policy_id, version, digest, document, tenants, generation, activated_at) ON policy TO countersign_operator;
GRANT UPDATE (generation) ON policy_generation TO countersign_operator;
GRANT UPDATE (state, attempts, next_attempt_at, lease_until, lease_epoch, finished_at) ON delivery TO countersign_operator;
GRANT INSERT, DELETE ON delivery_target TO countersign_operator;
GRANT UPDATE (kafka_cluster) ON installation TO countersign_operator;

-- Raw bytes: everybody who may insert inserts, the operator reads, and what is deleted is over.
ALTER TABLE quarantine_raw ENABLE ROW LEVEL SECURITY;
CREATE POLICY put ON quarantine_raw FOR INSERT
    TO countersign_evaluator, countersign_resolver, countersign_recorder, countersign_notifier WITH CHECK (true);
CREATE POLICY look ON quarantine_raw FOR SELECT TO countersign_operator, countersign_recorder USING (true);
CREATE POLICY forget ON quarantine_raw FOR DELETE TO countersign_recorder USING (keep_until <= clock_timestamp());
