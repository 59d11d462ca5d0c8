-- Ids that a statement makes are UUIDv7, like those of the application: neighbours in time are neighbours in the index. PostgreSQL
-- has such a function only since version 18.
create function uuid_v7() returns uuid language sql volatile parallel safe as $$
  select encode(
    set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1),
    'hex')::uuid
$$;
