INSERT INTO ledger_batch (chain, first, last, prev_hash, hash, created_at)
SELECT chain, first, last, prev_hash, hash, $6::timestamptz
  FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[]) AS b (chain, first, last, prev_hash, hash)
