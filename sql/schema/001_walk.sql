-- SPDX-License-Identifier: Apache-2.0
-- The walk: positions, requests, decisions, approvals, responses, authorizations, outcomes, incidents, quarantine, shelf,
-- directory, policies, the ledger and its relay, deliveries. Run by `countersign migrate` inside one transaction, with
-- search_path = countersign. Facts are inserted and never changed, except where a column's comment says so.

-- ---------------------------------------------------------------- installation and positions

CREATE TABLE installation (
    id              boolean PRIMARY KEY DEFAULT true CHECK (id),
    chains          integer NOT NULL CHECK (chains BETWEEN 1 AND 1024),
    kafka_cluster   text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE installation IS 'One row: what can never change for this database.';
COMMENT ON COLUMN installation.id IS 'Always true: there is one row.';
COMMENT ON COLUMN installation.chains IS 'Number of ledger chains; divides the partition count of every topic.';
COMMENT ON COLUMN installation.kafka_cluster IS 'Id of the Kafka cluster whose offsets the positions are about; set once by `countersign topics apply`; services refuse any other.';
COMMENT ON COLUMN installation.created_at IS 'When the schema was first installed.';

CREATE TABLE consumer_position (
    consumer_group  text    NOT NULL,
    topic           text    NOT NULL,
    partition       integer NOT NULL CHECK (partition >= 0),
    next_offset     bigint  NOT NULL CHECK (next_offset >= 0),
    owner_epoch     bigint  NOT NULL,
    owner           text    NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (consumer_group, topic, partition)
);
COMMENT ON TABLE consumer_position IS 'How far each consumer has come: fence, de-duplication and commit record in one. Moved in the transaction that holds the effects.';
COMMENT ON COLUMN consumer_position.consumer_group IS 'Kafka consumer group of the service.';
COMMENT ON COLUMN consumer_position.topic IS 'Full topic name.';
COMMENT ON COLUMN consumer_position.partition IS 'Partition of the topic.';
COMMENT ON COLUMN consumer_position.next_offset IS 'The next record to be read: last offset taken + 1. Changes with every batch.';
COMMENT ON COLUMN consumer_position.owner_epoch IS 'Rises each time an instance takes the partition over; a batch of an older epoch changes nothing.';
COMMENT ON COLUMN consumer_position.owner IS 'Instance that took it over last, for people.';
COMMENT ON COLUMN consumer_position.updated_at IS 'When the position moved last.';

-- A position that another service's role could move would be requests skipped without a trace. Groups are named after services.
CREATE FUNCTION position_guard() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(ARRAY['evaluator', 'resolver', 'recorder', 'notifier']) AS service
                    WHERE right(NEW.consumer_group, length(service)) = service
                      AND pg_has_role(current_user, 'countersign_' || service, 'USAGE'))
       AND NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
        RAISE insufficient_privilege USING MESSAGE = format('role %s may not move positions of group %s', current_user, NEW.consumer_group);
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION position_guard() IS 'Refuses positions of groups that are not those of the service whose role moves them.';
REVOKE EXECUTE ON FUNCTION position_guard() FROM PUBLIC;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON consumer_position FOR EACH ROW EXECUTE FUNCTION position_guard();

-- ---------------------------------------------------------------- directory: agents, groups, keys

CREATE TABLE agent (
    tenant          text NOT NULL,
    agent_id        text NOT NULL,
    owner           text NOT NULL,
    registered_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant, agent_id)
);
COMMENT ON TABLE agent IS 'Agents and the person who answers for each. The owner may not approve what the agent asks.';
COMMENT ON COLUMN agent.tenant IS 'Tenant.';
COMMENT ON COLUMN agent.agent_id IS 'The agent_id of its requests.';
COMMENT ON COLUMN agent.owner IS 'Person who owns the agent. May be changed by the operator; the history keeps the old one.';
COMMENT ON COLUMN agent.registered_at IS 'When this row was written last.';

CREATE TABLE group_member (
    tenant          text NOT NULL,
    group_name      text NOT NULL,
    person          text NOT NULL,
    added_at        timestamptz NOT NULL,
    PRIMARY KEY (tenant, group_name, person)
);
COMMENT ON TABLE group_member IS 'Who may approve for which group, now. Removing a person deletes the row; the history keeps it.';
COMMENT ON COLUMN group_member.tenant IS 'Tenant.';
COMMENT ON COLUMN group_member.group_name IS 'Group as named by policies.';
COMMENT ON COLUMN group_member.person IS 'Person as named by responses (responder).';
COMMENT ON COLUMN group_member.added_at IS 'Since when.';

CREATE TABLE signing_key (
    kid             text PRIMARY KEY,
    tenant          text NOT NULL,
    owner           text NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('person', 'bot')),
    public_key      bytea NOT NULL CHECK (length(public_key) = 32),
    speaks_for      text[] NOT NULL DEFAULT '{}',
    registered_at   timestamptz NOT NULL,
    revoked_at      timestamptz
);
COMMENT ON TABLE signing_key IS 'Public keys (Ed25519) of those who may answer. A key of a person speaks for its owner; a bot''s key for the persons listed.';
COMMENT ON COLUMN signing_key.kid IS 'RFC 7638 thumbprint of the key.';
COMMENT ON COLUMN signing_key.tenant IS 'Tenant in which the key counts.';
COMMENT ON COLUMN signing_key.owner IS 'Person or bot that holds the private half.';
COMMENT ON COLUMN signing_key.kind IS 'person or bot.';
COMMENT ON COLUMN signing_key.public_key IS 'The 32 bytes of the public key.';
COMMENT ON COLUMN signing_key.speaks_for IS 'For a bot: the persons whose answers it may carry; {*} = everybody of the tenant.';
COMMENT ON COLUMN signing_key.registered_at IS 'Since when.';
COMMENT ON COLUMN signing_key.revoked_at IS 'From then on it counts for nothing. Set once.';

