-- One request.
SELECT r.tenant, r.request_id, r.agent_id, (SELECT owner FROM agent g WHERE g.tenant = r.tenant AND g.agent_id = r.agent_id), r.action, r.target, r.context, r.execution, r.reason, r.on_behalf_of, r.parent_request_id,
       to_char(r.deadline, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), r.request_digest, to_char(r.received_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), r.origin_topic || '/' || r.origin_partition || '/' || r.origin_offset, r.chain::int8, r.verified_owner, r.verified_kid
FROM request r WHERE r.tenant = $1 AND r.request_id = $2
