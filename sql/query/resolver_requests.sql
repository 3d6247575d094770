-- Of locked approvals: the request, its agent's owner, the latest decision that asks people, how many decisions there are, when
-- what was granted ends, how many decisions there are since it was opened (what was decided about a request that was held before
-- that obliges to nothing), who overrode it, and who reviewed that.
-- A signature by a key that is revoked by now from before it was taken shows nobody; who owned the key stays excluded.
SELECT approval.approval_id, request.agent_id, request.action, request.target, request.context, request.execution,
       request.reason, request.on_behalf_of, request.traceparent, agent.owner,
       asking.verdict, asking.reason_code, asking.reason_text, asking.rules, asking.class_id,
       asking.policy_id, asking.policy_version, asking.policy_digest, asking.generation,
       (SELECT count(*) FROM decision WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id),
       asking.layers::text, asking.remediation,
       (SELECT json_agg(decision.obligations ORDER BY decision.n)::text FROM decision
         WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
           AND decision.verdict <> 'BLOCK' AND decision.obligations IS NOT NULL AND decision.decided_at >= approval.opened_at),
       signer.kid, request.verified_owner, granted.expires_at,
       (SELECT count(*) FROM decision WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
           AND decision.decided_at >= approval.opened_at),
       review.overrider, review.reviewer
  FROM approval
  JOIN request USING (tenant, request_id)
  LEFT JOIN signing_key AS signer
         ON signer.kid = request.verified_kid AND (signer.revoked_at IS NULL OR signer.revoked_at > request.received_at)
  LEFT JOIN authorization_status AS granted
         ON granted.tenant = request.tenant AND granted.request_id = request.request_id AND granted.status = 'GRANTED'
  LEFT JOIN approval_review AS review ON review.approval_id = approval.approval_id
  LEFT JOIN agent ON agent.tenant = request.tenant AND agent.agent_id = request.agent_id
  JOIN LATERAL (
       SELECT * FROM decision
        WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
          AND decision.verdict = 'REQUIRE_APPROVAL'
        ORDER BY decision.n DESC LIMIT 1) AS asking ON true
 WHERE approval.approval_id = ANY ($1::uuid[])
 ORDER BY approval.approval_id
