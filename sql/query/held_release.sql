-- What has become of held requests, one row each: they have ended, or (ended_at 0) another hold holds them.
UPDATE held_request
   SET hold_id = coalesce(nullif(row.hold_id, 0), held_request.hold_id),
       ended_at = timestamptz 'epoch' + nullif(row.ended_at, 0) * interval '1 microsecond'
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS row (tenant, request_id, hold_id, ended_at)
 WHERE held_request.tenant = row.tenant AND held_request.request_id = row.request_id AND held_request.ended_at IS NULL
