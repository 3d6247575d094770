-- Takes over the chains whose lease has run out, and those that are ours without our knowing (a COMMIT that was never
-- answered). $1 instance, $2 lease in microseconds, $3 chains that we know to be ours.
UPDATE relay_position
   SET owner = $1::text,
       owner_epoch = owner_epoch + 1,
       lease_until = clock_timestamp() + $2::int8 * interval '1 microsecond'
 WHERE chain IN (SELECT chain
                   FROM relay_position
                  WHERE chain <> ALL ($3::int8[]) AND (lease_until <= clock_timestamp() OR owner = $1::text)
                  ORDER BY chain
                    FOR UPDATE SKIP LOCKED)
RETURNING chain::int8, owner_epoch, next_sequence
