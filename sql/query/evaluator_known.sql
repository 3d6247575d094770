-- Which of these request ids were taken before, and the digest of what they said.
SELECT DISTINCT request.tenant, request.request_id, request.content_hash
  FROM unnest($1::text[], $2::text[]) AS asked (tenant, request_id)
  JOIN request USING (tenant, request_id)
