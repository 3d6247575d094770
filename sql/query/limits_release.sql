-- Uses that are given back ($5: when), or that count again from $4 on ($5: 0), one row each.
UPDATE limit_use SET at = timestamptz 'epoch' + row.at * interval '1 microsecond',
       released_at = timestamptz 'epoch' + nullif(row.released_at, 0) * interval '1 microsecond'
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS row (counter, tenant, request_id, at, released_at)
 WHERE limit_use.counter = row.counter AND limit_use.tenant = row.tenant AND limit_use.request_id = row.request_id
   AND limit_use.held_until IS NULL AND limit_use.releases