CREATE TABLE directory_history (
    n               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    by_role         text NOT NULL DEFAULT session_user,
    relation        text NOT NULL,
    operation       text NOT NULL,
    old_row         jsonb,
    new_row         jsonb
);
COMMENT ON TABLE directory_history IS 'Every change of agents, groups and keys, written by triggers; nobody may change or delete a row.';
COMMENT ON COLUMN directory_history.n IS 'Order of writing.';
COMMENT ON COLUMN directory_history.at IS 'When.';
COMMENT ON COLUMN directory_history.by_role IS 'Database role of the session that did it.';
COMMENT ON COLUMN directory_history.relation IS 'agent, group_member or signing_key.';
COMMENT ON COLUMN directory_history.operation IS 'INSERT, UPDATE or DELETE.';
COMMENT ON COLUMN directory_history.old_row IS 'The row before.';
COMMENT ON COLUMN directory_history.new_row IS 'The row after.';

-- Runs with its owner's rights: nobody else may write the history. So nobody else may hang it to a table either.
CREATE FUNCTION directory_remember() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = countersign, pg_temp AS $$
BEGIN
    INSERT INTO directory_history (relation, operation, old_row, new_row)
    VALUES (TG_TABLE_NAME, TG_OP,
            CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END,
            CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION directory_remember() IS 'Writes each change of agents, groups and keys into directory_history.';
REVOKE EXECUTE ON FUNCTION directory_remember() FROM PUBLIC;
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON agent FOR EACH ROW EXECUTE FUNCTION directory_remember();
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON group_member FOR EACH ROW EXECUTE FUNCTION directory_remember();
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON signing_key FOR EACH ROW EXECUTE FUNCTION directory_remember();

-- ---------------------------------------------------------------- policies

CREATE TABLE policy (
    policy_id       text   NOT NULL,
    version         bigint NOT NULL CHECK (version > 0),
    digest          text   NOT NULL,
    document        text   NOT NULL,
    tenants         text[] NOT NULL,
    generation      bigint NOT NULL UNIQUE,
    activated_at    timestamptz NOT NULL,
    activated_by    text   NOT NULL DEFAULT session_user,
    PRIMARY KEY (policy_id, version)
);
COMMENT ON TABLE policy IS 'Every policy that was ever activated, byte for byte. Insert-only.';
COMMENT ON COLUMN policy.policy_id IS 'Name of the policy (member policy of the document).';
COMMENT ON COLUMN policy.version IS 'Its version; strictly rises per name.';
COMMENT ON COLUMN policy.digest IS 'sha-256 of the document in RFC 8785 form.';
COMMENT ON COLUMN policy.document IS 'The document in RFC 8785 form.';
COMMENT ON COLUMN policy.tenants IS 'Tenants it is for; {*} = all.';
COMMENT ON COLUMN policy.generation IS 'Generation that its activation began.';
COMMENT ON COLUMN policy.activated_at IS 'When it was activated.';
COMMENT ON COLUMN policy.activated_by IS 'Database role that activated it.';

CREATE TABLE policy_generation (
    id              boolean PRIMARY KEY DEFAULT true CHECK (id),
    generation      bigint NOT NULL
);
COMMENT ON TABLE policy_generation IS 'One row. Every deciding transaction holds a shared advisory lock and reads it; activation holds the lock exclusively and raises it.';
COMMENT ON COLUMN policy_generation.id IS 'Always true: there is one row.';
COMMENT ON COLUMN policy_generation.generation IS 'Rises with every activation; 0 = no policy yet.';
INSERT INTO policy_generation (generation) VALUES (0);

-- ---------------------------------------------------------------- requests and decisions

CREATE TABLE request (
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    chain           integer NOT NULL,
    valid           boolean NOT NULL,
    agent_id        text,
    action          text,
    target          text,
    context         text,
    execution       text,
    deadline        timestamptz,
    on_behalf_of    text,
    parent_request_id text,
    reason          text,
    request_digest  text,
    content_hash    bytea NOT NULL,
    traceparent     text,
    origin_topic    text NOT NULL,
    origin_partition integer NOT NULL,
    origin_offset   bigint NOT NULL,
    received_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant, request_id),
    CHECK (NOT valid OR (agent_id IS NOT NULL AND action IS NOT NULL AND target IS NOT NULL AND context IS NOT NULL AND request_digest IS NOT NULL))
);
COMMENT ON TABLE request IS 'What agents asked for, once per tenant and request id. Insert-only.';
COMMENT ON COLUMN request.tenant IS 'Tenant; default where the request names none.';
COMMENT ON COLUMN request.request_id IS 'Id chosen by the requester.';
COMMENT ON COLUMN request.chain IS 'Ledger chain of everything about this request.';
COMMENT ON COLUMN request.valid IS 'false: the record could not be taken; only its id is known and it was denied as invalid_request.';
COMMENT ON COLUMN request.agent_id IS 'Agent that asks (a claim unless signed).';
COMMENT ON COLUMN request.action IS 'What it wants to do, dotted.';
COMMENT ON COLUMN request.target IS 'To what.';
COMMENT ON COLUMN request.context IS 'Normalized metadata, RFC 8785 JSON text.';
COMMENT ON COLUMN request.execution IS 'What exactly would run, RFC 8785 JSON text, or null.';
COMMENT ON COLUMN request.deadline IS 'After this the caller no longer waited.';
COMMENT ON COLUMN request.on_behalf_of IS 'Whom the agent said it serves.';
COMMENT ON COLUMN request.parent_request_id IS 'Request that caused this one.';
COMMENT ON COLUMN request.reason IS 'One line for the approver.';
COMMENT ON COLUMN request.request_digest IS 'sha-256 over tenant, agent_id, action, target, context and execution in RFC 8785 form.';
COMMENT ON COLUMN request.content_hash IS 'sha-256 of the whole body in RFC 8785 form (of the raw bytes when invalid): tells a repeat from a conflict.';
COMMENT ON COLUMN request.traceparent IS 'W3C trace context that came with it.';
COMMENT ON COLUMN request.origin_topic IS 'Topic it came on.';
COMMENT ON COLUMN request.origin_partition IS 'Partition it came on.';
COMMENT ON COLUMN request.origin_offset IS 'Offset it came at.';
COMMENT ON COLUMN request.received_at IS 'When it was decided, by the database''s clock.';

