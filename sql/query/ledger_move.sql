-- Moves the heads from where they were when they were locked.
UPDATE ledger_head h
   SET sequence = b.last, hash = b.hash
  FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[]) AS b (chain, first, last, prev_hash, hash)
 WHERE h.chain = b.chain AND h.sequence = b.first - 1 AND h.hash = b.prev_hash
