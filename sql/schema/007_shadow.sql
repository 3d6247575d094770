-- SPDX-License-Identifier: Apache-2.0
-- Policies in the shadow: what they would decide is recorded with each decision, and changes none.

CREATE TABLE policy_shadow (
    generation      bigint PRIMARY KEY,
    policy_id       text NOT NULL,
    version         bigint CHECK (version > 0),
    digest          text,
    document        text,
    tenants         text[],
    at              timestamptz NOT NULL,
    by_role         text NOT NULL DEFAULT session_user,
    CHECK (num_nulls(version, digest, document, tenants) IN (0, 4))
);
COMMENT ON TABLE policy_shadow IS 'Each beginning of a shadow, and each end that is no activation. Insert-only.';
COMMENT ON COLUMN policy_shadow.generation IS 'Policy generation that it began.';
COMMENT ON COLUMN policy_shadow.policy_id IS 'Name of the policy.';
COMMENT ON COLUMN policy_shadow.version IS 'Its version; null: the shadow of this name ends.';
COMMENT ON COLUMN policy_shadow.digest IS 'sha-256 of the document in RFC 8785 form.';
COMMENT ON COLUMN policy_shadow.document IS 'The document in RFC 8785 form.';
COMMENT ON COLUMN policy_shadow.tenants IS 'Tenants it is for; {*} = all.';
COMMENT ON COLUMN policy_shadow.at IS 'When.';
COMMENT ON COLUMN policy_shadow.by_role IS 'Database role that did it.';

CREATE VIEW policy_in_shadow AS
SELECT last.*
  FROM (SELECT DISTINCT ON (policy_id) * FROM policy_shadow ORDER BY policy_id, generation DESC) AS last
 WHERE last.document IS NOT NULL
   AND NOT EXISTS (SELECT FROM policy
                    WHERE policy.policy_id = last.policy_id AND policy.version >= last.version AND policy.generation > last.generation);
COMMENT ON VIEW policy_in_shadow IS 'The shadows of now: the last of each name, unless it was ended or its version was activated.';

CREATE VIEW shadow_difference AS
SELECT shadow ->> 'id' AS policy_id, (shadow ->> 'version')::bigint AS version, decision.tenant, decision.verdict,
       coalesce(shadow ->> 'decision', 'error') AS shadow_verdict, (shadow ->> 'differs')::boolean AS differs,
       count(*) AS decisions, min(decision.decided_at) AS first_at, max(decision.decided_at) AS last_at
  FROM decision CROSS JOIN LATERAL jsonb_array_elements(decision.explanation -> 'shadows') AS shadow
 WHERE decision.explanation ? 'shadows'
 GROUP BY 1, 2, 3, 4, 5, 6;
COMMENT ON VIEW shadow_difference IS 'What shadows would have decided, counted beside what was decided.';

GRANT SELECT ON policy_shadow, policy_in_shadow TO countersign_evaluator, countersign_resolver;
GRANT SELECT ON policy_shadow, policy_in_shadow, shadow_difference TO countersign_operator, countersign_auditor;
GRANT INSERT (generation, policy_id, version, digest, document, tenants, at) ON policy_shadow TO countersign_operator;
