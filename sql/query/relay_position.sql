-- Where the chains stand and whose they are.
SELECT chain::int8, owner_epoch, next_sequence
  FROM relay_position
 WHERE chain = ANY ($1::int8[])
