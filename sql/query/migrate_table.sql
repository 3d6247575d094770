-- Which migrations this database has seen. It stands before all of them; its comments come with them.
CREATE TABLE countersign.schema_migration (
    version         integer PRIMARY KEY CHECK (version > 0),
    name            text NOT NULL,
    checksum        text NOT NULL,
    applied_at      timestamptz NOT NULL DEFAULT clock_timestamp()
)
