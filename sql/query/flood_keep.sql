-- What people are asked from now on, one row each. What somebody else has just asked as well fails: the batch is looked at again.
INSERT INTO open_approval (tenant, request_digest, approval_id, agent_id, class_id)
SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[])
