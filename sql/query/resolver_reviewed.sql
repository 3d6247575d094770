-- Somebody has looked at what was overridden.
UPDATE approval_review
   SET reviewer = row.reviewer, finding = row.finding, closed_at = timestamptz 'epoch' + row.at * interval '1 microsecond'
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) AS row (approval_id, reviewer, finding, at)
 WHERE approval_review.approval_id = row.approval_id
