-- One transaction at a time for each chain of those that judge outcomes or revoke what they are judged by, always in the order of chains. A statement of its own: what follows must be read after the wait.
SELECT pg_advisory_xact_lock($1::integer, chain)
  FROM (SELECT DISTINCT chain::integer AS chain FROM unnest($2::bigint[]) AS chain ORDER BY 1) AS chains
