-- SPDX-License-Identifier: Apache-2.0
-- What has been used of the policies' limits. A limit is exact when everybody who decides about one of its keys stands in one
-- line: the row of limit_counter is that line, locked from before the clock is read until the commit, always in the order of the
-- counters. limit_use keeps every single use until its window is over, and the counter their sum. Buckets of time instead of single
-- uses would be smaller, but a sliding window made of buckets is either open at its edge or closes too early, and nobody could tell
-- afterwards which requests had filled it. With both, checking costs the same however much is allowed: each use is written once,
-- and taken off the sum once, when the next one after its end comes.

CREATE TABLE limit_counter (
    counter         bytea PRIMARY KEY CHECK (length(counter) = 32),
    policy_id       text   NOT NULL,
    limit_id        text   NOT NULL,
    fields          text   NOT NULL,
    measure         text   NOT NULL,
    key             text   NOT NULL,
    window_kind     text   NOT NULL CHECK (window_kind IN ('sliding', 'fixed', 'token_bucket')),
    max_amount      bigint NOT NULL CHECK (max_amount > 0),
    per_us          bigint NOT NULL CHECK (per_us > 0),
    used            bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    level           bigint NOT NULL DEFAULT 0 CHECK (level >= 0),
    level_part      bigint NOT NULL DEFAULT 0 CHECK (level_part >= 0 AND level_part < per_us),
    at              timestamptz NOT NULL,
    over_at         timestamptz NOT NULL CHECK (isfinite(over_at))
) WITH (fillfactor = 70);
CREATE INDEX limit_counter_over ON limit_counter (over_at);
COMMENT ON TABLE limit_counter IS 'How much of a limit is used for one key. Deleted when nothing of it counts any more.';
COMMENT ON COLUMN limit_counter.counter IS 'sha-256 over policy_id, limit_id, fields, measure and the key: versions of a policy share it as long as these stay.';
COMMENT ON COLUMN limit_counter.policy_id IS 'Policy of the limit.';
COMMENT ON COLUMN limit_counter.limit_id IS 'Limit.';
COMMENT ON COLUMN limit_counter.fields IS 'What the key is made of, with commas.';
COMMENT ON COLUMN limit_counter.measure IS 'The input that is summed; empty where requests are counted.';
COMMENT ON COLUMN limit_counter.key IS 'The values of the fields as a JSON list, for people: long texts are cut, sensitive inputs are "(hidden)".';
COMMENT ON COLUMN limit_counter.window_kind IS 'sliding, fixed or token_bucket, as the policy said last. This and what follows change.';
COMMENT ON COLUMN limit_counter.max_amount IS 'How much is allowed, as the policy said last.';
COMMENT ON COLUMN limit_counter.per_us IS 'In how many microseconds, as the policy said last.';
COMMENT ON COLUMN limit_counter.used IS 'Sum of its rows in limit_use.';
COMMENT ON COLUMN limit_counter.level IS 'token_bucket: how much was missing from the bucket at the time `at`, whole units.';
COMMENT ON COLUMN limit_counter.level_part IS 'token_bucket: what was missing beyond that, in parts of which per_us make a unit.';
COMMENT ON COLUMN limit_counter.at IS 'When it was changed last, by the database''s clock.';
COMMENT ON COLUMN limit_counter.over_at IS 'From then on nothing of it counts.';

CREATE TABLE limit_use (
    counter         bytea  NOT NULL REFERENCES limit_counter ON DELETE CASCADE,
    tenant          text   NOT NULL,
    request_id      text   NOT NULL,
    amount          bigint NOT NULL CHECK (amount > 0),
    at              timestamptz NOT NULL,
    PRIMARY KEY (counter, tenant, request_id)
);
CREATE INDEX limit_use_at ON limit_use (counter, at);
COMMENT ON TABLE limit_use IS 'What each granted request has used of a limit, once. Kept until its window is over; decisions are for ever.';
COMMENT ON COLUMN limit_use.counter IS 'Of which limit and key.';
COMMENT ON COLUMN limit_use.tenant IS 'Tenant of the request.';
COMMENT ON COLUMN limit_use.request_id IS 'Request.';
COMMENT ON COLUMN limit_use.amount IS '1 where requests are counted, else what was summed.';
COMMENT ON COLUMN limit_use.at IS 'When it was granted: the time of its decision.';