CREATE TABLE decision (
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    n               integer NOT NULL CHECK (n >= 0),
    verdict         text NOT NULL CHECK (verdict IN ('ALLOW', 'REQUIRE_APPROVAL', 'BLOCK')),
    reason_code     text NOT NULL,
    reason_text     text NOT NULL,
    rules           text[] NOT NULL,
    class_id        text,
    policy_id       text,
    policy_version  bigint,
    policy_digest   text,
    generation      bigint NOT NULL,
    engine_version  text NOT NULL,
    decided_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant, request_id, n),
    FOREIGN KEY (tenant, request_id) REFERENCES request
);
COMMENT ON TABLE decision IS 'What the policy said. Stored for ever, never overwritten; deciding again appends.';
COMMENT ON COLUMN decision.tenant IS 'Tenant.';
COMMENT ON COLUMN decision.request_id IS 'Request.';
COMMENT ON COLUMN decision.n IS '0 = the first decision.';
COMMENT ON COLUMN decision.verdict IS 'ALLOW, REQUIRE_APPROVAL or BLOCK.';
COMMENT ON COLUMN decision.reason_code IS 'rule, class_default, missing_input, evaluation_timeout, no_policy, no_eligible_approver, invalid_request, too_many_requirements.';
COMMENT ON COLUMN decision.reason_text IS 'One line for people.';
COMMENT ON COLUMN decision.rules IS 'Ids of the deciding rules.';
COMMENT ON COLUMN decision.class_id IS 'Action class that spoke.';
COMMENT ON COLUMN decision.policy_id IS 'Policy that decided; null when there was none.';
COMMENT ON COLUMN decision.policy_version IS 'Its version.';
COMMENT ON COLUMN decision.policy_digest IS 'Its digest.';
COMMENT ON COLUMN decision.generation IS 'Policy generation under which it was decided.';
COMMENT ON COLUMN decision.engine_version IS 'Version of Countersign that decided.';
COMMENT ON COLUMN decision.decided_at IS 'When, by the database''s clock.';

-- ---------------------------------------------------------------- approvals and responses

CREATE TABLE approval (
    approval_id     uuid PRIMARY KEY,
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    state           text NOT NULL CHECK (state IN ('PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED')),
    request_digest  text NOT NULL,
    reason_text     text NOT NULL,
    valid_for_us    bigint NOT NULL CHECK (valid_for_us > 0),
    opened_at       timestamptz NOT NULL,
    deadline        timestamptz NOT NULL CHECK (deadline > opened_at AND isfinite(deadline)),
    closed_at       timestamptz,
    notices         integer NOT NULL,
    refusals        integer NOT NULL DEFAULT 0,
    UNIQUE (tenant, request_id),
    FOREIGN KEY (tenant, request_id) REFERENCES request,
    CHECK ((state = 'PENDING') = (closed_at IS NULL))
);
CREATE INDEX approval_open ON approval (deadline) WHERE state = 'PENDING';
COMMENT ON TABLE approval IS 'The durable question to people. state, closed_at, notices and refusals change; a final state never does.';
COMMENT ON COLUMN approval.approval_id IS 'UUIDv5 derived from tenant and request id.';
COMMENT ON COLUMN approval.tenant IS 'Tenant.';
COMMENT ON COLUMN approval.request_id IS 'Request that is asked about.';
COMMENT ON COLUMN approval.state IS 'PENDING, then once APPROVED, DENIED, EXPIRED or CANCELLED.';
COMMENT ON COLUMN approval.request_digest IS 'What approvers must have been shown.';
COMMENT ON COLUMN approval.reason_text IS 'Why people are asked.';
COMMENT ON COLUMN approval.valid_for_us IS 'How long a grant will be valid, in microseconds.';
COMMENT ON COLUMN approval.opened_at IS 'When the question was asked.';
COMMENT ON COLUMN approval.deadline IS 'Until when it may be answered; at this instant it is over.';
COMMENT ON COLUMN approval.closed_at IS 'When it got its final state.';
COMMENT ON COLUMN approval.notices IS 'How many events on topic approvals speak of it.';
COMMENT ON COLUMN approval.refusals IS 'How many responses to it were refused; 20 of them at most are announced.';

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
BEGIN
    RAISE integrity_constraint_violation USING MESSAGE = format('%s.%s is set once', TG_TABLE_NAME, TG_ARGV[0]);
