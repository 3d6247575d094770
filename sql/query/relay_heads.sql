-- Where the chains end, and how old the first event is that was not published yet.
SELECT h.chain::int8, h.sequence, p.next_sequence,
       coalesce(extract(epoch FROM clock_timestamp() - e.created_at), 0)::float8
  FROM ledger_head h
  JOIN relay_position p ON p.chain = h.chain
  LEFT JOIN ledger_event e ON e.chain = p.chain AND e.sequence = p.next_sequence
