-- A browser that several people share signs them out after this many minutes without use. Null: after 12 hours.
alter table staff_sessions add column idle_minutes integer;
