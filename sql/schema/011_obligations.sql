-- SPDX-License-Identifier: Apache-2.0
-- What whoever is authorized must do as well.

ALTER TABLE decision ADD COLUMN obligations jsonb;
COMMENT ON COLUMN decision.obligations IS 'What whoever is authorized must do as well, by name, of all rules that count; null where there is nothing. A grant carries those of all decisions on its request.';
