-- Which of these responses were taken before, and the digest of what they said.
SELECT DISTINCT response.kid, response.response_id, sha256(response.value)
  FROM unnest($1::text[], $2::text[]) AS asked (kid, response_id)
  JOIN response USING (kid, response_id)
