-- All that a card says about these approvals, as one moment saw it: $1 their ids.
SELECT approval.approval_id, approval.tenant, approval.request_id, approval.request_digest, approval.reason_text,
       approval.opened_at, approval.deadline, approval.closed_at,
       request.agent_id, request.action, request.target, request.context, request.execution, request.reason,
       request.on_behalf_of, asking.rules, word.status,
       need.profiles, need.groups, need.quorums, need.votes,
       vote.responders, vote.verdicts, vote.reasons, vote.times, need.policies, obliging.maps::text,
       request.verified_kid, request.verified_owner
  FROM approval
  JOIN request USING (tenant, request_id)
  JOIN LATERAL (
       SELECT decision.rules FROM decision
        WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
          AND decision.verdict = 'REQUIRE_APPROVAL'
        ORDER BY decision.n DESC LIMIT 1) AS asking ON true
  LEFT JOIN authorization_status AS word
         ON word.tenant = request.tenant AND word.request_id = request.request_id AND word.final
 CROSS JOIN LATERAL (
       SELECT json_agg(decision.obligations ORDER BY decision.n) AS maps FROM decision
        WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
          AND decision.verdict <> 'BLOCK' AND decision.obligations IS NOT NULL) AS obliging
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(one.profile ORDER BY one.n), '{}') AS profiles,
              coalesce(array_agg(coalesce(one.policy_id, '') ORDER BY one.n), '{}') AS policies,
              coalesce(array_agg(one.group_name ORDER BY one.n), '{}') AS groups,
              coalesce(array_agg(one.quorum::bigint ORDER BY one.n), '{}') AS quorums,
              coalesce(array_agg((SELECT count(*) FROM response
                                   WHERE response.approval_id = one.approval_id AND response.result = 'counted'
                                     AND response.verdict = 'approve' AND one.n = ANY (response.counted_for))
                                 ORDER BY one.n), '{}') AS votes
         FROM approval_requirement AS one
        WHERE one.approval_id = approval.approval_id) AS need
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(one.responder ORDER BY one.received_at, one.kid, one.response_id), '{}') AS responders,
              coalesce(array_agg(one.verdict ORDER BY one.received_at, one.kid, one.response_id), '{}') AS verdicts,
              coalesce(array_agg(coalesce(one.reason, '') ORDER BY one.received_at, one.kid, one.response_id), '{}') AS reasons,
              coalesce(array_agg((extract(epoch FROM one.received_at) * 1000000)::bigint
                                 ORDER BY one.received_at, one.kid, one.response_id), '{}') AS times
         FROM response AS one
        WHERE one.approval_id = approval.approval_id AND one.result = 'counted') AS vote
 WHERE approval.approval_id = ANY ($1::uuid[])
 ORDER BY approval.approval_id
