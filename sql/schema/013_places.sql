-- SPDX-License-Identifier: Apache-2.0
-- Limits that count on decisions and on executions. What a request uses is still one row of limit_use for each counter. Until it counts,
-- that row holds a place: while people are asked, or while an authorization may still be executed. A place counts however long the
-- window is, so it is summed when it is looked at and is no part of `used`, from which time takes things off. Places that end by time
-- are not deleted then: a report that comes late still finds what it is about.

ALTER TABLE limit_use ADD COLUMN held_until timestamptz CHECK (isfinite(held_until));
CREATE INDEX limit_use_held ON limit_use (counter, held_until) INCLUDE (amount) WHERE held_until IS NOT NULL;
CREATE INDEX limit_use_holder ON limit_use (tenant, request_id) WHERE held_until IS NOT NULL;
COMMENT ON TABLE limit_use IS 'What each request has used of a limit, once, or holds of it. Kept until its window is over; decisions are for ever.';
COMMENT ON COLUMN limit_use.at IS 'From when on it counts: the time of the decision by which it was granted; where the limit counts on executions, when the report on it was recorded; of a place, when it was taken.';
COMMENT ON COLUMN limit_use.held_until IS 'It is a place that is held, and counts until then whatever the window is; of a question, thousands of years from now. Null: it counts from `at` on.';

ALTER TABLE limit_counter ADD COLUMN held_until timestamptz NOT NULL DEFAULT 'epoch' CHECK (isfinite(held_until));
COMMENT ON COLUMN limit_counter.used IS 'Sum of its rows in limit_use that hold no place.';
COMMENT ON COLUMN limit_counter.held_until IS 'The last end of a place that is held.';
COMMENT ON TABLE limit_counter IS 'How much of a limit is used for one key. Deleted when nothing of it counts any more and no place is held.';

CREATE OR REPLACE VIEW limit_usage AS
SELECT policy_id, limit_id, fields, measure, key, window_kind, max_amount, per_us * interval '1 microsecond' AS per,
       live.amount AS used, live.uses AS uses, live.first_at, live.last_at, over_at, live.held AS held
  FROM limit_counter
  LEFT JOIN LATERAL (
       SELECT least(coalesce(sum(amount), 0), 9223372036854775807)::bigint AS amount, count(*) AS uses, min(limit_use.at) AS first_at, max(limit_use.at) AS last_at,
              least(coalesce(sum(amount) FILTER (WHERE limit_use.held_until IS NOT NULL), 0), 9223372036854775807)::bigint AS held
         FROM limit_use
        WHERE limit_use.counter = limit_counter.counter
          AND CASE WHEN limit_use.held_until IS NOT NULL THEN limit_use.held_until > clock_timestamp()
                   ELSE limit_use.at > clock_timestamp() - per_us * interval '1 microsecond'
                        AND (window_kind <> 'fixed' OR limit_use.at >= date_bin(per_us * interval '1 microsecond', clock_timestamp(), timestamptz 'epoch'))
              END) AS live ON true;
COMMENT ON COLUMN limit_usage.used IS 'What counts now, places that are held included. Of a token_bucket: what was taken within one window, be it filled up again or not.';
COMMENT ON COLUMN limit_usage.uses IS 'By how many requests.';
COMMENT ON COLUMN limit_usage.first_at IS 'Since when the oldest of them counts.';
COMMENT ON COLUMN limit_usage.last_at IS 'Since when the youngest does.';
COMMENT ON COLUMN limit_usage.held IS 'How much of `used` are places: people are being asked, or nobody has reported on the authorization yet.';

-- The recorder turns places into uses.
GRANT UPDATE (held_until) ON limit_counter TO countersign_evaluator, countersign_resolver;
GRANT UPDATE (amount, at, held_until) ON limit_use TO countersign_evaluator, countersign_resolver;
GRANT SELECT, INSERT, UPDATE (window_kind, max_amount, per_us, used, level, level_part, at, over_at, held_until) ON limit_counter TO countersign_recorder;
GRANT SELECT, INSERT, UPDATE (amount, at, held_until), DELETE ON limit_use TO countersign_recorder;
DROP POLICY hold ON limit_counter;
DROP POLICY forget ON limit_counter;
CREATE POLICY make ON limit_counter FOR INSERT TO countersign_recorder WITH CHECK (true);
CREATE POLICY change ON limit_counter FOR UPDATE TO countersign_recorder USING (true) WITH CHECK (true);
CREATE POLICY forget ON limit_counter FOR DELETE TO countersign_recorder USING (over_at <= clock_timestamp() AND held_until <= clock_timestamp());
