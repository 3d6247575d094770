-- Every hold that may stand: those that end by time are looked at once more by the clock of the transaction, which may be behind.
SELECT hold_id, class_id, target, agent, tenant, refuses, reason, until
  FROM hold
 WHERE lifted_at IS NULL AND (until IS NULL OR until > clock_timestamp() - interval '1 day')
 ORDER BY hold_id
