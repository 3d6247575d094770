-- Places that end earlier than they would have, one row each.
UPDATE limit_use SET held_until = timestamptz 'epoch' + row.until * interval '1 microsecond'
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[]) AS row (counter, tenant, request_id, until)
 WHERE limit_use.counter = row.counter AND limit_use.tenant = row.tenant AND limit_use.request_id = row.request_id
   AND limit_use.held_until IS NOT NULL
