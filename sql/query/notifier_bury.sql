-- Ends what will not be tried again: its target is gone, or its last attempt ($1 of them) was never heard of again.
UPDATE delivery
   SET state = 'dead', finished_at = clock_timestamp(), lease_until = NULL, lease_epoch = delivery.lease_epoch + 1,
       last_code = CASE WHEN lost.reason IS NOT NULL THEN 'target_gone' ELSE coalesce(delivery.last_code, 'unheard') END,
       last_error = coalesce(lost.reason, delivery.last_error, 'The last attempt was not heard of again.')
  FROM (SELECT one.delivery_id,
               (SELECT gone.reason FROM delivery_target AS gone
                 WHERE gone.channel = one.channel AND gone.target = one.target) AS reason
          FROM delivery AS one
         WHERE one.state = 'pending' AND (one.lease_until IS NULL OR one.lease_until <= clock_timestamp())
           AND (one.attempts >= $1 OR EXISTS (
                SELECT FROM delivery_target AS gone
                 WHERE gone.channel = one.channel AND gone.target = one.target))
         LIMIT $2
           FOR UPDATE OF one SKIP LOCKED) AS lost
 WHERE delivery.delivery_id = lost.delivery_id
RETURNING delivery.delivery_id, delivery.approval_id, delivery.channel, delivery.target, delivery.kind, delivery.last_code
