-- New approvals, one row each.
INSERT INTO approval (approval_id, tenant, request_id, state, request_digest, reason_text, valid_for_us, hold_for_us, opened_at,
                      deadline, latest, remind_before_us, remind_every_us, asked, next_at, notices)
SELECT approval_id, tenant, request_id, state, request_digest, reason_text, valid_for_us, hold_for_us,
       timestamptz 'epoch' + opened_at * interval '1 microsecond',
       timestamptz 'epoch' + nullif(deadline, 0) * interval '1 microsecond',
       timestamptz 'epoch' + nullif(latest, 0) * interval '1 microsecond', remind_before_us, remind_every_us, asked,
       timestamptz 'epoch' + nullif(next_at, 0) * interval '1 microsecond', notices
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
              $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
              $16::bigint[])
       AS row (approval_id, tenant, request_id, state, request_digest, reason_text, valid_for_us, hold_for_us, opened_at,
               deadline, latest, remind_before_us, remind_every_us, asked, next_at, notices)
