-- Of locked approvals: the request, its agent's owner, the latest decision that asks people, and how many decisions there are.
SELECT approval.approval_id, request.agent_id, request.action, request.target, request.context, request.execution,
       request.reason, request.on_behalf_of, request.traceparent, agent.owner,
       asking.verdict, asking.reason_code, asking.reason_text, asking.rules, asking.class_id,
       asking.policy_id, asking.policy_version, asking.policy_digest, asking.generation,
       (SELECT count(*) FROM decision WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id),
       asking.layers::text, asking.remediation,
       (SELECT json_agg(decision.obligations ORDER BY decision.n)::text FROM decision
         WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
           AND decision.verdict <> 'BLOCK' AND decision.obligations IS NOT NULL),
       request.verified_kid, request.verified_owner
  FROM approval
  JOIN request USING (tenant, request_id)
  LEFT JOIN agent ON agent.tenant = request.tenant AND agent.agent_id = request.agent_id
  JOIN LATERAL (
       SELECT * FROM decision
        WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
          AND decision.verdict = 'REQUIRE_APPROVAL'
        ORDER BY decision.n DESC LIMIT 1) AS asking ON true
 WHERE approval.approval_id = ANY ($1::uuid[])
 ORDER BY approval.approval_id
