-- The session of a migration: it may take long, but does not wait for others for ever.
SELECT pg_catalog.set_config('synchronous_commit', 'on', false),
       pg_catalog.set_config('statement_timeout', '0', false),
       pg_catalog.set_config('lock_timeout', $1, false),
       pg_catalog.set_config('client_connection_check_interval', '5s', false),
       pg_catalog.set_config('default_transaction_isolation', 'read committed', false),
       pg_catalog.set_config('TimeZone', 'UTC', false),
       pg_catalog.set_config('search_path', 'countersign', false)
