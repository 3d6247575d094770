-- What is known about the requests of outcomes, in the order asked: the final word, when it was revoked, and what was reported before.
SELECT request.request_id IS NOT NULL, word.status, word.event_id, word.token, request.request_digest, word.expires_at,
       coalesce(before.started, false), coalesce(before.ended, false), coalesce(before.began_in_time, false), earlier.ids,
       revoked.decided_at, request.agent_id, coalesce(before.disputed, false)
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (tenant, request_id, n)
  LEFT JOIN request ON request.tenant = asked.tenant AND request.request_id = asked.request_id
  LEFT JOIN authorization_status AS word
         ON word.tenant = asked.tenant AND word.request_id = asked.request_id AND word.final
  LEFT JOIN authorization_status AS revoked
         ON revoked.tenant = asked.tenant AND revoked.request_id = asked.request_id AND revoked.status = 'REVOKED'
  LEFT JOIN LATERAL (
       SELECT bool_or(status = 'started') AS started, bool_or(status IN ('succeeded', 'failed')) AS ended,
              bool_or(judgement = 'authorized') AS began_in_time, bool_or(judgement <> 'authorized') AS disputed
         FROM outcome WHERE outcome.tenant = asked.tenant AND outcome.request_id = asked.request_id) AS before ON true
  LEFT JOIN LATERAL (
       SELECT array_agg(outcome_id) AS ids
         FROM (SELECT outcome_id FROM outcome
                WHERE outcome.tenant = asked.tenant AND outcome.request_id = asked.request_id
                ORDER BY received_at, outcome_id LIMIT 8) AS first) AS earlier ON true
 ORDER BY asked.n
