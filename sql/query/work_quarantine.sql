-- A record that could not be taken, and why. Never its content.
INSERT INTO quarantine (quarantine_id, service, origin_topic, origin_partition, origin_offset, tenant, request_id,
                        code, field, text, digest, size, at)
VALUES ($1::uuid, $2::text, $3::text, $4::int8, $5::int8, $6::text, $7::text,
        $8::text, $9::text, $10::text, $11::text, $12::int8, $13::timestamptz)
