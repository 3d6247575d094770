-- What this transaction has changed of the directory, in order.
SELECT n, coalesce(new_row, old_row) ->> 'tenant', by_role, relation, operation, old_row::text, new_row::text, at
  FROM directory_history WHERE transaction = pg_current_xact_id() ORDER BY n
