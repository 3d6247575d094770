-- Which of these outcomes were taken before, and the digest of what they said.
SELECT DISTINCT outcome.tenant, outcome.outcome_id, outcome.content_hash
  FROM unnest($1::text[], $2::text[]) AS asked (tenant, outcome_id)
  JOIN outcome USING (tenant, outcome_id)