END $$;
COMMENT ON FUNCTION refuse_change() IS 'Trigger of columns that are set once: a second net behind the compare-and-set of the services.';
REVOKE EXECUTE ON FUNCTION refuse_change() FROM PUBLIC;
CREATE TRIGGER final BEFORE UPDATE ON approval FOR EACH ROW
    WHEN (OLD.state <> 'PENDING' AND (NEW.state <> OLD.state OR NEW.closed_at IS DISTINCT FROM OLD.closed_at))
    EXECUTE FUNCTION refuse_change('state');
CREATE TRIGGER revoked_once BEFORE UPDATE ON signing_key FOR EACH ROW
    WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
    EXECUTE FUNCTION refuse_change('revoked_at');
CREATE TRIGGER bound_once BEFORE UPDATE ON installation FOR EACH ROW
    WHEN (OLD.chains <> NEW.chains OR (OLD.kafka_cluster IS NOT NULL AND NEW.kafka_cluster IS DISTINCT FROM OLD.kafka_cluster))
    EXECUTE FUNCTION refuse_change('chains and kafka_cluster');

CREATE TABLE approval_requirement (
    approval_id     uuid NOT NULL REFERENCES approval,
    n               integer NOT NULL CHECK (n BETWEEN 0 AND 15),
    profile         text NOT NULL,
    group_name      text NOT NULL,
    quorum          integer NOT NULL CHECK (quorum > 0),
    PRIMARY KEY (approval_id, n)
);
COMMENT ON TABLE approval_requirement IS 'What an approval needs: all rows, each a quorum of distinct members of one group. Copied from the policy; insert-only.';
COMMENT ON COLUMN approval_requirement.approval_id IS 'Approval.';
COMMENT ON COLUMN approval_requirement.n IS 'Number of the requirement.';
COMMENT ON COLUMN approval_requirement.profile IS 'Approval profile of the policy it comes from.';
COMMENT ON COLUMN approval_requirement.group_name IS 'Group that is asked.';
COMMENT ON COLUMN approval_requirement.quorum IS 'How many distinct members must approve.';

CREATE TABLE response (
    kid             text NOT NULL REFERENCES signing_key,
    response_id     text NOT NULL,
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    approval_id     uuid REFERENCES approval,
    responder       text NOT NULL,
    verdict         text NOT NULL CHECK (verdict IN ('approve', 'deny')),
    result          text NOT NULL,
    counted_for     integer[] NOT NULL DEFAULT '{}',
    reason          text,
    request_digest  text NOT NULL,
    issued_at       timestamptz NOT NULL,
    received_at     timestamptz NOT NULL,
    value           bytea NOT NULL,
    signature       text NOT NULL,
    origin_topic    text NOT NULL,
    origin_partition integer NOT NULL,
    origin_offset   bigint NOT NULL,
    PRIMARY KEY (kid, response_id)
);
CREATE INDEX response_of_request ON response (tenant, request_id);
CREATE UNIQUE INDEX response_counts_once ON response (approval_id, responder, verdict, kid) WHERE result = 'counted';
COMMENT ON TABLE response IS 'Verified answers of people, counted or refused, with the signed bytes. Insert-only. What could not be verified is in quarantine.';
COMMENT ON COLUMN response.kid IS 'Key that signed.';
COMMENT ON COLUMN response.response_id IS 'Id chosen by the sender; unique per key.';
COMMENT ON COLUMN response.tenant IS 'Tenant.';
COMMENT ON COLUMN response.request_id IS 'Request it is about.';
COMMENT ON COLUMN response.approval_id IS 'Approval it was applied to, if there is one.';
COMMENT ON COLUMN response.responder IS 'Person who answered.';
COMMENT ON COLUMN response.verdict IS 'approve or deny.';
COMMENT ON COLUMN response.result IS 'counted, repeated, or the code of the refusal.';
COMMENT ON COLUMN response.counted_for IS 'Numbers of the requirements an approve counts for.';
COMMENT ON COLUMN response.reason IS 'One line the person gave.';
COMMENT ON COLUMN response.request_digest IS 'Digest the person was shown.';
COMMENT ON COLUMN response.issued_at IS 'Time inside the signed value.';
COMMENT ON COLUMN response.received_at IS 'When it was applied, by the database''s clock.';
COMMENT ON COLUMN response.value IS 'The signed bytes.';
COMMENT ON COLUMN response.signature IS 'Detached compact JWS over value.';
COMMENT ON COLUMN response.origin_topic IS 'Topic it came on.';
COMMENT ON COLUMN response.origin_partition IS 'Partition it came on.';
COMMENT ON COLUMN response.origin_offset IS 'Offset it came at.';

