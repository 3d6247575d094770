-- The next events of a chain: $1 chain, $2 next sequence, $3 how many at most, $4 how many bytes at most (one event at least).
-- Sequences have no gaps, so a range of them is a number of them. What lies behind the end of the chain is not the ledger's.
SELECT sequence, event_id, topic, key, headers, payload
  FROM (SELECT sequence, event_id, topic, key, headers, payload,
               sum(octet_length(payload) + octet_length(headers)) OVER (ORDER BY sequence) AS bytes
          FROM ledger_event
         WHERE chain = $1::int8 AND sequence >= $2::int8 AND sequence < $2::int8 + $3::int8
           AND sequence <= (SELECT head.sequence FROM ledger_head AS head WHERE head.chain = $1::int8)) AS next
 WHERE bytes <= $4::int8 OR sequence = $2::int8
 ORDER BY sequence
