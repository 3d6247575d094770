-- Wakes the relay at COMMIT. Once per transaction: notifying locks the whole server's queue at commit.
SELECT pg_notify('countersign_ledger', '')