CREATE TABLE authorization_status (
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    status          text NOT NULL CHECK (status IN ('PENDING', 'GRANTED', 'DENIED', 'EXPIRED', 'CANCELLED')),
    final           boolean NOT NULL GENERATED ALWAYS AS (status <> 'PENDING') STORED,
    event_id        uuid NOT NULL UNIQUE,
    decision        text NOT NULL CHECK (decision IN ('ALLOW', 'REQUIRE_APPROVAL', 'BLOCK')),
    reason_code     text NOT NULL,
    reason_text     text NOT NULL,
    approval_id     uuid REFERENCES approval,
    request_digest  text,
    decided_at      timestamptz NOT NULL,
    not_before      timestamptz,
    expires_at      timestamptz,
    token           text,
    PRIMARY KEY (tenant, request_id, status),
    FOREIGN KEY (tenant, request_id) REFERENCES request,
    CHECK (status <> 'GRANTED' OR (not_before IS NOT NULL AND expires_at > not_before AND isfinite(expires_at) AND token IS NOT NULL AND request_digest IS NOT NULL)),
    CHECK (status <> 'GRANTED' OR decision <> 'BLOCK')
);
CREATE INDEX authorization_granted ON authorization_status (expires_at) WHERE status = 'GRANTED';
CREATE UNIQUE INDEX authorization_final_once ON authorization_status (tenant, request_id) WHERE final;
COMMENT ON TABLE authorization_status IS 'Every word spoken on a request: PENDING at most once, then exactly one final word. Insert-only.';
COMMENT ON COLUMN authorization_status.tenant IS 'Tenant.';
COMMENT ON COLUMN authorization_status.request_id IS 'Request.';
COMMENT ON COLUMN authorization_status.status IS 'PENDING, GRANTED, DENIED, EXPIRED, CANCELLED.';
COMMENT ON COLUMN authorization_status.final IS 'Everything but PENDING; unique per request.';
COMMENT ON COLUMN authorization_status.event_id IS 'Id of the event on topic authorizations.';
COMMENT ON COLUMN authorization_status.decision IS 'Decision it rests on.';
COMMENT ON COLUMN authorization_status.reason_code IS 'Why, for machines.';
COMMENT ON COLUMN authorization_status.reason_text IS 'Why, for people.';
COMMENT ON COLUMN authorization_status.approval_id IS 'Approval it rests on, if any.';
COMMENT ON COLUMN authorization_status.request_digest IS 'What exactly was decided about.';
COMMENT ON COLUMN authorization_status.decided_at IS 'When, by the database''s clock.';
COMMENT ON COLUMN authorization_status.not_before IS 'GRANTED: valid from.';
COMMENT ON COLUMN authorization_status.expires_at IS 'GRANTED: worthless from this instant.';
COMMENT ON COLUMN authorization_status.token IS 'Final words: the signed compact JWS.';

-- ---------------------------------------------------------------- outcomes and incidents

CREATE TABLE outcome (
    tenant          text NOT NULL,
    outcome_id      text NOT NULL,
    request_id      text NOT NULL,
    status          text NOT NULL CHECK (status IN ('started', 'succeeded', 'failed', 'rolled_back')),
    request_digest  text NOT NULL,
    reported_by     text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    authorization_ref text,
    code            text,
    detail          text,
    joined_with     uuid,
    judgement       text NOT NULL,
    content_hash    bytea NOT NULL,
    received_at     timestamptz NOT NULL,
    origin_topic    text NOT NULL,
    origin_partition integer NOT NULL,
    origin_offset   bigint NOT NULL,
    PRIMARY KEY (tenant, outcome_id)
);
CREATE INDEX outcome_of_request ON outcome (tenant, request_id);
COMMENT ON TABLE outcome IS 'What executors reported. A claim of theirs, recorded apart from the authorization: approved is not succeeded. Insert-only.';
COMMENT ON COLUMN outcome.tenant IS 'Tenant.';
COMMENT ON COLUMN outcome.outcome_id IS 'Id chosen by the reporter.';
COMMENT ON COLUMN outcome.request_id IS 'Request it is about; the request may be unknown.';
COMMENT ON COLUMN outcome.status IS 'started, succeeded, failed, rolled_back.';
COMMENT ON COLUMN outcome.request_digest IS 'Digest of what was really run.';
COMMENT ON COLUMN outcome.reported_by IS 'Who reports.';
COMMENT ON COLUMN outcome.occurred_at IS 'When it happened, by the reporter''s clock.';
COMMENT ON COLUMN outcome.authorization_ref IS 'Event id of the authorization it names (a token''s jti), if any.';
COMMENT ON COLUMN outcome.code IS 'Machine code of the reporter.';
COMMENT ON COLUMN outcome.detail IS 'One line of the reporter.';
COMMENT ON COLUMN outcome.joined_with IS 'Event id of the final word it was joined with.';
COMMENT ON COLUMN outcome.judgement IS 'authorized, or the kind of incident it became.';
COMMENT ON COLUMN outcome.content_hash IS 'sha-256 of the body in RFC 8785 form: tells a repeat from a conflict.';
COMMENT ON COLUMN outcome.received_at IS 'When it was recorded, by the database''s clock.';
COMMENT ON COLUMN outcome.origin_topic IS 'Topic it came on.';
COMMENT ON COLUMN outcome.origin_partition IS 'Partition it came on.';
COMMENT ON COLUMN outcome.origin_offset IS 'Offset it came at.';

