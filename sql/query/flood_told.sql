-- Was an incident told of this in the last hour? In the order asked.
SELECT EXISTS (SELECT FROM incident
                WHERE incident.tenant = asked.tenant AND incident.subject = asked.subject AND incident.kind = 'approval_flood'
                  AND incident.at > timestamptz 'epoch' + (asked.at - 3600000000) * interval '1 microsecond')
  FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS asked (tenant, subject, at, n)
 ORDER BY asked.n
