-- What stamping providers know this installation by, beside others on the same account: a random number of 60 bits that never
-- changes. It is no company's, hence no table's.
CREATE SEQUENCE instalacion AS bigint;
SELECT setval('instalacion', greatest(1, ('x0' || substr(replace(gen_random_uuid()::text, '-', ''), 18, 15))::bit(64)::bigint));
