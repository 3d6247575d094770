-- The same for one chain, as nearly all batches have: by its key the plan is made once, by a list for every call.
SELECT chain, sequence, hash FROM ledger_head WHERE chain = $1 FOR UPDATE
