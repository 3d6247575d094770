-- Where the last checkpoint's own event stands: if that is the head, there is nothing new to sign.
SELECT event_sequence
  FROM checkpoint
 WHERE chain = $1::int8
 ORDER BY sequence DESC
 LIMIT 1
