-- SPDX-License-Identifier: Apache-2.0
-- Whoever was asked is told what became of it, and whether the same was tried before and failed. Triggers run with their owner's rights:
-- the recorder, which keeps outcomes, needs none of its own here. There is no reference to approval on purpose: to insert one takes a
-- lock on its row, for which a resolver may wait that holds what a recorder waits for.

CREATE TABLE outcome_news (
    n               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    approval_id     uuid NOT NULL,
    tenant          text NOT NULL,
    outcome_id      text NOT NULL,
    told_at         timestamptz,
    UNIQUE (tenant, outcome_id)
);
CREATE INDEX outcome_news_of_approval ON outcome_news (approval_id);
CREATE INDEX outcome_news_untold ON outcome_news (n) WHERE told_at IS NULL;
COMMENT ON TABLE outcome_news IS 'Outcomes of which those who were asked are told: ends, and what must not have happened; the first 8 of an approval. Only told_at changes, once.';
COMMENT ON COLUMN outcome_news.n IS 'Order of telling.';
COMMENT ON COLUMN outcome_news.approval_id IS 'Who was asked.';
COMMENT ON COLUMN outcome_news.tenant IS 'Tenant of the outcome.';
COMMENT ON COLUMN outcome_news.outcome_id IS 'Outcome.';
COMMENT ON COLUMN outcome_news.told_at IS 'When the notifier planned its deliveries; null: not yet.';
CREATE TRIGGER told_once BEFORE UPDATE ON outcome_news FOR EACH ROW
    WHEN (OLD.told_at IS NOT NULL AND NEW.told_at IS DISTINCT FROM OLD.told_at)
    EXECUTE FUNCTION refuse_change('told_at');

CREATE TABLE setback (
    tenant          text NOT NULL,
    request_id      text NOT NULL,
    agent_id        text NOT NULL,
    action          text NOT NULL,
    target          text NOT NULL,
    outcome_id      text NOT NULL,
    at              timestamptz NOT NULL,
    PRIMARY KEY (tenant, request_id)
);
CREATE INDEX setback_alike ON setback (tenant, agent_id, action, target, at);
COMMENT ON TABLE setback IS 'Requests that were reported as failed or rolled back, until one of the same agent, action and target is reported as succeeded.';
COMMENT ON COLUMN setback.tenant IS 'Tenant.';
COMMENT ON COLUMN setback.request_id IS 'Request.';
COMMENT ON COLUMN setback.agent_id IS 'Its agent.';
COMMENT ON COLUMN setback.action IS 'Its action.';
COMMENT ON COLUMN setback.target IS 'Its target.';
COMMENT ON COLUMN setback.outcome_id IS 'The last report of that kind.';
COMMENT ON COLUMN setback.at IS 'When the first of them was recorded.';

CREATE FUNCTION outcome_reported() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = countersign, pg_temp AS $$
BEGIN
    INSERT INTO outcome_news (approval_id, tenant, outcome_id)
    SELECT approval_id, tenant, outcome_id
      FROM (SELECT approval.approval_id, reported.tenant, reported.outcome_id, reported.origin_partition, reported.origin_offset,
                   row_number() OVER (PARTITION BY approval.approval_id ORDER BY reported.origin_partition, reported.origin_offset)
                   + (SELECT count(*) FROM outcome_news AS before WHERE before.approval_id = approval.approval_id) AS place
              FROM reported JOIN approval USING (tenant, request_id)
             WHERE reported.status <> 'started' OR reported.judgement <> 'authorized') AS news
     WHERE place <= 8
     ORDER BY origin_partition, origin_offset;
    DELETE FROM setback
     USING reported JOIN request USING (tenant, request_id)
     WHERE reported.status = 'succeeded' AND reported.judgement = 'authorized' AND setback.tenant = request.tenant
       AND setback.agent_id = request.agent_id AND setback.action = request.action AND setback.target = request.target;
    INSERT INTO setback (tenant, request_id, agent_id, action, target, outcome_id, at)
    SELECT DISTINCT ON (reported.tenant, reported.request_id)
           reported.tenant, reported.request_id, request.agent_id, request.action, request.target, reported.outcome_id, reported.received_at
      FROM reported JOIN request USING (tenant, request_id)
     WHERE reported.status IN ('failed', 'rolled_back') AND request.valid
     ORDER BY reported.tenant, reported.request_id, reported.origin_partition DESC, reported.origin_offset DESC
        ON CONFLICT (tenant, request_id) DO UPDATE SET outcome_id = EXCLUDED.outcome_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION outcome_reported() IS 'Keeps whom an outcome concerns: who was asked, and whoever will be asked about the same.';
REVOKE EXECUTE ON FUNCTION outcome_reported() FROM PUBLIC;
CREATE TRIGGER reported AFTER INSERT ON outcome REFERENCING NEW TABLE AS reported FOR EACH STATEMENT EXECUTE FUNCTION outcome_reported();

GRANT SELECT, UPDATE (told_at) ON outcome_news TO countersign_notifier;
GRANT SELECT ON setback, outcome TO countersign_notifier;
GRANT SELECT ON outcome_news, setback TO countersign_operator, countersign_auditor;
COMMENT ON COLUMN delivery.kind IS 'What is told: approval.opened, approval.changed.<n>, approval.reminded.<time>, approval.closed, approval.revoked, approval.outcome.<outcome id>.';
