-- Incidents, one row each.
INSERT INTO incident (incident_id, tenant, request_id, kind, severity, text, evidence, at)
SELECT incident_id, tenant, request_id, kind, severity, text, string_to_array(evidence, E'\n'),
       timestamptz 'epoch' + at * interval '1 microsecond'
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
       AS row (incident_id, tenant, request_id, kind, severity, text, evidence, at)
