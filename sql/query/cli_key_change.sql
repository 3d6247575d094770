-- For whom a bot's or an agent's key speaks from now on.
UPDATE signing_key SET speaks_for = $3, speaks_for_groups = $4, agents = $5 WHERE tenant = $1 AND kid = $2 RETURNING kid
