-- SPDX-License-Identifier: Apache-2.0
-- One person lets a request through, past everybody who is asked; somebody else looks at it afterwards.

ALTER TABLE approval_requirement ADD COLUMN override_group text;
COMMENT ON COLUMN approval_requirement.override_group IS 'Of the demand: the group whose members may go past it; null: nobody may.';

ALTER TABLE response DROP CONSTRAINT response_verdict_check,
    ADD CHECK (verdict IN ('approve', 'deny', 'recuse', 'comment', 'extend', 'withdraw', 'revoke', 'override', 'review'));
COMMENT ON COLUMN response.verdict IS 'approve, deny, recuse, comment, extend, withdraw, revoke, override or review.';

CREATE TABLE approval_review (
    approval_id     uuid PRIMARY KEY REFERENCES approval,
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    overrider       text NOT NULL,
    reason          text NOT NULL CHECK (reason <> ''),
    opened_at       timestamptz NOT NULL,
    reviewer        text CHECK (reviewer <> overrider),
    finding         text CHECK (finding <> ''),
    closed_at       timestamptz CHECK (closed_at >= opened_at),
    CHECK ((reviewer IS NULL) = (closed_at IS NULL) AND (finding IS NULL) = (closed_at IS NULL)),
    FOREIGN KEY (tenant, request_id) REFERENCES request
);
CREATE INDEX approval_review_open ON approval_review (tenant, opened_at) WHERE closed_at IS NULL;
COMMENT ON TABLE approval_review IS 'Approvals that one person overrode: each waits until somebody else has looked at it. A row is the mark of an override; it is closed once.';
COMMENT ON COLUMN approval_review.approval_id IS 'Approval that was overridden.';
COMMENT ON COLUMN approval_review.tenant IS 'Tenant.';
COMMENT ON COLUMN approval_review.request_id IS 'Request that was let through.';
COMMENT ON COLUMN approval_review.overrider IS 'Who overrode.';
COMMENT ON COLUMN approval_review.reason IS 'Why, in the words of that person.';
COMMENT ON COLUMN approval_review.opened_at IS 'When that was.';
COMMENT ON COLUMN approval_review.reviewer IS 'Who looked at it; null: nobody yet.';
COMMENT ON COLUMN approval_review.finding IS 'What was found, in the words of that person.';
COMMENT ON COLUMN approval_review.closed_at IS 'When that was.';
CREATE TRIGGER closed_once BEFORE UPDATE ON approval_review FOR EACH ROW
    WHEN (OLD.closed_at IS NOT NULL)
    EXECUTE FUNCTION refuse_change('closed_at');

GRANT SELECT, INSERT, UPDATE (reviewer, finding, closed_at) ON approval_review TO countersign_resolver;
GRANT SELECT ON approval_review TO countersign_notifier, countersign_operator, countersign_auditor;
