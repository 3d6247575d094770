-- Signed heads of a chain.
SELECT sequence, hash, token FROM checkpoint WHERE chain = $1 ORDER BY sequence
