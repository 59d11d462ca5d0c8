-- Facts of a site that are printed on slips for guests. `sites/guest-info.ts` checks them.
alter table sites
  -- Null: the setting TZ.
  add time_zone text,
  -- Empty: the person who prints chooses.
  add guest_languages text[] not null default '{}'
    check (guest_languages <@ '{de,en,fr,it,nl,es,pl,cs}'::text[]),
  add slip_footer text check (char_length(slip_footer) <= 120),
  -- How many days after `valid_until` the desk sets `extendable_until` of a new stay.
  add room_days integer not null default 0 check (room_days between 0 and 365);

create table site_logos (
  site_id integer primary key references sites (id) on delete cascade,
  type text not null check (type in ('image/png', 'image/jpeg')),
  bytes bytea not null check (length(bytes) <= 262144),
  updated_at timestamptz(3) not null default now()
);
