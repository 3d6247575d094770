-- First event of each chain that is not known to be published.
SELECT chain::int8, next_sequence FROM relay_position ORDER BY chain
