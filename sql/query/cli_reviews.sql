-- Overrides of tenant $1 that nobody has looked at; with $2 <> 0 the others as well.
SELECT review.request_id, review.overrider, review.reason, to_char(review.opened_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       review.reviewer, review.finding, to_char(review.closed_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       ARRAY(SELECT DISTINCT need.group_name FROM approval_requirement AS need
              WHERE need.approval_id = review.approval_id ORDER BY 1), review.approval_id::text
  FROM approval_review AS review
 WHERE review.tenant = $1 AND ($2::bigint <> 0 OR review.closed_at IS NULL)
 ORDER BY review.opened_at DESC, review.approval_id
