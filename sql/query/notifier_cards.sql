-- All that a card says about these approvals, as one moment saw it: $1 their ids.
SELECT approval.approval_id, approval.tenant, approval.request_id, approval.request_digest, approval.reason_text,
       approval.opened_at, approval.deadline, approval.closed_at,
       request.agent_id, request.action, request.target, request.context, request.execution, request.reason,
       request.on_behalf_of, asking.rules, word.status,
       need.profiles, need.groups, need.quorums, need.votes,
       vote.responders, vote.verdicts, vote.reasons, vote.times, need.policies, obliging.maps::text,
       request.verified_kid, request.verified_owner,
       need.stages, need.wholes, need.opens, need.escalations, approval.reminded_at,
       ARRAY(SELECT step.group_name FROM approval_step AS step
              WHERE step.approval_id = approval.approval_id AND step.how = 'notify' AND step.stage < 32 ORDER BY step.n),
       approval.revoked_at, failed.count, failed.request_id, failed.status, failed.code, failed.detail,
       review.overrider, review.reviewer
  FROM approval
  JOIN request USING (tenant, request_id)
  LEFT JOIN approval_review AS review ON review.approval_id = approval.approval_id
  JOIN LATERAL (
       SELECT decision.rules FROM decision
        WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
          AND decision.verdict = 'REQUIRE_APPROVAL'
        ORDER BY decision.n DESC LIMIT 1) AS asking ON true
  LEFT JOIN LATERAL (
       SELECT said.status FROM authorization_status AS said
        WHERE said.tenant = request.tenant AND said.request_id = request.request_id AND said.status <> 'PENDING'
        ORDER BY said.final LIMIT 1) AS word ON true
 CROSS JOIN LATERAL (
       SELECT json_agg(decision.obligations ORDER BY decision.n) AS maps FROM decision
        WHERE decision.tenant = request.tenant AND decision.request_id = request.request_id
          AND decision.verdict <> 'BLOCK' AND decision.obligations IS NOT NULL AND decision.decided_at >= approval.opened_at) AS obliging
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(one.profile ORDER BY one.n), '{}') AS profiles,
              coalesce(array_agg(coalesce(one.policy_id, '') ORDER BY one.n), '{}') AS policies,
              coalesce(array_agg(one.group_name ORDER BY one.n), '{}') AS groups,
              coalesce(array_agg(one.quorum::bigint ORDER BY one.n), '{}') AS quorums,
              coalesce(array_agg(one.votes ORDER BY one.n), '{}') AS votes,
              coalesce(array_agg(one.place ORDER BY one.n), '{}') AS stages,
              coalesce(array_agg((one.stage_all AND NOT one.of_step)::integer::bigint ORDER BY one.n), '{}') AS wholes,
              coalesce(array_agg(approval.asked >> one.n & 1 ORDER BY one.n), '{}') AS opens,
              coalesce(array_agg(one.of_step::integer::bigint ORDER BY one.n), '{}') AS escalations
         FROM (SELECT asked.*,
                      (SELECT count(*) FROM response
                        WHERE response.approval_id = asked.approval_id AND response.result = 'counted'
                          AND response.verdict = 'approve' AND asked.n = ANY (response.counted_for)) AS votes,
                      coalesce(taken.stage, asked.stage)
                      - (SELECT min(first.stage) FROM approval_requirement AS first
                          WHERE first.approval_id = asked.approval_id AND first.demand = asked.demand) + 1::bigint AS place
                 FROM approval_requirement AS asked
                 LEFT JOIN approval_step AS taken
                        ON taken.approval_id = asked.approval_id AND taken.requirement = asked.n
                WHERE asked.approval_id = approval.approval_id
                  AND (NOT asked.of_step OR taken.stage < 32)) AS one) AS need
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(one.responder ORDER BY one.received_at, one.kid, one.response_id), '{}') AS responders,
              coalesce(array_agg(one.verdict ORDER BY one.received_at, one.kid, one.response_id), '{}') AS verdicts,
              coalesce(array_agg(coalesce(one.reason, '') ORDER BY one.received_at, one.kid, one.response_id), '{}') AS reasons,
              coalesce(array_agg((extract(epoch FROM one.received_at) * 1000000)::bigint
                                 ORDER BY one.received_at, one.kid, one.response_id), '{}') AS times
         FROM response AS one
        WHERE one.approval_id = approval.approval_id AND one.result = 'counted') AS vote
 CROSS JOIN LATERAL (
       SELECT count(*), (array_agg(one.request_id ORDER BY one.at DESC))[1] AS request_id,
              (array_agg(told.status ORDER BY one.at DESC))[1] AS status,
              (array_agg(told.code ORDER BY one.at DESC))[1] AS code,
              (array_agg(told.detail ORDER BY one.at DESC))[1] AS detail
         FROM (SELECT * FROM setback AS alike
                WHERE alike.tenant = request.tenant AND alike.agent_id = request.agent_id AND alike.action = request.action
                  AND alike.target = request.target AND alike.request_id <> request.request_id
                  AND alike.at < approval.opened_at AND alike.at > approval.opened_at - interval '7 days'
                ORDER BY alike.at DESC LIMIT 9) AS one
         JOIN outcome AS told ON told.tenant = one.tenant AND told.outcome_id = one.outcome_id) AS failed
 WHERE approval.approval_id = ANY ($1::uuid[])
 ORDER BY approval.approval_id
