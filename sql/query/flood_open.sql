-- What is asked already, in the order asked: the approval that is open about the same, and its request.
SELECT open_approval.approval_id, approval.request_id
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (tenant, request_digest, n)
  LEFT JOIN open_approval USING (tenant, request_digest)
  LEFT JOIN approval USING (approval_id)
 ORDER BY asked.n
