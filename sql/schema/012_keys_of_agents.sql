-- SPDX-License-Identifier: Apache-2.0
-- Keys of agents: a request may be signed, and who signed is kept beside who it says it is. Bots may speak for whole groups. A key is
-- revoked with effect from a moment, which may only be moved to an earlier one.

ALTER TABLE signing_key DROP CONSTRAINT signing_key_kind_check;
ALTER TABLE signing_key ADD CONSTRAINT signing_key_kind_check CHECK (kind IN ('person', 'bot', 'agent'));
ALTER TABLE signing_key ADD COLUMN speaks_for_groups text[] NOT NULL DEFAULT '{}';
ALTER TABLE signing_key ADD COLUMN agents text[] NOT NULL DEFAULT '{}';
ALTER TABLE signing_key ADD CONSTRAINT signing_key_speaks_check
    CHECK ((kind = 'bot' OR (speaks_for = '{}' AND speaks_for_groups = '{}')) AND (kind = 'agent' OR agents = '{}'));
COMMENT ON TABLE signing_key IS 'Public keys (Ed25519). A key of a person answers for its owner, a bot''s key for the persons and the members of the groups listed; an agent''s key signs requests and answers for nobody.';
COMMENT ON COLUMN signing_key.owner IS 'Person, bot or agent that holds the private half.';
COMMENT ON COLUMN signing_key.kind IS 'person, bot or agent.';
COMMENT ON COLUMN signing_key.speaks_for_groups IS 'For a bot: the groups whose members'' answers it may carry, whoever is a member when the answer is applied.';
COMMENT ON COLUMN signing_key.agents IS 'For an agent: patterns of the agent ids, besides its owner''s, whose requests it may sign (countersign-policy(5), patterns).';
COMMENT ON COLUMN signing_key.revoked_at IS 'From this moment, by the database''s clock, it counts for nothing; it may lie ahead. May only be moved to an earlier one.';
GRANT UPDATE (speaks_for_groups, agents) ON signing_key TO countersign_operator;

-- What a key has said is judged by this moment: nobody may give it more time afterwards.
DROP TRIGGER revoked_once ON signing_key;
CREATE TRIGGER revoked_earlier BEFORE UPDATE ON signing_key FOR EACH ROW
    WHEN (NEW.revoked_at IS NULL AND OLD.revoked_at IS NOT NULL OR NEW.revoked_at > OLD.revoked_at)
    EXECUTE FUNCTION refuse_change('revoked_at');

ALTER TABLE request ADD COLUMN issued_at timestamptz;
ALTER TABLE request ADD COLUMN verified_kid text;
ALTER TABLE request ADD COLUMN verified_owner text;
ALTER TABLE request ADD CONSTRAINT request_verified_check
    CHECK ((verified_kid IS NULL) = (verified_owner IS NULL) AND (verified_kid IS NULL OR issued_at IS NOT NULL));
COMMENT ON COLUMN request.issued_at IS 'When the sender says it was made; checked only where it is signed.';
COMMENT ON COLUMN request.verified_kid IS 'Key whose signature over the request was verified; null: agent_id, tenant and on_behalf_of are claims.';
COMMENT ON COLUMN request.verified_owner IS 'Who owned that key then.';
GRANT SELECT ON signing_key TO countersign_evaluator;
