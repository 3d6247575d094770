-- The next generation.
UPDATE policy_generation SET generation = generation + 1 RETURNING generation
