-- Which lines a slip of a site has, in their order. Null: all lines in the usual order.
alter table sites
  add column slip_lines text[],
  add column slip_per_language boolean not null default false,
  -- Whether slips for API keys have the Wi-Fi password, too.
  add column slip_password_for_keys boolean not null default false;