CREATE TABLE incident (
    incident_id     uuid PRIMARY KEY,
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    kind            text NOT NULL,
    severity        text NOT NULL CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    text            text NOT NULL,
    evidence        text[] NOT NULL,
    at              timestamptz NOT NULL
);
CREATE INDEX incident_of_request ON incident (tenant, request_id);
COMMENT ON TABLE incident IS 'What must not happen and did. Insert-only.';
COMMENT ON COLUMN incident.incident_id IS 'Id of the event on topic incidents.';
COMMENT ON COLUMN incident.tenant IS 'Tenant.';
COMMENT ON COLUMN incident.request_id IS 'Request.';
COMMENT ON COLUMN incident.kind IS 'executed_without_authorization, executed_after_denial, executed_after_expiry, executed_with_other_digest, executed_twice, authorized_never_reported.';
COMMENT ON COLUMN incident.severity IS 'low, medium, high, critical.';
COMMENT ON COLUMN incident.text IS 'One line for people.';
COMMENT ON COLUMN incident.evidence IS 'Event ids and outcome ids.';
COMMENT ON COLUMN incident.at IS 'When it was recognised.';

-- ---------------------------------------------------------------- quarantine and shelf

CREATE TABLE quarantine (
    quarantine_id   uuid PRIMARY KEY,
    service         text NOT NULL,
    origin_topic    text NOT NULL,
    origin_partition integer NOT NULL,
    origin_offset   bigint NOT NULL,
    tenant          text,
    request_id      text,
    code            text NOT NULL,
    field           text NOT NULL,
    text            text NOT NULL,
    digest          text NOT NULL,
    size            bigint NOT NULL,
    at              timestamptz NOT NULL,
    UNIQUE (origin_topic, origin_partition, origin_offset)
);
COMMENT ON TABLE quarantine IS 'Records that could not be taken, and why. Never their content. Insert-only.';
COMMENT ON COLUMN quarantine.quarantine_id IS 'Id of the event on topic quarantine.';
COMMENT ON COLUMN quarantine.service IS 'Service that refused it.';
COMMENT ON COLUMN quarantine.origin_topic IS 'Topic it came on.';
COMMENT ON COLUMN quarantine.origin_partition IS 'Partition it came on.';
COMMENT ON COLUMN quarantine.origin_offset IS 'Offset it came at.';
COMMENT ON COLUMN quarantine.tenant IS 'Tenant, where it could be read.';
COMMENT ON COLUMN quarantine.request_id IS 'Request id, where it could be read.';
COMMENT ON COLUMN quarantine.code IS 'Reason for machines.';
COMMENT ON COLUMN quarantine.field IS 'Field to blame, or empty.';
COMMENT ON COLUMN quarantine.text IS 'Reason for people.';
COMMENT ON COLUMN quarantine.digest IS 'sha-256 of the raw value.';
COMMENT ON COLUMN quarantine.size IS 'Bytes of the raw value.';
COMMENT ON COLUMN quarantine.at IS 'When.';

CREATE TABLE quarantine_raw (
    quarantine_id   uuid PRIMARY KEY REFERENCES quarantine,
    key             bytea,
    value           bytea,
    headers         text NOT NULL,
    keep_until      timestamptz NOT NULL
);
COMMENT ON TABLE quarantine_raw IS 'Raw bytes of quarantined records, for the operator only, for repair. At most 64 KiB each, deleted after keep_until.';
COMMENT ON COLUMN quarantine_raw.quarantine_id IS 'Quarantined record.';
COMMENT ON COLUMN quarantine_raw.key IS 'Its key, cut at 1 KiB.';
COMMENT ON COLUMN quarantine_raw.value IS 'Its value; of an oversized one the first KiB.';
COMMENT ON COLUMN quarantine_raw.headers IS 'Its headers: JSON [["name","base64"],…], cut at 16 KiB.';
COMMENT ON COLUMN quarantine_raw.keep_until IS 'Deleted after this.';

CREATE TABLE shelf (
    origin_topic    text NOT NULL,
    origin_partition integer NOT NULL,
    origin_offset   bigint NOT NULL,
    service         text NOT NULL CHECK (service IN ('resolver', 'recorder')),
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    key             bytea,
    value           bytea NOT NULL,
    headers         text NOT NULL,
    appended_at     timestamptz,
    shelved_at      timestamptz NOT NULL,
    PRIMARY KEY (origin_topic, origin_partition, origin_offset)
);
CREATE INDEX shelf_by_request ON shelf (service, tenant, request_id);
COMMENT ON TABLE shelf IS 'Verified responses, and outcomes, that came before their request. Taken off by the service''s tick when the request is there, or quarantined after a limit.';
COMMENT ON COLUMN shelf.origin_topic IS 'Topic it came on.';
COMMENT ON COLUMN shelf.origin_partition IS 'Partition it came on.';
COMMENT ON COLUMN shelf.origin_offset IS 'Offset it came at.';
COMMENT ON COLUMN shelf.service IS 'Service whose tick takes it off.';
COMMENT ON COLUMN shelf.tenant IS 'Tenant.';
COMMENT ON COLUMN shelf.request_id IS 'Request it waits for.';
COMMENT ON COLUMN shelf.key IS 'Record key.';
COMMENT ON COLUMN shelf.value IS 'Record value.';
COMMENT ON COLUMN shelf.headers IS 'Record headers: JSON [["name","base64"],…].';
COMMENT ON COLUMN shelf.appended_at IS 'Append time of the record by the broker, if known.';
COMMENT ON COLUMN shelf.shelved_at IS 'Since when it waits.';

