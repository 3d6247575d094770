-- What responses are about, by request id or by approval id, in the order asked: the request and its approval, if there are such.
SELECT request.request_id, approval.approval_id
  FROM unnest($1::text[], $2::text[], $3::uuid[]) WITH ORDINALITY AS asked (tenant, request_id, approval_id, n)
  LEFT JOIN approval AS named ON named.approval_id = asked.approval_id AND named.tenant = asked.tenant
  LEFT JOIN request ON request.tenant = asked.tenant AND request.request_id = coalesce(asked.request_id, named.request_id)
  LEFT JOIN approval ON approval.tenant = request.tenant AND approval.request_id = request.request_id
 ORDER BY asked.n
