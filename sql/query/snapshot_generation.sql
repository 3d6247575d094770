-- The generation that decides now.
SELECT generation FROM policy_generation
