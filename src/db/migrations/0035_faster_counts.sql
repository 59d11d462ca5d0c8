-- The same sum as before. As a function of plain SQL it was planned again in every statement, which took 0.5 of the 1.9 ms in
-- which a voucher is recorded, twice.
create or replace function add_counts(known jsonb, added jsonb) returns jsonb language plpgsql immutable strict parallel safe as $$
declare
  name text;
  total integer;
begin
  for name in select jsonb_object_keys(added) loop
    total := coalesce((known ->> name)::integer, 0) + (added ->> name)::integer;
    known := case total when 0 then known - name else jsonb_set(known, array[name], to_jsonb(total)) end;
  end loop;
  return known;
end $$;
