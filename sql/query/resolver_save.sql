-- What has become of approvals; each row must be as it was loaded, and a final state never changes,
-- but that what was granted may be revoked.
UPDATE approval
   SET state = row.state, notices = row.notices, refusals = row.refusals, steps_taken = row.steps_taken,
       asked = row.asked, deadline = timestamptz 'epoch' + nullif(row.deadline, 0) * interval '1 microsecond',
       reminded_at = timestamptz 'epoch' + nullif(row.reminded_at, 0) * interval '1 microsecond',
       next_at = timestamptz 'epoch' + nullif(row.next_at, 0) * interval '1 microsecond',
       held_by = nullif(row.held_by, 0),
       closed_at = CASE WHEN approval.state <> 'PENDING' OR row.state = 'PENDING' THEN approval.closed_at
                        ELSE timestamptz 'epoch' + row.at * interval '1 microsecond' END,
       revoked_at = CASE WHEN approval.state = row.state OR row.state <> 'REVOKED' THEN approval.revoked_at
                         ELSE timestamptz 'epoch' + row.at * interval '1 microsecond' END
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
              $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[])
       AS row (approval_id, was, state, notices_before, notices, refusals, steps_taken, asked, deadline, reminded_at,
               next_at, at, held_by)
 WHERE approval.approval_id = row.approval_id
   AND approval.state = row.was AND approval.notices = row.notices_before
   AND (approval.state IN ('PENDING', row.state) OR approval.state = 'APPROVED' AND row.state = 'REVOKED')
