-- SPDX-License-Identifier: Apache-2.0
-- Decisions and words refer to requests. A foreign key looks each row's request up and locks it, which was a quarter of what
-- the database did for a decision. Requests are never changed or deleted by any role, so looking once per statement says
-- the same.

CREATE FUNCTION request_known() RETURNS trigger LANGUAGE plpgsql SET search_path = countersign, pg_temp AS $$
DECLARE
    unknown record;
BEGIN
    SELECT tenant, request_id INTO unknown
      FROM added
     WHERE NOT EXISTS (SELECT FROM request WHERE request.tenant = added.tenant AND request.request_id = added.request_id)
     LIMIT 1;
    IF FOUND THEN
        RAISE foreign_key_violation USING MESSAGE =
            format('%s: there is no request %s of tenant %s', TG_TABLE_NAME, unknown.request_id, unknown.tenant);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION request_known() IS 'Refuses rows about requests that do not exist.';
REVOKE EXECUTE ON FUNCTION request_known() FROM PUBLIC;

ALTER TABLE decision DROP CONSTRAINT decision_tenant_request_id_fkey;
CREATE TRIGGER request_known AFTER INSERT ON decision
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION request_known();

ALTER TABLE authorization_status DROP CONSTRAINT authorization_status_tenant_request_id_fkey;
CREATE TRIGGER request_known AFTER INSERT ON authorization_status
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION request_known();
