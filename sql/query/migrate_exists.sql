-- Whether this database was ever migrated.
SELECT pg_catalog.to_regclass('countersign.schema_migration') IS NOT NULL
