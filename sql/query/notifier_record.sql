-- How attempts ended ($1 delivery, $2 the epoch of its claim). Who was overtaken by a later claim changes nothing.
UPDATE delivery
   SET state = row.state, attempts = delivery.attempts - row.uncounted,
       next_attempt_at = CASE WHEN row.state = 'pending' THEN clock_timestamp() + row.pause * interval '1 microsecond'
                              ELSE delivery.next_attempt_at END,
       finished_at = CASE WHEN row.state <> 'pending' THEN clock_timestamp() END,
       lease_until = NULL, last_code = row.code, last_error = row.text, reference = row.reference
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
              $8::text[])
       AS row (delivery_id, epoch, state, pause, uncounted, code, text, reference)
 WHERE delivery.delivery_id = row.delivery_id AND delivery.lease_epoch = row.epoch AND delivery.state = 'pending'
RETURNING delivery.delivery_id
