-- SPDX-License-Identifier: Apache-2.0
-- Where nobody could answer what a profile asks, the class may name others to ask instead.

ALTER TABLE approval_requirement ADD COLUMN fallback boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN approval_requirement.fallback IS 'Of the demand: nobody could meet what the profile asks, and these are asked instead, whom the class names.';
