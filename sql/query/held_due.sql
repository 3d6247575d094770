-- Held requests that are to be decided again, some of them, locked: what held them does so no more, or they have waited for too long. Those
-- that somebody else has locked are his. In the order in which they came, as far as one look reaches. A signature by a key that is revoked by
-- now from before it was taken shows nobody.
WITH due AS (
    SELECT tenant, request_id FROM held_request
     WHERE ended_at IS NULL AND expires_at <= (SELECT clock_timestamp())
     UNION
    SELECT held_request.tenant, held_request.request_id
      FROM hold JOIN held_request USING (hold_id)
     WHERE (hold.lifted_at IS NOT NULL OR hold.until <= (SELECT clock_timestamp())) AND held_request.ended_at IS NULL
     LIMIT $1::bigint
)
SELECT held.tenant, held.request_id, held.hold_id, held.expires_at,
       request.agent_id, request.action, request.target, request.context, request.execution, request.deadline,
       request.on_behalf_of, request.reason, request.request_digest, request.traceparent, signer.kid,
       CASE WHEN signer.kid IS NOT NULL THEN request.verified_owner END,
       (SELECT count(*) FROM decision WHERE decision.tenant = held.tenant AND decision.request_id = held.request_id)
  FROM due
  JOIN held_request AS held USING (tenant, request_id)
  JOIN request USING (tenant, request_id)
  LEFT JOIN signing_key AS signer
         ON signer.kid = request.verified_kid AND (signer.revoked_at IS NULL OR signer.revoked_at > request.received_at)
 WHERE held.ended_at IS NULL
 ORDER BY request.origin_partition, request.origin_offset
   FOR UPDATE OF held SKIP LOCKED
