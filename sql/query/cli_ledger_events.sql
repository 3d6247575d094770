-- Events of a chain, in order.
SELECT sequence, event_id::text, topic, key, headers, payload FROM ledger_event WHERE chain = $1 AND sequence BETWEEN $2 AND $3 ORDER BY sequence
