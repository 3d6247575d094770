-- Incidents about a flood of questions, one row each.
INSERT INTO incident (incident_id, tenant, request_id, kind, severity, text, evidence, at, subject)
SELECT incident_id, tenant, request_id, 'approval_flood', 'medium', text, ARRAY[request_id],
       timestamptz 'epoch' + at * interval '1 microsecond', subject
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
       AS row (incident_id, tenant, request_id, text, at, subject)
