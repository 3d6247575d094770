-- A signed head.
INSERT INTO checkpoint (chain, sequence, hash, at, event_sequence, token)
VALUES ($1::int8, $2::int8, $3::bytea, $4::timestamptz, $5::int8, $6::text)
