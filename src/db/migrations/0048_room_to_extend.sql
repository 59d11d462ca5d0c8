-- New stays of a new site can be extended by a week. Existing sites keep their value.
alter table sites alter column room_days set default 7;
