-- Records that wait for their request, one row each.
INSERT INTO shelf (origin_topic, origin_partition, origin_offset, service, tenant, request_id, key, value, headers,
                   appended_at, shelved_at)
SELECT origin_topic, origin_partition, origin_offset, service, tenant, request_id, key, value, headers,
       timestamptz 'epoch' + nullif(appended_at, 0) * interval '1 microsecond',
       timestamptz 'epoch' + shelved_at * interval '1 microsecond'
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::bytea[],
              $9::text[], $10::bigint[], $11::bigint[])
       AS row (origin_topic, origin_partition, origin_offset, service, tenant, request_id, key, value, headers,
               appended_at, shelved_at)
