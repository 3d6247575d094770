SELECT owner_epoch, next_offset FROM consumer_position WHERE consumer_group = $1 AND topic = $2 AND partition = $3
