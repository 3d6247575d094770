-- What is to be told to whom, each once. To a target that said it is gone nothing is sent. In the order in which the
-- resolver locks approvals, since each row's foreign key waits for that lock.
INSERT INTO delivery (delivery_id, approval_id, tenant, request_id, channel, target, kind, state, next_attempt_at, body,
                      last_code, last_error, created_at, finished_at)
SELECT row.delivery_id, row.approval_id, row.tenant, row.request_id, row.channel, row.target, row.kind,
       CASE WHEN gone.target IS NULL THEN 'pending' ELSE 'dead' END, moment.now, row.body,
       CASE WHEN gone.target IS NOT NULL THEN 'target_gone' END, gone.reason,
       moment.now, CASE WHEN gone.target IS NOT NULL THEN moment.now END
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::bigint[])
       AS row (delivery_id, approval_id, tenant, request_id, channel, target, kind, body, at)
 CROSS JOIN LATERAL (SELECT timestamptz 'epoch' + row.at * interval '1 microsecond' AS now) AS moment
  LEFT JOIN delivery_target AS gone ON gone.channel = row.channel AND gone.target = row.target
 ORDER BY row.approval_id, row.delivery_id
    ON CONFLICT DO NOTHING
RETURNING delivery_id, approval_id, channel, target, kind, state
