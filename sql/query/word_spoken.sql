-- Words on requests, one row each.
INSERT INTO authorization_status (tenant, request_id, status, event_id, decision, reason_code, reason_text, approval_id,
                                  request_digest, decided_at, not_before, expires_at, token)
SELECT tenant, request_id, status, event_id, decision, reason_code, reason_text, approval_id,
       request_digest, timestamptz 'epoch' + decided_at * interval '1 microsecond',
       timestamptz 'epoch' + nullif(not_before, 0) * interval '1 microsecond',
       timestamptz 'epoch' + nullif(expires_at, 0) * interval '1 microsecond', token
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[],
              $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[])
       AS row (tenant, request_id, status, event_id, decision, reason_code, reason_text, approval_id, request_digest,
               decided_at, not_before, expires_at, token)
