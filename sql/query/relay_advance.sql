-- Moves positions and renews leases, each by compare-and-set: a chain that is not returned is not ours any more, or
-- stands elsewhere. $1 chains, $2 epochs, $3 from, $4 to, $5 lease in microseconds.
UPDATE relay_position p
   SET next_sequence = m.moved_to,
       lease_until = clock_timestamp() + $5::int8 * interval '1 microsecond'
  FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[]) AS m (chain, epoch, moved_from, moved_to)
 WHERE p.chain = m.chain AND p.owner_epoch = m.epoch AND p.next_sequence = m.moved_from
RETURNING p.chain::int8
