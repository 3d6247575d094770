-- Its raw bytes, for the operator, for a while.
INSERT INTO quarantine_raw (quarantine_id, key, value, headers, keep_until)
VALUES ($1::uuid, $2::bytea, $3::bytea, $4::text, $5::timestamptz)
