-- Batches of a chain behind a sequence number, in order.
SELECT first, last, prev_hash, hash, created_at FROM ledger_batch WHERE chain = $1 AND last > $2 ORDER BY last LIMIT $3
