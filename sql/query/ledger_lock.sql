-- Locks the ends of the chains in ascending order: the sort is below the lock.
SELECT chain, sequence, hash FROM ledger_head WHERE chain = ANY ($1::integer[]) ORDER BY chain FOR UPDATE
