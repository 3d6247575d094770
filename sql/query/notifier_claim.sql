-- Takes due deliveries for this instance. For each target (channel $1, name $2) at most as many as it has room for ($3),
-- each for as long as an attempt may take ($4, microseconds). Above $5 attempts nothing is tried. What came after the
-- question is not told before the question was, nor what came after the end before the end.
UPDATE delivery
   SET lease_until = clock_timestamp() + taken.lease * interval '1 microsecond',
       lease_epoch = delivery.lease_epoch + 1,
       attempts = delivery.attempts + 1
  FROM (SELECT due.delivery_id, lane.lease
          FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS lane (channel, target, room, lease)
         CROSS JOIN LATERAL (
               SELECT one.delivery_id
                 FROM delivery AS one
                WHERE one.state = 'pending' AND one.next_attempt_at <= (SELECT clock_timestamp())
                  AND one.channel = lane.channel AND one.target = lane.target
                  AND (one.lease_until IS NULL OR one.lease_until <= clock_timestamp())
                  AND one.attempts < $5
                  AND (one.kind = 'approval.opened' OR NOT EXISTS (
                       SELECT FROM delivery AS opened
                        WHERE opened.approval_id = one.approval_id AND opened.channel = one.channel
                          AND opened.target = one.target AND opened.kind = 'approval.opened'
                          AND opened.state = 'pending'))
                  AND (one.kind <> 'approval.revoked' AND one.kind NOT LIKE 'approval.outcome.%' OR NOT EXISTS (
                       SELECT FROM delivery AS closed
                        WHERE closed.approval_id = one.approval_id AND closed.channel = one.channel
                          AND closed.target = one.target AND closed.kind = 'approval.closed'
                          AND closed.state = 'pending'))
                ORDER BY one.next_attempt_at, one.created_at, one.delivery_id
                LIMIT lane.room
                  FOR UPDATE SKIP LOCKED) AS due
         WHERE NOT EXISTS (
               SELECT FROM delivery_target AS gone
                WHERE gone.channel = lane.channel AND gone.target = lane.target)) AS taken
 WHERE delivery.delivery_id = taken.delivery_id
RETURNING delivery.delivery_id, delivery.approval_id, delivery.tenant, delivery.request_id, delivery.channel,
          delivery.target, delivery.kind, delivery.attempts, delivery.lease_epoch, delivery.body
