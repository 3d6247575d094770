-- The head that is signed; nobody appends to the chain until the checkpoint is.
SELECT sequence, hash
  FROM ledger_head
 WHERE chain = $1::int8
   FOR UPDATE
