-- SPDX-License-Identifier: Apache-2.0
-- Outcomes may be signed, and who signed is kept. A limit may say that what a request used of it is given back when its execution failed
-- and whoever executed has signed that: the row of limit_use stays, and does not count from then on. It may count again: what was said
-- afterwards may contradict the failure.

ALTER TABLE outcome ADD COLUMN issued_at timestamptz;
ALTER TABLE outcome ADD COLUMN verified_kid text;
ALTER TABLE outcome ADD COLUMN verified_owner text;
ALTER TABLE outcome ADD CONSTRAINT outcome_verified_check
    CHECK ((verified_kid IS NULL) = (verified_owner IS NULL) AND (verified_kid IS NULL OR issued_at IS NOT NULL));
COMMENT ON COLUMN outcome.issued_at IS 'When the reporter says the report was made; checked only where it is signed.';
COMMENT ON COLUMN outcome.verified_kid IS 'Key whose signature over the outcome was verified, one that may speak as the agent of the request; null: it is a claim.';
COMMENT ON COLUMN outcome.verified_owner IS 'Who owned that key then.';
GRANT SELECT ON signing_key, group_member TO countersign_recorder;

ALTER TABLE limit_use ADD COLUMN releases boolean NOT NULL DEFAULT false;
ALTER TABLE limit_use ADD COLUMN released_at timestamptz CHECK (isfinite(released_at));
ALTER TABLE limit_use ADD CONSTRAINT limit_use_released_check
    CHECK (released_at IS NULL OR releases AND held_until IS NULL);
COMMENT ON COLUMN limit_use.releases IS 'It is given back when the execution failed and that was signed: release_on_failure of the limit when it was taken.';
COMMENT ON COLUMN limit_use.released_at IS 'It was given back then, and does not count. Null: it was not.';
COMMENT ON COLUMN limit_use.at IS 'From when on it counts: the time of the decision by which it was granted; where the limit counts on executions, when the report on it was recorded; of a place, when it was taken; of what was given back and contradicted, when that was recorded.';
DROP INDEX limit_use_holder;
CREATE INDEX limit_use_holder ON limit_use (tenant, request_id) WHERE held_until IS NOT NULL OR releases;

ALTER TABLE limit_counter ADD COLUMN since timestamptz NOT NULL DEFAULT 'epoch' CHECK (isfinite(since));
COMMENT ON COLUMN limit_counter.used IS 'Sum of its rows in limit_use that hold no place and were not given back.';
COMMENT ON COLUMN limit_counter.since IS 'Since when window_kind, max_amount and per_us are what they are. Of a bucket nothing is given back that was taken before.';

CREATE OR REPLACE VIEW limit_usage AS
SELECT policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us * interval '1 microsecond' AS per,
       live.amount AS used, live.uses AS uses, live.first_at, live.last_at, over_at, live.held AS held
  FROM limit_counter
  LEFT JOIN LATERAL (
       SELECT least(coalesce(sum(amount), 0), 9223372036854775807)::bigint AS amount, count(*) AS uses, min(limit_use.at) AS first_at, max(limit_use.at) AS last_at,
              least(coalesce(sum(amount) FILTER (WHERE limit_use.held_until IS NOT NULL), 0), 9223372036854775807)::bigint AS held
         FROM limit_use
        WHERE limit_use.counter = limit_counter.counter AND limit_use.released_at IS NULL
          AND CASE WHEN limit_use.held_until IS NOT NULL THEN limit_use.held_until > clock_timestamp()
                   ELSE limit_use.at > clock_timestamp() - per_us * interval '1 microsecond'
                        AND (window_kind <> 'fixed' OR limit_use.at >= date_bin(per_us * interval '1 microsecond', clock_timestamp(), timestamptz 'epoch'))
              END) AS live ON true;
COMMENT ON COLUMN limit_usage.used IS 'What counts now, places that are held included, and nothing that was given back. Of a token_bucket: what was taken within one window, be it filled up again or not.';

GRANT UPDATE (since) ON limit_counter TO countersign_evaluator, countersign_resolver, countersign_recorder;
GRANT UPDATE (releases) ON limit_use TO countersign_evaluator, countersign_resolver, countersign_recorder;
GRANT UPDATE (released_at) ON limit_use TO countersign_recorder;
