-- What lies behind the end of its chain, or on a chain that is none: every append moves the end over what it adds. The first of them.
SELECT place.chain::int8, place.sequence, place.what
  FROM (SELECT chain, sequence, 'event' AS what FROM ledger_event
        UNION ALL
        SELECT chain, last, 'batch' FROM ledger_batch) AS place
  LEFT JOIN ledger_head AS head USING (chain)
 WHERE head.chain IS NULL OR place.sequence > head.sequence
 ORDER BY 1, 2, 3
 LIMIT $1::int8
