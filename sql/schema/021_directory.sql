-- SPDX-License-Identifier: Apache-2.0
-- Changes of the directory are events of the ledger as well, appended by whoever makes them.

ALTER TABLE directory_history ADD COLUMN transaction xid8;
ALTER TABLE directory_history ALTER COLUMN transaction SET DEFAULT pg_current_xact_id();
COMMENT ON COLUMN directory_history.transaction IS 'Transaction that did it; null: before changes were events of the ledger.';
CREATE INDEX directory_history_of ON directory_history (transaction);

INSERT INTO ledger_writer VALUES ('countersign_operator', 'directory');
GRANT UPDATE (sequence, hash) ON ledger_head TO countersign_operator;
GRANT INSERT ON ledger_event, ledger_batch TO countersign_operator;
