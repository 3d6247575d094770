-- What is stored as the explanations of decisions on these requests.
SELECT tenant, request_id, explanation::text
  FROM decision
 WHERE (tenant, request_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND explanation IS NOT NULL
