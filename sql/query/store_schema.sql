-- Which migrations this database has seen.
SELECT version, checksum FROM countersign.schema_migration ORDER BY version
