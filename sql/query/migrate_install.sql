-- What can never change: the number of chains, and with it a head and a relay position for each. Does nothing the second time.
WITH installed AS (
    INSERT INTO countersign.installation (chains) VALUES ($1::integer) ON CONFLICT DO NOTHING RETURNING chains
), heads AS (
    INSERT INTO countersign.ledger_head (chain, sequence, hash)
    SELECT n, 0, decode(repeat('00', 32), 'hex') FROM installed, generate_series(0, chains - 1) AS n
    RETURNING chain
)
INSERT INTO countersign.relay_position (chain, next_sequence, owner, owner_epoch, lease_until)
SELECT chain, 1, '', 0, 'epoch' FROM heads