CREATE VIEW limit_usage AS
SELECT policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us * interval '1 microsecond' AS per,
       coalesce(live.amount, 0) AS used, coalesce(live.uses, 0) AS uses, live.first_at, live.last_at, over_at
  FROM limit_counter
  LEFT JOIN LATERAL (
       SELECT sum(amount)::bigint AS amount, count(*) AS uses, min(limit_use.at) AS first_at, max(limit_use.at) AS last_at
         FROM limit_use
        WHERE limit_use.counter = limit_counter.counter
          AND limit_use.at > clock_timestamp() - per_us * interval '1 microsecond'
          AND (window_kind <> 'fixed' OR limit_use.at >= date_bin(per_us * interval '1 microsecond', clock_timestamp(), timestamptz 'epoch'))) AS live ON true;
COMMENT ON VIEW limit_usage IS 'For auditors: what is used of every limit now, for every key of which something is.';
COMMENT ON COLUMN limit_usage.policy_id IS 'Policy of the limit.';
COMMENT ON COLUMN limit_usage.limit_id IS 'Limit.';
COMMENT ON COLUMN limit_usage.fields IS 'What the key is made of, with commas.';
COMMENT ON COLUMN limit_usage.measure IS 'The input that is summed; empty where requests are counted.';
COMMENT ON COLUMN limit_usage.key IS 'The values of the fields, for people.';
COMMENT ON COLUMN limit_usage.window_kind IS 'sliding, fixed or token_bucket.';
COMMENT ON COLUMN limit_usage.max_amount IS 'How much is allowed.';
COMMENT ON COLUMN limit_usage.per IS 'How long its window is.';
COMMENT ON COLUMN limit_usage.used IS 'What counts now. Of a token_bucket: what was taken within one window, be it filled up again or not.';
COMMENT ON COLUMN limit_usage.uses IS 'By how many requests.';
COMMENT ON COLUMN limit_usage.first_at IS 'When the oldest of them was granted.';
COMMENT ON COLUMN limit_usage.last_at IS 'When the youngest was.';
COMMENT ON COLUMN limit_usage.over_at IS 'From then on nothing of it counts.';

-- Whoever decides takes; the recorder, which tidies up, deletes what is over and sees no more of it than that.
GRANT SELECT, INSERT, UPDATE (window_kind, max_amount, per_us, used, level, level_part, at, over_at) ON limit_counter
    TO countersign_evaluator, countersign_resolver;
GRANT SELECT, INSERT, DELETE ON limit_use TO countersign_evaluator, countersign_resolver;
GRANT SELECT (counter, over_at), UPDATE (over_at), DELETE ON limit_counter TO countersign_recorder;
GRANT SELECT ON limit_counter, limit_use, limit_usage TO countersign_operator, countersign_auditor;

ALTER TABLE limit_counter ENABLE ROW LEVEL SECURITY;
CREATE POLICY count ON limit_counter TO countersign_evaluator, countersign_resolver USING (true) WITH CHECK (true);
CREATE POLICY look ON limit_counter FOR SELECT TO countersign_operator, countersign_auditor, countersign_recorder USING (true);
-- To lock a row takes the right to update a column of it; to update one it has not.
CREATE POLICY hold ON limit_counter FOR UPDATE TO countersign_recorder USING (over_at <= clock_timestamp()) WITH CHECK (false);
CREATE POLICY forget ON limit_counter FOR DELETE TO countersign_recorder USING (over_at <= clock_timestamp());
