-- Events that were not found on the topics, without those that compaction may have taken.
SELECT e.sequence, e.topic, e.created_at FROM ledger_event e
WHERE e.chain = $1 AND e.sequence = ANY ($2::int8[])
  AND NOT (e.topic = 'authorizations' AND EXISTS (SELECT FROM ledger_event l WHERE l.key = e.key AND l.chain = e.chain AND l.sequence > e.sequence AND l.topic = e.topic))
ORDER BY e.sequence
