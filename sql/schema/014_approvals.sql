-- SPDX-License-Identifier: Apache-2.0
-- Approvals in stages: demands with their asks, what happens when nobody answers, and when to look at them next.

ALTER TABLE approval
    ALTER COLUMN deadline DROP NOT NULL,
    ADD COLUMN hold_for_us bigint NOT NULL DEFAULT 0 CHECK (hold_for_us >= 0),
    ADD COLUMN latest timestamptz,
    ADD COLUMN remind_before_us bigint NOT NULL DEFAULT 0 CHECK (remind_before_us >= 0),
    ADD COLUMN remind_every_us bigint NOT NULL DEFAULT 0 CHECK (remind_every_us >= 0),
    ADD COLUMN reminded_at timestamptz,
    ADD COLUMN steps_taken integer NOT NULL DEFAULT 0 CHECK (steps_taken BETWEEN 0 AND 16),
    ADD COLUMN asked bigint NOT NULL DEFAULT 0,
    ADD COLUMN next_at timestamptz;
COMMENT ON COLUMN approval.deadline IS 'Until when it may be answered; at this instant it is over. Null: for ever.';
COMMENT ON COLUMN approval.hold_for_us IS 'How long after the grant the authorization begins, in microseconds.';
COMMENT ON COLUMN approval.latest IS 'To when its deadline may be extended; null: not at all.';
COMMENT ON COLUMN approval.remind_before_us IS 'So long before the deadline those who have not answered are reminded, in microseconds; 0: they are not.';
COMMENT ON COLUMN approval.remind_every_us IS 'So often since the opening they are reminded, in microseconds; 0: they are not.';
COMMENT ON COLUMN approval.reminded_at IS 'When they were reminded last.';
COMMENT ON COLUMN approval.steps_taken IS 'So many of its steps, by time, have been taken.';
COMMENT ON COLUMN approval.asked IS 'Bit n: members of requirement n could answer at some time: they are told what becomes of it.';
COMMENT ON COLUMN approval.next_at IS 'While it is PENDING: when there will be something to do though nobody answers; null: never.';

UPDATE approval
   SET next_at = deadline,
       asked = (SELECT (1::bigint << count(*)::integer) - 1 FROM approval_requirement AS q WHERE q.approval_id = approval.approval_id);
DROP INDEX approval_open;
CREATE INDEX approval_open ON approval (next_at) WHERE state = 'PENDING';
COMMENT ON TABLE approval IS 'The durable question to people. state, closed_at, notices, refusals and what time does to it change; a final state never does.';

ALTER TABLE approval_requirement
    DROP CONSTRAINT approval_requirement_n_check,
    ADD CHECK (n BETWEEN 0 AND 31),
    ADD COLUMN demand integer CHECK (demand BETWEEN 0 AND 15),
    ADD COLUMN stage integer CHECK (stage BETWEEN 0 AND 31),
    ADD COLUMN stage_all boolean NOT NULL DEFAULT true,
    ADD COLUMN of_step boolean NOT NULL DEFAULT false,
    ADD COLUMN deny_quorum integer NOT NULL DEFAULT 1 CHECK (deny_quorum > 0),
    ADD COLUMN distinct_persons boolean NOT NULL DEFAULT false,
    ADD COLUMN require_reason boolean NOT NULL DEFAULT false,
    ADD COLUMN added_at timestamptz;
-- what was asked before was one question for each profile
UPDATE approval_requirement SET demand = n, stage = n;
ALTER TABLE approval_requirement
    ALTER COLUMN demand SET NOT NULL,
    ADD CHECK (of_step = (stage IS NULL));
COMMENT ON TABLE approval_requirement IS 'What an approval asks: each row a quorum of distinct members of one group. Rows of one stage are alternatives, or all must be met; stages of a demand follow each other; all demands must be met. Copied from the policy; insert-only.';
COMMENT ON COLUMN approval_requirement.demand IS 'Number of the demand: one for each profile of each policy.';
COMMENT ON COLUMN approval_requirement.stage IS 'Number of the stage, over all demands, in order; null: of a step.';
COMMENT ON COLUMN approval_requirement.stage_all IS 'All rows of the stage must be met; else one of them.';
COMMENT ON COLUMN approval_requirement.of_step IS 'It is asked from its step on (approval_step).';
COMMENT ON COLUMN approval_requirement.deny_quorum IS 'Of the demand: so many denies end the approval.';
COMMENT ON COLUMN approval_requirement.distinct_persons IS 'Of the demand: a person counts for one of its rows only.';
COMMENT ON COLUMN approval_requirement.require_reason IS 'Of the demand: answers must give a reason.';
COMMENT ON COLUMN approval_requirement.added_at IS 'When a second decision demanded it; null: since the opening. Votes of before count for it as well.';

CREATE TABLE approval_step (
    approval_id     uuid NOT NULL REFERENCES approval,
    n               integer NOT NULL CHECK (n BETWEEN 0 AND 15),
    demand          integer NOT NULL CHECK (demand BETWEEN 0 AND 15),
    requirement     integer,
    how             text NOT NULL CHECK (how IN ('add', 'replace', 'notify')),
    group_name      text NOT NULL,
    at              timestamptz NOT NULL,
    stage           integer CHECK (stage BETWEEN 0 AND 32),
    PRIMARY KEY (approval_id, n),
    FOREIGN KEY (approval_id, requirement) REFERENCES approval_requirement (approval_id, n),
    CHECK ((how = 'notify') = (requirement IS NULL))
);
COMMENT ON TABLE approval_step IS 'What happens in an approval when nobody has answered by then. Copied from the policy; only stage changes, once.';
COMMENT ON COLUMN approval_step.approval_id IS 'Approval.';
COMMENT ON COLUMN approval_step.n IS 'Number of the step; steps are taken by time, of equal times by number.';
COMMENT ON COLUMN approval_step.demand IS 'Demand that it belongs to.';
COMMENT ON COLUMN approval_step.requirement IS 'What it asks from then on; null with notify.';
COMMENT ON COLUMN approval_step.how IS 'add: one more way to meet the stage; replace: the only way; notify: the group is told.';
COMMENT ON COLUMN approval_step.group_name IS 'Group that is asked or told.';
COMMENT ON COLUMN approval_step.at IS 'When it is taken.';
COMMENT ON COLUMN approval_step.stage IS 'Once it is taken: the stage it was taken for, 32: its demand was met by then.';
CREATE TRIGGER taken_once BEFORE UPDATE ON approval_step FOR EACH ROW
    WHEN (OLD.stage IS NOT NULL AND NEW.stage IS DISTINCT FROM OLD.stage)
    EXECUTE FUNCTION refuse_change('stage');

ALTER TABLE response DROP CONSTRAINT response_verdict_check,
    ADD CHECK (verdict IN ('approve', 'deny', 'recuse', 'comment', 'extend'));
-- who left a group and joined another answers again
DROP INDEX response_counts_once;
CREATE INDEX response_of_approval ON response (approval_id) WHERE result = 'counted';
COMMENT ON COLUMN response.verdict IS 'approve, deny, recuse, comment or extend.';
COMMENT ON COLUMN response.counted_for IS 'Numbers of the requirements that it counts for; of a deny those that were open to the person.';

GRANT SELECT, INSERT ON approval_step TO countersign_evaluator, countersign_resolver;
GRANT UPDATE (stage) ON approval_step TO countersign_resolver;
GRANT UPDATE (deadline, reminded_at, steps_taken, asked, next_at) ON approval TO countersign_resolver;
GRANT SELECT ON approval_step TO countersign_notifier, countersign_operator, countersign_auditor;
