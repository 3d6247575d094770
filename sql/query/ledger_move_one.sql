-- Moves one head from where it was when it was locked: $1 chain, $2 first and $3 last of the batch, $4 hash before, $5 hash.
UPDATE ledger_head SET sequence = $3, hash = $5 WHERE chain = $1 AND sequence = $2::bigint - 1 AND hash = $4
