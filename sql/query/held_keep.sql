-- Requests that are held from now on, one row each.
INSERT INTO held_request (tenant, request_id, hold_id, held_at, expires_at)
SELECT tenant, request_id, hold_id, timestamptz 'epoch' + held_at * interval '1 microsecond',
       timestamptz 'epoch' + expires_at * interval '1 microsecond'
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
       AS row (tenant, request_id, hold_id, held_at, expires_at)
