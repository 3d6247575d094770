-- SPDX-License-Identifier: Apache-2.0
-- What people are asked now, by what is asked: nothing is asked twice at a time, and nobody is asked without end. Rows live as long
-- as their approval is open. The key makes it impossible that two evaluators open the same question in the same moment.

CREATE TABLE open_approval (
    tenant          text NOT NULL,
    request_digest  text NOT NULL,
    approval_id     uuid NOT NULL UNIQUE REFERENCES approval,
    agent_id        text NOT NULL,
    class_id        text NOT NULL,
    PRIMARY KEY (tenant, request_digest)
);
CREATE INDEX open_approval_of_agent ON open_approval (tenant, agent_id);
CREATE INDEX open_approval_of_class ON open_approval (tenant, class_id);
COMMENT ON TABLE open_approval IS 'Approvals that are open, one for each digest. Deleted when the approval is closed.';
COMMENT ON COLUMN open_approval.tenant IS 'Tenant.';
COMMENT ON COLUMN open_approval.request_digest IS 'What is asked.';
COMMENT ON COLUMN open_approval.approval_id IS 'The approval.';
COMMENT ON COLUMN open_approval.agent_id IS 'Who asked.';
COMMENT ON COLUMN open_approval.class_id IS 'Class of the action, as the deciding policy said.';

CREATE TABLE open_ask (
    approval_id     uuid NOT NULL,
    group_name      text NOT NULL,
    tenant          text NOT NULL,
    PRIMARY KEY (approval_id, group_name)
);
CREATE INDEX open_ask_of_group ON open_ask (tenant, group_name);
COMMENT ON TABLE open_ask IS 'Which groups the open approvals ask. Deleted when the approval is closed.';
COMMENT ON COLUMN open_ask.approval_id IS 'Approval that is open.';
COMMENT ON COLUMN open_ask.group_name IS 'Group that is asked.';
COMMENT ON COLUMN open_ask.tenant IS 'Tenant.';

-- They run with their owner's rights: services that close approvals need none of their own here.
CREATE FUNCTION approval_closed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = countersign, pg_temp AS $$
BEGIN
    DELETE FROM open_ask USING changed WHERE open_ask.approval_id = changed.approval_id AND changed.state <> 'PENDING';
    DELETE FROM open_approval USING changed WHERE open_approval.approval_id = changed.approval_id AND changed.state <> 'PENDING';
    RETURN NULL;
END $$;
COMMENT ON FUNCTION approval_closed() IS 'Takes an approval that is closed from open_approval and open_ask.';
REVOKE EXECUTE ON FUNCTION approval_closed() FROM PUBLIC;
CREATE TRIGGER closed AFTER UPDATE ON approval REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION approval_closed();

CREATE FUNCTION approval_asks() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = countersign, pg_temp AS $$
BEGIN
    INSERT INTO open_ask (approval_id, group_name, tenant)
    SELECT DISTINCT asked.approval_id, asked.group_name, open_approval.tenant
      FROM asked JOIN open_approval USING (approval_id)
     WHERE NOT asked.of_step
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION approval_asks() IS 'Keeps whom an open approval asks in open_ask.';
REVOKE EXECUTE ON FUNCTION approval_asks() FROM PUBLIC;
CREATE TRIGGER asks AFTER INSERT ON approval_requirement REFERENCING NEW TABLE AS asked FOR EACH STATEMENT EXECUTE FUNCTION approval_asks();

-- Of what was asked twice before this came, the older one stands for both; the other ends as it would have.
INSERT INTO open_approval (tenant, request_digest, approval_id, agent_id, class_id)
SELECT DISTINCT ON (approval.tenant, approval.request_digest) approval.tenant, approval.request_digest, approval.approval_id, request.agent_id, coalesce(decision.class_id, '')
  FROM approval
  JOIN request USING (tenant, request_id)
  JOIN decision USING (tenant, request_id)
 WHERE approval.state = 'PENDING' AND decision.n = 0
 ORDER BY approval.tenant, approval.request_digest, approval.opened_at, approval.approval_id;
INSERT INTO open_ask (approval_id, group_name, tenant)
SELECT DISTINCT approval_id, group_name, tenant FROM approval_requirement JOIN open_approval USING (approval_id) WHERE NOT of_step;

-- One incident tells of many requests: `subject` is what makes it one.
ALTER TABLE incident ADD COLUMN subject text;
COMMENT ON COLUMN incident.subject IS 'approval_flood: whose approvals are too many, e.g. "agent deployer". Null for other kinds.';
CREATE INDEX incident_of_subject ON incident (tenant, subject, at) WHERE subject IS NOT NULL;
INSERT INTO ledger_writer VALUES ('countersign_evaluator', 'incidents');

GRANT SELECT, INSERT ON open_approval TO countersign_evaluator;
GRANT SELECT ON open_ask TO countersign_evaluator;
GRANT SELECT, INSERT ON incident TO countersign_evaluator;
GRANT SELECT ON open_approval, open_ask TO countersign_operator, countersign_auditor;
