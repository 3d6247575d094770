-- What people have answered in locked approvals, as far as it still counts: who votes does not own the agent by now. An approve counts
-- while its key is not revoked and where its voter is still a member of the group, also for what was demanded later; one that counts
-- for nothing any more is as if not given. A deny and a recuse stand whatever becomes of their key: they open nothing.
SELECT v.approval_id, v.responder, v.verdict, v.reason, v.received_at,
       CASE WHEN v.verdict = 'approve' THEN still.counted_for ELSE v.counted_for END
  FROM response AS v
  JOIN signing_key AS k ON k.kid = v.kid
  JOIN request AS r ON r.tenant = v.tenant AND r.request_id = v.request_id
  LEFT JOIN agent AS a ON a.tenant = r.tenant AND a.agent_id = r.agent_id
 CROSS JOIN LATERAL (SELECT coalesce(array_agg(q.n ORDER BY q.n), '{}') AS counted_for
                       FROM approval_requirement AS q
                       JOIN group_member AS m
                         ON m.tenant = v.tenant AND m.group_name = q.group_name AND m.person = v.responder
                      WHERE q.approval_id = v.approval_id
                        AND (q.n = ANY (v.counted_for) OR q.added_at >= v.received_at)) AS still
 WHERE v.approval_id = ANY ($1::uuid[]) AND v.result = 'counted'
   AND (v.verdict <> 'approve' OR ((k.revoked_at IS NULL OR k.revoked_at > clock_timestamp()) AND still.counted_for <> '{}'))
   AND (v.verdict IN ('comment', 'withdraw', 'revoke', 'override', 'review')
        OR a.owner IS DISTINCT FROM v.responder AND r.verified_owner IS DISTINCT FROM v.responder)
 ORDER BY v.approval_id, v.received_at, v.kid, v.response_id
