-- Fence, de-duplication and commit record in one (and updated_at never goes back, whatever the clock does): no row means that the position is not mine or was moved already.
UPDATE consumer_position
   SET next_offset = $6, updated_at = greatest(updated_at, clock_timestamp())
 WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND next_offset = $4 AND owner_epoch = $5
RETURNING next_offset
