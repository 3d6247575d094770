-- Many events of one transaction in one statement: its trigger looks at all of them at once.
INSERT INTO ledger_event (chain, sequence, event_id, topic, key, headers, payload, created_at)
SELECT chain, sequence, event_id, topic, key, headers, payload, $8::timestamptz
  FROM unnest($1::integer[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bytea[])
       AS e (chain, sequence, event_id, topic, key, headers, payload)
