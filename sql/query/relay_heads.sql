-- Where the chains end, and how old the first event is that was not published yet. That one comes along if it is the only one.
SELECT h.chain::int8, h.sequence, p.next_sequence,
       coalesce(extract(epoch FROM clock_timestamp() - e.created_at), 0)::float8,
       CASE WHEN e.sequence = h.sequence THEN e.sequence END,
       CASE WHEN e.sequence = h.sequence THEN e.event_id END,
       CASE WHEN e.sequence = h.sequence THEN e.topic END,
       CASE WHEN e.sequence = h.sequence THEN e.key END,
       CASE WHEN e.sequence = h.sequence THEN e.headers END,
       CASE WHEN e.sequence = h.sequence THEN e.payload END
  FROM ledger_head h
  JOIN relay_position p ON p.chain = h.chain
  LEFT JOIN ledger_event e ON e.chain = p.chain AND e.sequence = p.next_sequence
