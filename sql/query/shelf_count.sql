-- For each record that is to wait, in the order asked: how many wait for its request, and how many wait at all.
SELECT (SELECT count(*) FROM shelf
         WHERE shelf.service = asked.service AND shelf.tenant = asked.tenant AND shelf.request_id = asked.request_id),
       (SELECT count(*) FROM (SELECT FROM shelf WHERE shelf.service = ($1::text[])[1] LIMIT 100000) AS waiting)
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (service, tenant, request_id, n)
 ORDER BY asked.n
