-- Grants that ended in this span and that nobody has reported on or revoked, some of them; each becomes one incident.
SELECT word.tenant, word.request_id, word.event_id, request.traceparent
  FROM authorization_status AS word
  JOIN request USING (tenant, request_id)
 WHERE word.status = 'GRANTED' AND word.expires_at > $1::timestamptz AND word.expires_at <= $2::timestamptz
   AND NOT EXISTS (SELECT FROM outcome
                    WHERE outcome.tenant = word.tenant AND outcome.request_id = word.request_id)
   AND NOT EXISTS (SELECT FROM authorization_status AS revoked
                    WHERE revoked.tenant = word.tenant AND revoked.request_id = word.request_id AND revoked.status = 'REVOKED')
   AND NOT EXISTS (SELECT FROM incident
                    WHERE incident.tenant = word.tenant AND incident.request_id = word.request_id
                      AND incident.kind = 'authorized_never_reported')
 ORDER BY word.expires_at
 LIMIT $3::bigint
