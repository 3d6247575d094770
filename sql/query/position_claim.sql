-- Takes a partition over: the next epoch is mine. A new partition begins where the caller says.
INSERT INTO consumer_position AS p (consumer_group, topic, partition, next_offset, owner_epoch, owner, updated_at)
VALUES ($1, $2, $3, $4, 1, $5, clock_timestamp())
ON CONFLICT (consumer_group, topic, partition) DO UPDATE
   SET owner_epoch = p.owner_epoch + 1, owner = excluded.owner, updated_at = greatest(p.updated_at, excluded.updated_at)
RETURNING owner_epoch, next_offset