-- ---------------------------------------------------------------- the ledger

CREATE TABLE ledger_head (
    chain           integer PRIMARY KEY,
    sequence        bigint NOT NULL,
    hash            bytea NOT NULL CHECK (length(hash) = 32)
);
COMMENT ON TABLE ledger_head IS 'Where each chain ends. Locked last by every writing transaction and held until COMMIT, so sequence order is commit order.';
COMMENT ON COLUMN ledger_head.chain IS 'Chain.';
COMMENT ON COLUMN ledger_head.sequence IS 'Last sequence number; 0 = empty.';
COMMENT ON COLUMN ledger_head.hash IS 'Hash of the last batch; 32 zero bytes when empty.';

CREATE TABLE ledger_batch (
    chain           integer NOT NULL,
    first           bigint NOT NULL,
    last            bigint NOT NULL CHECK (last >= first),
    prev_hash       bytea NOT NULL,
    hash            bytea NOT NULL CHECK (length(hash) = 32),
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (chain, last),
    UNIQUE (chain, prev_hash)
);
COMMENT ON TABLE ledger_batch IS 'One row per transaction and chain: the hash over its events and the hash before it. Insert-only.';
COMMENT ON COLUMN ledger_batch.chain IS 'Chain.';
COMMENT ON COLUMN ledger_batch.first IS 'First sequence number of the batch.';
COMMENT ON COLUMN ledger_batch.last IS 'Last sequence number of the batch.';
COMMENT ON COLUMN ledger_batch.prev_hash IS 'Hash of the batch before.';
COMMENT ON COLUMN ledger_batch.hash IS 'SHA-256 as described in common/ledger/ledger.h.';
COMMENT ON COLUMN ledger_batch.created_at IS 'When, by the database''s clock.';

CREATE TABLE ledger_event (
    chain           integer NOT NULL,
    sequence        bigint NOT NULL,
    event_id        uuid NOT NULL,
    topic           text NOT NULL,
    key             text NOT NULL,
    headers         text NOT NULL,
    payload         bytea NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (chain, sequence)
);
CREATE INDEX ledger_event_by_key ON ledger_event (key, chain, sequence);
COMMENT ON TABLE ledger_event IS 'Every event ever published, with the exact bytes: audit log and outbox in one. Insert-only.';
COMMENT ON COLUMN ledger_event.chain IS 'Chain (header countersign-chain).';
COMMENT ON COLUMN ledger_event.sequence IS 'Gapless per chain, in commit order (header countersign-sequence).';
COMMENT ON COLUMN ledger_event.event_id IS 'UUIDv5 of what the event says (header ce_id).';
COMMENT ON COLUMN ledger_event.topic IS 'Topic without prefix.';
COMMENT ON COLUMN ledger_event.key IS 'Kafka key.';
COMMENT ON COLUMN ledger_event.headers IS 'Kafka headers as JSON [["name","value"],…].';
COMMENT ON COLUMN ledger_event.payload IS 'Kafka value.';
COMMENT ON COLUMN ledger_event.created_at IS 'When, by the database''s clock.';

CREATE TABLE ledger_writer (
    role            text NOT NULL,
    topic           text NOT NULL,
    PRIMARY KEY (role, topic)
);
COMMENT ON TABLE ledger_writer IS 'Which role may append events of which topic; enforced by a trigger on ledger_event.';
COMMENT ON COLUMN ledger_writer.role IS 'Database role.';
COMMENT ON COLUMN ledger_writer.topic IS 'Topic without prefix.';
INSERT INTO ledger_writer VALUES
    ('countersign_evaluator', 'approvals'), ('countersign_evaluator', 'authorizations'), ('countersign_evaluator', 'quarantine'),
    ('countersign_resolver', 'approvals'), ('countersign_resolver', 'authorizations'), ('countersign_resolver', 'incidents'), ('countersign_resolver', 'quarantine'),
    ('countersign_recorder', 'incidents'), ('countersign_recorder', 'quarantine'),
    ('countersign_notifier', 'quarantine'),
    ('countersign_relay', 'checkpoints');

-- Runs with the rights of whoever inserts, since it asks who that is. The owner of the table may append everything.
CREATE FUNCTION ledger_event_guard() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
DECLARE
    foreign_topic text;
BEGIN
    SELECT e.topic INTO foreign_topic
      FROM (SELECT DISTINCT topic FROM appended) e
     WHERE NOT EXISTS (SELECT FROM ledger_writer w WHERE w.topic = e.topic AND pg_has_role(current_user, w.role, 'USAGE'))
       AND NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
     LIMIT 1;
    IF foreign_topic IS NOT NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('role %s may not append events of topic %s', current_user, foreign_topic);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION ledger_event_guard() IS 'Refuses events of topics that ledger_writer does not give to the role that appends.';
REVOKE EXECUTE ON FUNCTION ledger_event_guard() FROM PUBLIC;
CREATE TRIGGER guard AFTER INSERT ON ledger_event REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION ledger_event_guard();

