-- Gives leases back, so that another relay takes over at once. $1 chains, $2 epochs.
UPDATE relay_position p
   SET lease_until = clock_timestamp()
  FROM unnest($1::int8[], $2::int8[]) AS m (chain, epoch)
 WHERE p.chain = m.chain AND p.owner_epoch = m.epoch
RETURNING p.chain::int8
