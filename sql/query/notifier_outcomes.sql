-- Takes outcomes of which nobody was told, $1 of them at most; whoever takes them plans what is to be sent in the same transaction.
UPDATE outcome_news
   SET told_at = clock_timestamp()
  FROM (SELECT n FROM outcome_news WHERE told_at IS NULL ORDER BY n LIMIT $1::bigint FOR UPDATE SKIP LOCKED) AS next,
       outcome
 WHERE outcome_news.n = next.n AND outcome.tenant = outcome_news.tenant AND outcome.outcome_id = outcome_news.outcome_id
RETURNING outcome_news.approval_id, outcome.outcome_id, outcome.status, outcome.judgement, outcome.reported_by, outcome.code,
          outcome.detail, outcome.received_at