CREATE TABLE relay_position (
    chain           integer PRIMARY KEY REFERENCES ledger_head,
    next_sequence   bigint NOT NULL CHECK (next_sequence > 0),
    owner           text NOT NULL,
    owner_epoch     bigint NOT NULL,
    lease_until     timestamptz NOT NULL
);
COMMENT ON TABLE relay_position IS 'How far each chain has been published, and which relay may publish it now.';
COMMENT ON COLUMN relay_position.chain IS 'Chain.';
COMMENT ON COLUMN relay_position.next_sequence IS 'First event that Kafka has not acknowledged.';
COMMENT ON COLUMN relay_position.owner IS 'Relay instance that holds the lease.';
COMMENT ON COLUMN relay_position.owner_epoch IS 'Rises with every take-over.';
COMMENT ON COLUMN relay_position.lease_until IS 'Until when the owner may publish without renewing, by the database''s clock.';

CREATE TABLE checkpoint (
    chain           integer NOT NULL,
    sequence        bigint NOT NULL,
    hash            bytea NOT NULL,
    at              timestamptz NOT NULL,
    event_sequence  bigint NOT NULL,
    token           text NOT NULL,
    PRIMARY KEY (chain, sequence)
);
COMMENT ON TABLE checkpoint IS 'Signed heads of the chains, also published on topic checkpoints. Insert-only.';
COMMENT ON COLUMN checkpoint.chain IS 'Chain.';
COMMENT ON COLUMN checkpoint.sequence IS 'Last sequence number of the batch that is signed.';
COMMENT ON COLUMN checkpoint.hash IS 'Hash of that batch.';
COMMENT ON COLUMN checkpoint.at IS 'When.';
COMMENT ON COLUMN checkpoint.event_sequence IS 'Sequence number of the checkpoint''s own event.';
COMMENT ON COLUMN checkpoint.token IS 'Compact JWS over chain, sequence, hash and at.';

-- ---------------------------------------------------------------- deliveries of the notifier

CREATE TABLE delivery (
    delivery_id     uuid PRIMARY KEY,
    approval_id     uuid NOT NULL REFERENCES approval,
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    channel         text NOT NULL,
    target          text NOT NULL,
    kind            text NOT NULL,
    state           text NOT NULL CHECK (state IN ('pending', 'sent', 'dead')),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    lease_until     timestamptz,
    lease_epoch     bigint NOT NULL DEFAULT 0,
    body            bytea NOT NULL,
    last_code       text,
    last_error      text,
    reference       text,
    created_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    UNIQUE (approval_id, channel, target, kind)
);
CREATE INDEX delivery_dead ON delivery (finished_at) WHERE state = 'dead';
CREATE INDEX delivery_due ON delivery (next_attempt_at) WHERE state = 'pending';
COMMENT ON TABLE delivery IS 'One message to one target about one approval, at least once, with a stable id. State and attempts change.';
COMMENT ON COLUMN delivery.delivery_id IS 'UUIDv5; the webhook-id.';
COMMENT ON COLUMN delivery.approval_id IS 'Approval it speaks of.';
COMMENT ON COLUMN delivery.tenant IS 'Tenant.';
COMMENT ON COLUMN delivery.request_id IS 'Request.';
COMMENT ON COLUMN delivery.channel IS 'webhook, command or log.';
COMMENT ON COLUMN delivery.target IS 'Name of the target in the notifier''s configuration (never its URL: it may hold a secret).';
COMMENT ON COLUMN delivery.kind IS 'What is told: approval.opened, approval.changed.<n>, approval.closed.';
COMMENT ON COLUMN delivery.state IS 'pending, sent or dead. Dead ones can be replayed by an operator.';
COMMENT ON COLUMN delivery.attempts IS 'How often it was tried.';
COMMENT ON COLUMN delivery.next_attempt_at IS 'Not before this.';
COMMENT ON COLUMN delivery.lease_until IS 'An instance is trying it until then.';
COMMENT ON COLUMN delivery.lease_epoch IS 'Rises with every claim; a result of an older claim changes nothing.';
COMMENT ON COLUMN delivery.body IS 'The exact bytes that are sent and signed.';
COMMENT ON COLUMN delivery.last_code IS 'How the last attempt ended, for machines.';
COMMENT ON COLUMN delivery.last_error IS 'How the last attempt ended, for people.';
COMMENT ON COLUMN delivery.reference IS 'What the receiver answered as its reference, if it did.';
COMMENT ON COLUMN delivery.created_at IS 'When it was planned.';
COMMENT ON COLUMN delivery.finished_at IS 'When it was sent or given up.';

CREATE TABLE delivery_target (
    channel         text NOT NULL,
    target          text NOT NULL,
    disabled_at     timestamptz NOT NULL,
    reason          text NOT NULL,
    PRIMARY KEY (channel, target)
);
COMMENT ON TABLE delivery_target IS 'Targets that said they are gone (HTTP 410). Nothing is sent to them until the operator deletes the row.';
COMMENT ON COLUMN delivery_target.channel IS 'Channel.';
COMMENT ON COLUMN delivery_target.target IS 'Name of the target.';
COMMENT ON COLUMN delivery_target.disabled_at IS 'Since when.';
COMMENT ON COLUMN delivery_target.reason IS 'Why.';
