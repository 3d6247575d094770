-- SPDX-License-Identifier: Apache-2.0
-- The requester withdraws what is asked; whoever granted, or an operator, revokes what was granted. A revocation is one more word, after
-- the final one: the grant stays what it was.

ALTER TABLE response DROP CONSTRAINT response_verdict_check,
    ADD CHECK (verdict IN ('approve', 'deny', 'recuse', 'comment', 'extend', 'withdraw', 'revoke'));
COMMENT ON TABLE response IS 'Verified answers of people, and of agents that withdraw, counted or refused, with the signed bytes. Insert-only. What could not be verified is in quarantine.';
COMMENT ON COLUMN response.responder IS 'Person who answered; with withdraw the agent.';
COMMENT ON COLUMN response.verdict IS 'approve, deny, recuse, comment, extend, withdraw or revoke.';

ALTER TABLE approval DROP CONSTRAINT approval_state_check,
    ADD CHECK (state IN ('PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED', 'REVOKED')),
    ADD COLUMN revoked_at timestamptz,
    ADD CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL));
COMMENT ON TABLE approval IS 'The durable question to people. state, closed_at, revoked_at, notices, refusals and what time does to it change; a final state never does, but that APPROVED may become REVOKED.';
COMMENT ON COLUMN approval.state IS 'PENDING, then once APPROVED, DENIED, EXPIRED or CANCELLED; APPROVED may become REVOKED.';
COMMENT ON COLUMN approval.closed_at IS 'When it got its final state; of one that was revoked: when it was APPROVED.';
COMMENT ON COLUMN approval.revoked_at IS 'When it became REVOKED.';
GRANT UPDATE (revoked_at) ON approval TO countersign_resolver;

DROP TRIGGER final ON approval;
CREATE TRIGGER final BEFORE UPDATE ON approval FOR EACH ROW
    WHEN (OLD.state <> 'PENDING'
          AND (NEW.closed_at IS DISTINCT FROM OLD.closed_at
               OR NEW.state <> OLD.state AND NOT (OLD.state = 'APPROVED' AND NEW.state = 'REVOKED')))
    EXECUTE FUNCTION refuse_change('state');

DROP INDEX authorization_final_once;
ALTER TABLE authorization_status DROP CONSTRAINT authorization_status_status_check,
    ADD CHECK (status IN ('PENDING', 'GRANTED', 'DENIED', 'EXPIRED', 'CANCELLED', 'REVOKED')),
    DROP COLUMN final,
    ADD COLUMN final boolean NOT NULL GENERATED ALWAYS AS (status NOT IN ('PENDING', 'REVOKED')) STORED;
CREATE UNIQUE INDEX authorization_final_once ON authorization_status (tenant, request_id) WHERE final;
COMMENT ON TABLE authorization_status IS 'Every word spoken on a request: PENDING at most once, then exactly one final word; after GRANTED perhaps REVOKED. Insert-only.';
COMMENT ON COLUMN authorization_status.status IS 'PENDING, GRANTED, DENIED, EXPIRED, CANCELLED, REVOKED.';
COMMENT ON COLUMN authorization_status.final IS 'Everything but PENDING and REVOKED; unique per request.';
COMMENT ON COLUMN authorization_status.token IS 'Final words and REVOKED: the signed compact JWS.';

-- A second net behind the services: nothing is revoked that was not granted.
CREATE FUNCTION authorization_revoked() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM authorization_status AS word
                    WHERE word.tenant = NEW.tenant AND word.request_id = NEW.request_id AND word.status = 'GRANTED') THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'authorization_status: REVOKED without GRANTED';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION authorization_revoked() IS 'Refuses the word REVOKED on a request that was not granted.';
REVOKE EXECUTE ON FUNCTION authorization_revoked() FROM PUBLIC;
CREATE TRIGGER revoked BEFORE INSERT ON authorization_status FOR EACH ROW
    WHEN (NEW.status = 'REVOKED') EXECUTE FUNCTION authorization_revoked();

COMMENT ON COLUMN incident.kind IS 'executed_without_authorization, executed_after_denial, executed_after_revocation, executed_after_expiry, executed_with_other_digest, executed_twice, authorized_never_reported, approval_flood.';
