-- Decisions on requests, one row each.
INSERT INTO decision (tenant, request_id, n, verdict, reason_code, reason_text, rules, class_id, policy_id, policy_version,
                      policy_digest, generation, engine_version, decided_at, explanation, layers, remediation, obligations)
SELECT tenant, request_id, n, verdict, reason_code, reason_text, string_to_array(rules, E'\n'), class_id,
       policy_id, nullif(policy_version, 0), policy_digest, generation, engine_version,
       timestamptz 'epoch' + decided_at * interval '1 microsecond', explanation::jsonb, layers::jsonb, remediation,
       obligations::jsonb
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
              $9::text[], $10::bigint[], $11::text[], $12::bigint[], $13::text[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::text[])
       AS row (tenant, request_id, n, verdict, reason_code, reason_text, rules, class_id, policy_id, policy_version,
               policy_digest, generation, engine_version, decided_at, explanation, layers, remediation, obligations)
