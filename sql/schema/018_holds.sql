-- SPDX-License-Identifier: Apache-2.0
-- Stop the line: what a hold matches is not granted while it stands. Holds are rows that are never deleted, so they are their own
-- history. Whoever adds or lifts one excludes everybody who decides, as an activation does: once it has committed, nothing that it matches
-- can be granted, and its times are those of a moment in which nobody was deciding.

CREATE TABLE hold (
    hold_id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    class_id        text CHECK (class_id <> ''),
    target          text CHECK (target <> ''),
    agent           text CHECK (agent <> ''),
    tenant          text CHECK (tenant <> ''),
    refuses         boolean NOT NULL,
    reason          text NOT NULL CHECK (reason <> '' AND length(reason) <= 512),
    until           timestamptz CHECK (isfinite(until)),
    added_at        timestamptz NOT NULL,
    added_by        text NOT NULL CHECK (added_by <> ''),
    added_role      text NOT NULL DEFAULT session_user,
    lifted_at       timestamptz,
    lifted_by       text CHECK (lifted_by <> ''),
    lifted_role     text,
    CHECK ((lifted_at IS NULL) = (lifted_by IS NULL) AND (lifted_at IS NULL) = (lifted_role IS NULL))
);
CREATE INDEX hold_standing ON hold (hold_id) WHERE lifted_at IS NULL;
COMMENT ON TABLE hold IS 'What must not be granted now. A hold matches a request when everything matches that it names. Never deleted; only lifting it changes a row, once.';
COMMENT ON COLUMN hold.hold_id IS 'Its number.';
COMMENT ON COLUMN hold.class_id IS 'Class that a deciding policy puts the action into; null: any.';
COMMENT ON COLUMN hold.target IS 'Pattern of targets; null: any.';
COMMENT ON COLUMN hold.agent IS 'Pattern of agent ids; null: any.';
COMMENT ON COLUMN hold.tenant IS 'Tenant; null: all.';
COMMENT ON COLUMN hold.refuses IS 'What it matches is denied; else it waits, and is decided again afterwards.';
COMMENT ON COLUMN hold.reason IS 'Why, for people; agents are told as well.';
COMMENT ON COLUMN hold.until IS 'From this moment on it holds nothing; null: until it is lifted.';
COMMENT ON COLUMN hold.added_at IS 'Since when it holds, by the database''s clock, read while nobody was deciding.';
COMMENT ON COLUMN hold.added_by IS 'Who wanted it, by the operator''s own words.';
COMMENT ON COLUMN hold.added_role IS 'Database role of the session that added it.';
COMMENT ON COLUMN hold.lifted_at IS 'Since when it holds nothing any more.';
COMMENT ON COLUMN hold.lifted_by IS 'Who lifted it.';
COMMENT ON COLUMN hold.lifted_role IS 'Database role of the session that lifted it.';

-- The number is that of SNAPSHOT_LOCK (common/snapshot/snapshot.h).
CREATE FUNCTION hold_alone() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(4850181421);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION hold_alone() IS 'Waits until nobody decides, and lets nobody decide until the transaction ends.';
REVOKE EXECUTE ON FUNCTION hold_alone() FROM PUBLIC;
CREATE TRIGGER alone BEFORE INSERT OR UPDATE ON hold FOR EACH STATEMENT EXECUTE FUNCTION hold_alone();

CREATE FUNCTION hold_stamp() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.added_at = clock_timestamp();
    ELSIF OLD.lifted_at IS NOT NULL THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'a hold is lifted once';
    ELSE
        NEW.lifted_at = clock_timestamp();
        NEW.lifted_role = session_user;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION hold_stamp() IS 'Dates holds, after hold_alone has waited.';
REVOKE EXECUTE ON FUNCTION hold_stamp() FROM PUBLIC;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON hold FOR EACH ROW EXECUTE FUNCTION hold_stamp();

CREATE TABLE held_request (
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    hold_id         bigint NOT NULL REFERENCES hold,
    held_at         timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL CHECK (isfinite(expires_at)),
    ended_at        timestamptz,
    PRIMARY KEY (tenant, request_id),
    FOREIGN KEY (tenant, request_id) REFERENCES request
);
CREATE INDEX held_request_waiting ON held_request (hold_id) WHERE ended_at IS NULL;
CREATE INDEX held_request_expiring ON held_request (expires_at) WHERE ended_at IS NULL;
COMMENT ON TABLE held_request IS 'Requests that came while something held them. hold_id and ended_at change.';
COMMENT ON COLUMN held_request.tenant IS 'Tenant.';
COMMENT ON COLUMN held_request.request_id IS 'Request.';
COMMENT ON COLUMN held_request.hold_id IS 'What holds it; when that was lifted and another one held it as well, the other one.';
COMMENT ON COLUMN held_request.held_at IS 'Since when.';
COMMENT ON COLUMN held_request.expires_at IS 'If it is held until then, it ends EXPIRED.';
COMMENT ON COLUMN held_request.ended_at IS 'When it was decided again; null: it waits.';
CREATE TRIGGER ended_once BEFORE UPDATE ON held_request FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_change('ended_at');

ALTER TABLE approval ADD COLUMN held_by bigint REFERENCES hold;
CREATE INDEX approval_held ON approval (held_by) WHERE state = 'PENDING' AND held_by IS NOT NULL;
COMMENT ON COLUMN approval.held_by IS 'PENDING though everything that it asks is met: this hold stood when it was looked at last. Null: it does not wait for a hold.';

GRANT INSERT (class_id, target, agent, tenant, refuses, reason, until, added_by), UPDATE (lifted_by) ON hold TO countersign_operator;
GRANT SELECT ON hold TO countersign_evaluator, countersign_resolver, countersign_operator, countersign_auditor;
GRANT SELECT, INSERT, UPDATE (hold_id, ended_at) ON held_request TO countersign_evaluator;
GRANT SELECT ON held_request TO countersign_operator, countersign_auditor;
GRANT UPDATE (held_by) ON approval TO countersign_resolver;
