-- Where every chain ends.
SELECT chain::int8, sequence, hash FROM ledger_head ORDER BY chain
