-- The events behind (chain, sequence) pairs that were found on topics.
SELECT e.chain::int8, e.sequence, e.event_id::text, e.topic, e.key, e.headers, e.payload
FROM unnest($1::int8[], $2::int8[]) AS place (chain, sequence) JOIN ledger_event e ON e.chain = place.chain AND e.sequence = place.sequence
