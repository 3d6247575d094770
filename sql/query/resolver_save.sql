-- What has become of approvals; each row must be as it was loaded, and a final state never changes.
UPDATE approval
   SET state = row.state, notices = row.notices, refusals = row.refusals,
       closed_at = CASE WHEN approval.state = row.state THEN approval.closed_at
                        ELSE timestamptz 'epoch' + row.at * interval '1 microsecond' END
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
       AS row (approval_id, was, state, notices_before, notices, refusals, at)
 WHERE approval.approval_id = row.approval_id
   AND approval.state = row.was AND approval.notices = row.notices_before
   AND (approval.state = 'PENDING' OR row.state = approval.state)
