-- One session, whatever the role's and the database's defaults are. remote_apply is more than on, so it may stay.
-- $4 = key: whoever asks by key only wants plans that stay right when tables grow under a prepared statement. One that
-- was made for an empty table would read the whole of a full one for every batch. For the same reason plan_cache_mode stays
-- auto: a plan for any list of keys, made when a table held one row, walks the whole index. jit: no plan here is worth compiling.
SELECT pg_catalog.set_config('synchronous_commit',
           CASE pg_catalog.current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
       pg_catalog.set_config('statement_timeout', $1, false),
       pg_catalog.set_config('lock_timeout', $2, false),
       pg_catalog.set_config('idle_in_transaction_session_timeout', $3, false),
       pg_catalog.set_config('client_connection_check_interval', '5s', false),
       pg_catalog.set_config('default_transaction_isolation', 'read committed', false),
       pg_catalog.set_config('TimeZone', 'UTC', false),
       pg_catalog.set_config('search_path', 'countersign', false),
       pg_catalog.set_config('jit', 'off', false),
       CASE WHEN $4 = 'key' THEN pg_catalog.set_config('enable_seqscan', 'off', false) END,
       CASE WHEN $4 = 'key' THEN pg_catalog.set_config('enable_hashjoin', 'off', false) END,
       CASE WHEN $4 = 'key' THEN pg_catalog.set_config('enable_mergejoin', 'off', false) END
